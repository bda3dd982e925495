//! Files that others wrote to the servers are read here.

use rntuple::{RNTuple, Reader};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::servers::{Moto, Xrootd, or_skip, python};
use rntuple_xrootd::XrootdFile;

use crate::peers::run;

/// What [`WRITE`] writes.
#[derive(RNTuple, Debug, PartialEq)]
struct Theirs {
    number: u64,
    met: f32,
    tag: String,
    hits: Vec<i32>,
}

impl Theirs {
    /// The entries in both clusters together.
    const COUNT: u64 = 60_000;

    fn new(number: u64) -> Self {
        Self {
            number: number * number,
            met: number as f32 / 4.0,
            tag: format!("run {}", number % 7),
            hits: (0..number % 4).map(|hit| number as i32 - hit as i32 * 3).collect(),
        }
    }
}

/// Writes two clusters with uproot, to whatever it takes.
const WRITE: &str = r#"
import awkward as ak, numpy as np, uproot

def entries(first, count):
    number = np.arange(first, first + count, dtype=np.uint64)
    counts = (number % 4).astype(np.int64)
    hit = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    hits = (np.repeat(number.astype(np.int64), counts) - hit * 3).astype(np.int32)
    return {
        "number": number * number,
        "met": (number / 4).astype(np.float32),
        "tag": ak.Array([f"run {n % 7}" for n in number.tolist()]),
        "hits": ak.unflatten(hits, counts),
    }

def write(place):
    with uproot.recreate(place) as file:
        ntuple = file.mkrntuple("Theirs", entries(0, 20_000))
        ntuple.extend(entries(20_000, 40_000))
"#;

/// Runs a program after [`WRITE`].
fn write(program: &str, arguments: &[&str]) {
    run(&format!("{WRITE}\n{program}"), arguments, &[]);
}

fn check(reader: &Reader<Theirs>) {
    assert_eq!(reader.entry_count().unwrap(), Theirs::COUNT);
    let mut next = 0;
    for entry in reader.entries() {
        assert_eq!(entry.unwrap(), Theirs::new(next));
        next += 1;
    }
    assert_eq!(next, Theirs::COUNT);
    // Out of order: an entry in each cluster.
    for number in [59_999, 3, 20_000, 19_999] {
        assert_eq!(reader.get(number).unwrap(), Theirs::new(number));
    }
}

/// uproot writes to the server itself, through fsspec-xrootd and the official client.
#[test]
fn what_uproot_writes_over_xrootd() {
    if or_skip("uproot", python()).is_none() {
        return;
    }
    let Some(server) = Xrootd::start() else { return };
    let url = server.url("/uproot.root");
    write("import sys; write(sys.argv[1])", &[&url]);
    let file = XrootdFile::open(&url, &rntuple_xrootd::Options::new()).unwrap();
    check(&Reader::open(file, "Theirs").unwrap());
    // The same file through the HTTP door.
    let file = ObjectFile::open(&server.http_url("/uproot.root"), &Options::new()).unwrap();
    check(&Reader::open(file, "Theirs").unwrap());
}

const COPY: &str = r#"
import pathlib, sys, tempfile
from XRootD import client
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "a.root"
    write(path)
    copy = client.CopyProcess()
    copy.add_job(str(path), sys.argv[1])
    status = copy.prepare()
    assert status.ok, status
    status, results = copy.run()
    assert status.ok and all(result["status"].ok for result in results), (status, results)
"#;

#[test]
fn what_the_official_client_copies() {
    if or_skip("the client of XRootD", python()).is_none() {
        return;
    }
    let Some(server) = Xrootd::start() else { return };
    let url = server.url("/folder/copied.root");
    write(COPY, &[&url]);
    let file = XrootdFile::open(&url, &rntuple_xrootd::Options::new()).unwrap();
    check(&Reader::open(file, "Theirs").unwrap());
}

/// uproot writes to files whose bytes it can replace, which objects of S3 are not: boto3 uploads what it wrote, at once
/// and as an upload of parts.
const UPLOAD: &str = r#"
import pathlib, sys, tempfile, boto3
from boto3.s3.transfer import TransferConfig
endpoint, bucket = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id="any", aws_secret_access_key="any", region_name="us-east-1")
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "a.root"
    write(path)
    s3.put_object(Bucket=bucket, Key="put.root", Body=path.read_bytes())
    in_parts = TransferConfig(multipart_threshold=1, multipart_chunksize=5 << 20)
    s3.upload_file(str(path), bucket, "a folder/in parts.root", Config=in_parts)
assert s3.head_object(Bucket=bucket, Key="a folder/in parts.root")["ETag"].endswith('-1"')
"#;

#[test]
fn what_uproot_writes_and_boto3_uploads() {
    if or_skip("uproot", python()).is_none() {
        return;
    }
    let Some(server) = Moto::start() else { return };
    server.create_bucket("theirs").unwrap();
    write(UPLOAD, &[&server.endpoint(), "theirs"]);
    let options = Options::new()
        .config("aws_endpoint_url", server.endpoint())
        .config("aws_allow_http", "true")
        .config("aws_access_key_id", "any")
        .config("aws_secret_access_key", "any")
        .config("aws_region", "us-east-1");
    for key in ["put.root", "a%20folder/in%20parts.root"] {
        let file = ObjectFile::open(&format!("s3://theirs/{key}"), &options).unwrap();
        check(&Reader::open(file, "Theirs").unwrap());
    }
}
