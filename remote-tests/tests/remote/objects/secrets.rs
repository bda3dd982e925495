//! What grants access is shown nowhere, and sent to those alone that it is for.

use std::fs;
use std::time::Duration;

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::storage::Cache;
use rntuple::{Files, ReadOptions, Reader, RootFile, WriteOptions, Writer};
use rntuple_object_store::{ObjectFile, ObjectWriter, Options};
use rntuple_remote_tests::http::{Fault, FileServer, Rule};
use rntuple_remote_tests::sample::{Event, Events};
use rntuple_remote_tests::servers::Nginx;

use super::store::{PATH, SAMPLE, quick, registered, s3, sample, server};
use crate::values::read_events;

const QUERY: &str = "?X-Amz-Signature=SECRET&authz=SECRET%20x";

fn assert_hidden(text: &str) {
    assert!(!text.contains("SECRET"), "{text}");
}

#[test]
fn a_query_is_sent_and_not_shown() {
    let server = server();
    let url = server.url(PATH) + QUERY;
    let _registered = registered(quick());
    let file = ObjectFile::open(&url, &quick()).unwrap();
    assert_hidden(&format!("{file:?}"));
    let reader = Reader::<Event>::open(&*url, Events::NAME).unwrap();
    assert_hidden(&format!("{:?}", reader.dataset(0).unwrap()));
    assert_eq!(read_events(&*url).unwrap(), SAMPLE.count());
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.path == format!("{PATH}{QUERY}")), "{requests:?}");
    assert!(requests.iter().all(|request| request.header("authorization").is_none()));

    // Not where a redirection leads, either, whose URL says what is needed there.
    let other = FileServer::start([(PATH, sample())]).unwrap();
    server.add(Rule::new(Fault::Redirect(other.url(PATH))));
    read_events(ObjectFile::open(&url, &quick()).unwrap()).unwrap();
    let sent = other.requests();
    assert!(!sent.is_empty());
    sent.iter().for_each(|request| assert_hidden(&format!("{request:?}")));

    // The faults that do not depend on the path.
    for skip in [0, 1] {
        for fault in [
            Fault::status(403).into(),
            Fault::status(404).into(),
            Fault::status(500).into(),
            Fault::status(503).retry_after(1_000).into(),
            Fault::Silence,
            Fault::Hangup,
            Fault::Redirect(url.clone()),
            Fault::Redirect(format!("http://127.0.0.1:1/{QUERY}")),
        ] {
            server.clear_rules();
            server.add(Rule::new(fault).skip(skip));
            let error = read_events(
                ObjectFile::open(&url, &quick().retries(0).stall_timeout(Duration::from_millis(200)))
                    .map_err(|error| assert_hidden(&format!("{error} {error:?}")))
                    .map_or_else(|()| Files::from(server.url("/none")), Files::from),
            )
            .unwrap_err();
            assert_hidden(&format!("{error} {error:?}"));
        }
    }
    for url in [
        "http://[::1?sig=SECRET",
        "http://host:99999/?sig=SECRET",
        "s3://bucket/a?sig=SECRET",
        "gopher://x/?SECRET",
    ] {
        let error = ObjectFile::open(url, &quick()).unwrap_err();
        assert_hidden(&format!("{error} {error:?}"));
        let error = ObjectWriter::create(url, false, &quick()).unwrap_err();
        assert_hidden(&format!("{error} {error:?}"));
    }
}

