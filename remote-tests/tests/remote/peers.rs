//! The official clients, in Python, agree that the servers are what they seem.

use std::fs;
use std::process::Command;

use rntuple_remote_tests::servers::{Moto, Nginx, Xrootd, or_skip, python};

/// Runs a program, where there is Python. A proxy that the environment names is not for
/// loopback.
pub(crate) fn run(program: &str, arguments: &[&str], environment: &[(&str, &str)]) {
    let Some(python) = or_skip("a client in Python", python()) else { return };
    let mut command = Command::new(python);
    command.args(["-c", program]).args(arguments).env("no_proxy", "*").envs(environment.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const XROOTD: &str = r#"
import sys
from XRootD import client
file = client.File()
status, _ = file.open(sys.argv[1], timeout=30)
assert status.ok, status
status, data = file.read(2, 3)
assert status.ok and data == b"234", (status, data)
assert file.get_property("DataServer").endswith(sys.argv[2]), file.get_property("DataServer")
"#;

#[test]
fn xrootd_client_follows_redirects() {
    let Some(target) = Xrootd::start() else { return };
    let Some(server) = Xrootd::redirecting_to(target.address()) else { return };
    fs::write(target.folder().join("f.bin"), b"0123456789").unwrap();
    for server in [&target, &server] {
        run(XROOTD, &[&server.url("/f.bin"), &format!(":{}", target.address().port())], &[]);
    }
}

#[test]
fn xrootd_client_uses_tls() {
    let Some(server) = Xrootd::with_tls() else { return };
    fs::write(server.folder().join("f.bin"), b"0123456789").unwrap();
    let authority = server.authority().unwrap().to_str().unwrap();
    let port = format!(":{}", server.address().port());
    for url in [server.url("/f.bin"), server.url("/f.bin").replace("root:", "roots:")] {
        run(XROOTD, &[&url, &port], &[("X509_CERT_FILE", authority)]);
    }
}

const HTTPS: &str = r#"
import sys, ssl, urllib.request
url, authority = sys.argv[1:]
request = urllib.request.Request(url, headers={"Range": "bytes=2-4"})
trusting = ssl.create_default_context(cafile=authority)
assert urllib.request.urlopen(request, context=trusting).read() == b"234"
try:
    urllib.request.urlopen(request, context=ssl.create_default_context())
except urllib.error.URLError as error:
    assert isinstance(error.reason, ssl.SSLCertVerificationError), error
else:
    raise AssertionError("the authority is not needed")
"#;

#[test]
fn nginx_has_tls() {
    let Some(server) = Nginx::start() else { return };
    fs::write(server.folder().join("f.bin"), b"0123456789").unwrap();
    let authority = server.authority().to_str().unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let url = server.tls_url("/f.bin").replace("localhost", host);
        run(HTTPS, &[&url, authority], &[]);
    }
}

/// What `rntuple-object-store` needs of S3. The arguments are the URL, the keys, and whether reading has conditions.
const S3: &str = r#"
import sys, boto3, botocore
from botocore.config import Config
endpoint, key, secret, conditions = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
    region_name="us-east-1", config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}))

def fails(status, call, **arguments):
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] == status, error
    else:
        raise AssertionError(f"{arguments} was accepted")

place = dict(Bucket="events", Key="a/f.bin")
s3.put_object(Body=b"0123456789", **place)
tag = s3.head_object(**place)["ETag"]
answer = s3.get_object(Range="bytes=2-4", IfMatch=tag, **place)
assert answer["Body"].read() == b"234" and answer["ETag"] == tag, answer
if conditions == "conditions":
    fails(412, s3.get_object, IfMatch='"other"', **place)
fails(416, s3.get_object, Range="bytes=10-20", **place)
assert s3.get_object(Range="bytes=-3", **place)["Body"].read() == b"789"
fails(412, s3.put_object, Body=b"", IfNoneMatch="*", **place)
s3.put_object(Body=b"9876543210", **place)
if conditions == "conditions":
    fails(412, s3.get_object, IfMatch=tag, **place)
assert s3.head_object(**place)["ETag"] != tag

large = dict(Bucket="events", Key="b/large.bin")
upload = s3.create_multipart_upload(**large)["UploadId"]
parts = []
for number, length in enumerate([5 << 20, 1000], 1):
    part = s3.upload_part(UploadId=upload, PartNumber=number, Body=bytes([number]) * length, **large)
    parts.append({"PartNumber": number, "ETag": part["ETag"]})
fails(404, s3.head_object, **large)
s3.complete_multipart_upload(UploadId=upload, MultipartUpload={"Parts": parts}, **large)
assert s3.head_object(**large)["ContentLength"] == (5 << 20) + 1000
assert sorted(o["Key"] for o in s3.list_objects_v2(Bucket="events")["Contents"]) == ["a/f.bin", "b/large.bin"]
"#;

#[test]
fn moto_is_s3() {
    let Some(server) = Moto::start() else { return };
    server.create_bucket("events").unwrap();
    run(S3, &[&server.endpoint(), "any", "any", "conditions"], &[]);
}

#[cfg(feature = "s3s")]
#[test]
fn s3s_is_s3() {
    use rntuple_remote_tests::servers::{ACCESS_KEY, S3s, SECRET_KEY};
    let server = S3s::start().unwrap();
    server.create_bucket("events").unwrap();
    // It ignores `If-Match` where an object is read, and obeys it where one is written.
    run(S3, &[&server.endpoint(), ACCESS_KEY, SECRET_KEY, ""], &[]);
}
