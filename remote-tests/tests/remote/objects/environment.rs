//! Credentials in the environment, which a process of its own has.

use std::process::Command;

use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::FileServer;
use rntuple_remote_tests::servers::{AZURITE_ACCOUNT, AZURITE_KEY, Azurite, FakeGcs};

use super::store::{SAMPLE, sample, server};
use crate::values::read_events;

/// What the variables of stores begin with.
const PREFIXES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

/// What the tests below start in a process of its own: it has no options.
#[test]
#[ignore = "a part of other tests"]
fn child() {
    let Ok(url) = std::env::var("RNTUPLE_TEST_URL") else { return };
    let options = Options::new().retries(0).timeout(std::time::Duration::from_secs(10));
    let write = || -> std::io::Result<()> {
        use rntuple::storage::WriteAt;
        let mut writer = rntuple_object_store::ObjectWriter::create(&url, false, &options)?;
        writer.write_at(0, &[std::io::IoSlice::new(&sample())])?;
        writer.publish()
    };
    if std::env::var_os("RNTUPLE_TEST_WRITES").is_some()
        && let Err(error) = write()
    {
        return println!("failed: {error}");
    }
    let read = ObjectFile::open(&url, &options).map_err(|error| error.to_string());
    match read.and_then(|file| read_events(file).map_err(|error| error.to_string())) {
        Ok(count) => println!("read {count}"),
        Err(error) => println!("failed: {error}"),
    }
}

/// Runs the child with these variables of stores and no others.
fn run(url: &str, variables: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "objects::environment::child", "--ignored", "--nocapture"]);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
    // Google's credentials may be in a file of the user.
    let home = tempfile::tempdir().unwrap();
    command.env("HOME", home.path()).env("no_proxy", "*").env("RNTUPLE_TEST_URL", url);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    match text.split_once("failed: ") {
        Some((_, error)) => Err(error.lines().next().unwrap().to_owned()),
        None => {
            assert!(text.contains(&format!("read {}", SAMPLE.count())), "{text}");
            Ok(())
        }
    }
}

fn without<'a>(variables: &[(&'a str, &'a str)], name: &str) -> Vec<(&'a str, &'a str)> {
    variables.iter().filter(|(other, _)| *other != name).copied().collect()
}

#[test]
fn azure() {
    let Some(server) = Azurite::start() else { return };
    server.create_container("events").unwrap();
    let endpoint = format!("http://{}/{AZURITE_ACCOUNT}", server.address());
    let variables = [
        ("AZURE_STORAGE_ENDPOINT", &*endpoint),
        ("AZURE_STORAGE_ACCOUNT_NAME", AZURITE_ACCOUNT),
        ("AZURE_STORAGE_ACCOUNT_KEY", AZURITE_KEY),
        ("AZURE_ALLOW_HTTP", "true"),
        ("RNTUPLE_TEST_WRITES", "1"),
    ];
    let url = "az://events/a.root";
    run(url, &variables).unwrap();
    // The server compares signatures.
    let wrong =
        [without(&variables, "AZURE_STORAGE_ACCOUNT_KEY"), vec![("AZURE_STORAGE_ACCOUNT_KEY", "bm9uZQ==")]];
    let error = run(url, &wrong.concat()).unwrap_err();
    assert!(error.contains("are the credentials those of this store?"), "{error}");
    let error = run(url, &without(&variables, "AZURE_STORAGE_ACCOUNT_KEY")).unwrap_err();
    assert!(error.contains("AZURE_STORAGE_ACCOUNT_KEY"), "{error}");
    let error = run(url, &without(&variables, "AZURE_STORAGE_ACCOUNT_NAME")).unwrap_err();
    assert!(error.contains("AZURE_STORAGE_ACCOUNT_NAME"), "{error}");
    assert!(run(url, &[]).unwrap_err().contains("AZURE_STORAGE_ACCOUNT_NAME"));
}

/// The account of a server that asks for no signature: what is in its file is used.
fn account(endpoint: &str) -> String {
    format!(
        r#"{{"gcs_base_url":"{endpoint}","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}}"#
    )
}

#[test]
fn google_cloud_storage() {
    let url = "gs://events/a.root";
    if let Some(server) = FakeGcs::start() {
        server.create_bucket("events").unwrap();
        server.put("events", "a.root", &sample()).unwrap();
        let open = [
            ("GOOGLE_BASE_URL", &*server.endpoint()),
            ("GOOGLE_SKIP_SIGNATURE", "true"),
            ("GOOGLE_ALLOW_HTTP", "true"),
        ];
        run(url, &open).unwrap();
        let error = run(url, &without(&open, "GOOGLE_SKIP_SIGNATURE")).unwrap_err();
        assert!(error.contains("GOOGLE_SERVICE_ACCOUNT"), "{error}");

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("account.json");
        std::fs::write(&file, account(&server.endpoint())).unwrap();
        let file = file.to_str().unwrap();
        for name in ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH"] {
            run(url, &[(name, file), ("GOOGLE_ALLOW_HTTP", "true")]).unwrap();
        }
        run(
            url,
            &[("GOOGLE_SERVICE_ACCOUNT_KEY", &account(&server.endpoint())), ("GOOGLE_ALLOW_HTTP", "true")],
        )
        .unwrap();
        let none = folder.path().join("none.json");
        let error = run(url, &[("GOOGLE_SERVICE_ACCOUNT", none.to_str().unwrap())]).unwrap_err();
        assert!(error.contains("none.json"), "{error}");
    }
    let error = run(url, &[]).unwrap_err();
    assert!(error.contains("GOOGLE_SERVICE_ACCOUNT"), "{error}");
}

/// A key of S3 is in the signature of each request, and a token next to it.
#[test]
fn s3() {
    let server = server();
    let endpoint = format!("http://{}", server.address());
    let variables = [
        ("AWS_ENDPOINT_URL", &*endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "KEY"),
        ("AWS_SECRET_ACCESS_KEY", "SECRET"),
        ("AWS_SESSION_TOKEN", "TOKEN"),
    ];
    let url = "s3://bucket/events.root";
    run(url, &variables).unwrap();
    let is_signed = |server: &FileServer| {
        let requests = server.take_requests();
        assert!(!requests.is_empty());
        requests.iter().all(|request| {
            request.header("authorization").is_some_and(|text| text.contains("Credential=KEY/"))
                && request.header("x-amz-security-token") == Some("TOKEN")
        })
    };
    assert!(is_signed(&server));
    let error = run(url, &variables[..3]).unwrap_err();
    assert!(error.contains("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), "{error}");
    assert!(server.take_requests().is_empty(), "nothing is asked for without a signature");
    run(url, &[&variables[..3], &[("AWS_SKIP_SIGNATURE", "true")]].concat()).unwrap();
    assert!(!is_signed(&server));
}