/// What the core says of a URL before it is open, or cannot be opened, or of a pattern.
#[test]
fn a_query_is_not_shown_by_the_core() {
    let server = server();
    let _registered = registered(quick().retries(0));
    let url = |path: &str| server.url(path) + QUERY;
    let cached = ReadOptions::new().cache(&Cache::new(1 << 20));
    let texts = [
        format!("{:?}", Files::from(url(PATH))),
        format!("{:?}", Reader::<Event>::open(url(PATH), Events::NAME).unwrap()),
        Reader::<Event>::open(url("/none"), Events::NAME).unwrap_err().to_string(),
        Reader::<Event>::open_with(url("/none"), Events::NAME, cached).unwrap_err().to_string(),
        RootFile::open(url("/none")).unwrap_err().to_string(),
        Files::glob(&(url("/*.root") + "*")).unwrap_err().to_string(),
        Writer::<Event>::create(url(PATH), Events::NAME, WriteOptions::new())
            .map(drop)
            .unwrap_err()
            .to_string(),
        Writer::<Event>::append(url(PATH), Events::NAME, WriteOptions::new())
            .map(drop)
            .unwrap_err()
            .to_string(),
        merge_files(&[Input::file(url("/none"))], "out.root", MergeOptions::new()).unwrap_err().to_string(),
    ];
    let shown: Vec<_> = texts.iter().filter(|text| text.contains("SECRET")).collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn options_show_no_secrets() {
    let options =
        s3("http://host", Options::new()).config("aws_session_token", "SECRET").bearer_token("SECRET");
    assert_hidden(&format!("{options:?}"));
    // A token that no header can have.
    let error = ObjectFile::open("https://127.0.0.1:1/x", &quick().bearer_token("SECRET\n")).unwrap_err();
    assert_hidden(&format!("{error} {error:?}"));
    let error = ObjectFile::open("https://user:SECRET@127.0.0.1:1/x", &quick()).unwrap_err();
    assert_hidden(&format!("{error} {error:?}"));
    // A URL that is none.
    let error = ObjectFile::open("s3://b/x", &s3("SECRET", quick())).unwrap_err().to_string();
    assert_eq!(error, "the endpoint of the store is not an http:// or https:// URL");
    let error =
        ObjectFile::open("s3://b/x", &s3("http://x", quick()).config("aws_endpiont", "SECRET")).unwrap_err();
    assert_eq!(error.to_string(), "`object_store` has no configuration key \"aws_endpiont\"");
    let error =
        ObjectFile::open("s3://b/x", &s3("http://x", quick()).config("aws_allow_http", "false")).unwrap_err();
    assert!(error.to_string().contains("`AWS_ALLOW_HTTP=true` for S3"), "{error}");
}

#[test]
fn a_token_goes_to_encrypted_servers_only() {
    let plain = server();
    // To whom nothing may be sent.
    let Some(other) = Nginx::start_with("if ($http_authorization) { return 403; }") else { return };
    let rules = format!(
        "if ($http_authorization != \"Bearer SECRET\") {{ return 401; }}\n\
         location /plain {{ return 302 {}; }}\n\
         location /other {{ return 302 {}; }}\n",
        plain.url(PATH),
        other.tls_url(PATH),
    );
    let Some(server) = Nginx::start_with(&rules) else { return };
    for server in [&server, &other] {
        fs::write(server.folder().join(&PATH[1..]), sample()).unwrap();
    }
    let authorities = [&server, &other].map(|server| fs::read(server.authority()).unwrap());
    let options = authorities.into_iter().fold(quick(), Options::ca_certificate);
    let with_token = options.clone().bearer_token("SECRET");
    let open = |url: &str, options: &Options| ObjectFile::open(url, options).map(read_events);

    let error = open(&server.tls_url(PATH), &options).unwrap_err();
    assert!(error.to_string().contains("asks for credentials"), "{error}");
    assert_eq!(open(&server.tls_url(PATH), &with_token).unwrap().unwrap(), SAMPLE.count());
    // It would be sent in clear.
    let error = open(&server.url(PATH), &with_token).unwrap_err();
    assert!(error.to_string().contains("asks for credentials"), "{error}");
    open(&plain.url(PATH), &with_token).unwrap().unwrap();
    assert!(plain.take_requests().iter().all(|request| request.header("authorization").is_none()));
    // Another server is another party.
    open(&server.tls_url("/other"), &with_token).unwrap().unwrap();
    // From TLS to none.
    let error = open(&server.tls_url("/plain"), &with_token).unwrap_err().to_string();
    assert!(
        error.contains("the server redirects from https:// to http://, which is not followed"),
        "{error}"
    );
    assert!(plain.take_requests().is_empty());
}
