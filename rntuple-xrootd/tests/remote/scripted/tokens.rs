//! Bearer tokens: where they are found, and to which servers they go.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use rntuple_xrootd::XrootdFile;

use super::server::{AUTH, LOGIN, OPEN, PROTOCOL, Then, serve};
use super::{check, data, options};
use crate::certificates::certificates;

/// What came as a proof of who the client is.
type Given = Arc<Mutex<Vec<Vec<u8>>>>;

/// A server that asks for a token, and accepts each; it has TLS if there is a folder of certificates.
fn serve_to_bearers(certificates: Option<PathBuf>) -> (u16, Given) {
    serve_to(certificates, "&P=gsi,v:1&P=ztn,0:4096:", &[])
}

/// A server with these methods, which does not accept some of them, and opens no file if `open` is one of those.
fn serve_to(
    certificates: Option<PathBuf>,
    methods: &'static str,
    refused: &'static [&'static str],
) -> (u16, Given) {
    let given = Given::default();
    let seen = given.clone();
    let port = serve(data(), move |peer, asked| {
        match asked.code {
            PROTOCOL => {
                let tls = certificates.as_ref().filter(|_| asked.flags() & 4 != 0);
                let has_tls = if certificates.is_some() { 0x8000_0000 } else { 0 };
                let flags: u32 = 0x20_0001 | has_tls | if tls.is_some() { 0x4000_0000 } else { 0 };
                peer.answer(asked.stream, 0, &[&0x511u32.to_be_bytes()[..], &flags.to_be_bytes()].concat());
                if let Some(folder) = tls {
                    peer.start_tls(folder);
                }
            }
            LOGIN => peer.answer(asked.stream, 0, &[&[7; 16][..], methods.as_bytes(), b"\0"].concat()),
            AUTH => {
                seen.lock().unwrap().push(asked.payload.clone());
                match refused.iter().find(|method| asked.payload.starts_with(method.as_bytes())) {
                    Some(method) => peer.error(asked, 3030, &format!("no {method} for you")),
                    None => peer.answer(asked.stream, 0, b""),
                }
            }
            OPEN if refused.contains(&"open") => peer.error(asked, 3010, "not permitted"),
            _ => return Then::Usual,
        }
        Then::Answered
    });
    (port, given)
}

/// A token, as it is sent.
fn sent(token: &str) -> Vec<u8> {
    [b"ztn\0\0T\0\0\0", &[token.len() as u8 + 1][..], token.as_bytes(), b"\0"].concat()
}

#[test]
fn a_token_is_given_over_tls_and_never_in_plain_text() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let options = options().ca_file(folder.path().join("ca.pem")).token("to.k.en");
    let (port, given) = serve_to_bearers(Some(folder.path().to_owned()));
    for scheme in ["root", "roots"] {
        check(&XrootdFile::open(&format!("{scheme}://localhost:{port}//x"), &options).unwrap());
    }
    let given = given.lock().unwrap();
    assert!(given.len() >= 2 && given.iter().all(|bytes| *bytes == sent("to.k.en")), "{given:?}");

    // A server that has no TLS gets none, whatever it asks for.
    let (port, given) = serve_to_bearers(None);
    for scheme in ["root", "roots"] {
        let url = format!("{scheme}://localhost:{port}//x");
        let error = XrootdFile::open(&url, &options).unwrap_err().to_string();
        assert!(error.contains("TLS") || error.contains("roots://"), "{error}");
        assert!(!error.contains("to.k.en"), "{error}");
    }
    assert!(given.lock().unwrap().is_empty(), "{given:?}");
}

/// With `ztn` and others.
const METHODS: &str = "&P=ztn,0:4096:&P=gsi,v:1&P=unix&P=host";

#[test]
fn after_a_refused_token_that_was_not_named_the_next_method_is_used() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    fs::write(folder.path().join(format!("bt_u{}", user())), "to.k.en").unwrap();
    let variables = [("XDG_RUNTIME_DIR", folder.path().as_os_str()), ("USER", OsStr::new("me"))];
    let proofs = [sent("to.k.en"), b"unix\0me\0".to_vec(), b"host\0".to_vec()];
    let open = |refused: &'static [&'static str]| {
        let (port, given) = serve_to(Some(folder.path().to_owned()), METHODS, refused);
        let text = run_child(port, folder.path(), &variables);
        (text, given.lock().unwrap().clone())
    };

    let (text, given) = open(&["ztn"]);
    assert!(!text.contains("refused: "), "{text}");
    // Another connection may be made as well.
    assert!(given.starts_with(&proofs[..2]), "{given:?}");

    // What was wrong with the token may be why access is refused.
    let (text, given) = open(&["ztn", "open"]);
    assert!(text.contains("\"not permitted\" (NotAuthorized, 3010)"), "{text}");
    let expected = "; before that, at the login: the server refused `ztn`: \"no ztn for you\"";
    assert!(text.contains(expected), "{text}");
    assert_eq!(given, proofs[..2]);
    let (text, _) = open(&["open"]);
    assert!(text.contains("\"not permitted\"") && !text.contains("before that"), "{text}");

    // Where none is left, the first refusal is the error.
    let (text, given) = open(&["ztn", "unix", "host"]);
    assert!(text.contains("kXR_login: the server says \"no ztn for you\""), "{text}");
    assert_eq!(given, proofs);
}

#[test]
fn the_refusal_of_a_token_that_was_named_is_the_error() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let options = options().ca_file(folder.path().join("ca.pem")).token("to.k.en").user("me").connections(1);
    let (port, given) = serve_to(Some(folder.path().to_owned()), METHODS, &["ztn"]);
    let error = XrootdFile::open(&format!("roots://localhost:{port}//x"), &options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
    assert!(error.to_string().contains("kXR_login: the server says \"no ztn for you\""), "{error}");
    assert_eq!(*given.lock().unwrap(), [sent("to.k.en")]);
}

#[test]
fn a_token_is_sent_over_tls_after_another_method_was_refused_without() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let options = options().ca_file(folder.path().join("ca.pem")).token("to.k.en").user("me").connections(1);
    let (port, given) = serve_to(Some(folder.path().to_owned()), "&P=unix&P=ztn,0:4096:", &["unix"]);
    check(&XrootdFile::open(&format!("root://localhost:{port}//x"), &options).unwrap());
    let unix = b"unix\0me\0".to_vec();
    assert_eq!(*given.lock().unwrap(), [unix.clone(), unix, sent("to.k.en")]);
}

/// The URL does not say that TLS is needed, and the first server does.
#[test]
fn a_token_in_a_url_is_not_repeated_in_plain_text_after_tls() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let options = options().ca_file(folder.path().join("ca.pem")).connections(1);
    let paths: Arc<Mutex<Vec<String>>> = Arc::default();
    let plain = {
        let paths = paths.clone();
        serve(data(), move |_, asked| {
            if asked.code == OPEN {
                paths.lock().unwrap().push(String::from_utf8_lossy(&asked.payload).into_owned());
            }
            Then::Usual
        })
    };
    let path = folder.path().to_owned();
    let first = serve(data(), move |peer, asked| {
        match asked.code {
            PROTOCOL => {
                let flags = 0xC020_0001u32.to_be_bytes();
                peer.answer(asked.stream, 0, &[&0x511u32.to_be_bytes()[..], &flags].concat());
                peer.start_tls(&path);
            }
            OPEN => peer.redirect(asked, plain, "127.0.0.1?cap=1"),
            _ => return Then::Usual,
        }
        Then::Answered
    });
    let url = format!("root://localhost:{first}//x");
    let error = XrootdFile::open(&format!("{url}?authz=SECRET"), &options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
    assert!(error.to_string().contains("does not offer TLS"), "{error}");
    assert_eq!(*paths.lock().unwrap(), [""; 0]);
    // What grants no access may be read by anyone. What the redirection contains is for the next server, with TLS or without.
    for (query, path) in [("", "/x?cap=1"), ("?eos.app=test", "/x?eos.app=test&cap=1")] {
        check(&XrootdFile::open(&format!("{url}{query}"), &options).unwrap());
        assert_eq!(std::mem::take(&mut *paths.lock().unwrap()), [path]);
    }
}

/// What tests below start in a process of its own.
#[test]
#[ignore = "a part of another test"]
fn child() {
    let Ok(url) = std::env::var("RNTUPLE_TEST_URL") else { return };
    let authority = std::env::var_os("RNTUPLE_TEST_AUTHORITY").unwrap();
    let options = options().ca_file(authority);
    match XrootdFile::open(&url, &options) {
        Ok(file) => check(&file),
        Err(error) => println!("refused: {error}"),
    }
}

/// What a process with these variables says, which reads the file of the server at a port. The certificates are in a
/// folder.
fn run_child(port: u16, folder: &Path, variables: &[(&str, &OsStr)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "scripted::tokens::child", "--ignored", "--nocapture"])
        .env_remove("BEARER_TOKEN")
        .env_remove("BEARER_TOKEN_FILE")
        .env("XDG_RUNTIME_DIR", folder.join("none"))
        .env("RNTUPLE_TEST_URL", format!("roots://localhost:{port}//x"))
        .env("RNTUPLE_TEST_AUTHORITY", folder.join("ca.pem"))
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // A test of another name would pass as none does.
    let is_done = output.status.success() && text.contains("1 passed");
    assert!(is_done, "{text} {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// What a server with these methods and the certificates in a folder was given by a process with these variables, or
/// why that did not ask it for the file.
fn run(folder: &Path, methods: &'static str, variables: &[(&str, &OsStr)]) -> Result<Vec<u8>, String> {
    let (port, given) = serve_to(Some(folder.to_owned()), methods, &[]);
    let text = run_child(port, folder, variables);
    match text.split_once("refused: ") {
        Some((_, error)) => {
            assert!(given.lock().unwrap().is_empty(), "{error}");
            Err(error.to_owned())
        }
        None => Ok(given.lock().unwrap().first().cloned().unwrap()),
    }
}

/// The number of the user of this process.
fn user() -> u32 {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap())
}

/// A server may accept others than those with a token.
#[test]
fn a_file_that_was_not_named_and_has_no_token_leaves_the_next_method() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let file = folder.path().join(format!("bt_u{}", user()));
    fs::write(&file, " \n").unwrap();
    let usual = ("XDG_RUNTIME_DIR", folder.path().as_os_str());
    let given = run(folder.path(), "&P=ztn,0:4096:&P=unix", &[usual]).unwrap();
    assert!(given.starts_with(b"unix\0"), "{given:?}");
    // It is an error where there is no other method, and where the user has named the file.
    let named = ("BEARER_TOKEN_FILE", file.as_os_str());
    for (methods, variable) in [("&P=ztn,0:4096:", usual), ("&P=ztn,0:4096:&P=unix", named)] {
        let error = run(folder.path(), methods, &[variable]).unwrap_err();
        assert!(error.contains(&*file.to_string_lossy()) && error.contains("it is empty"), "{error}");
    }
}

#[test]
fn tokens_are_found_where_the_environment_says() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let path = |name: &str| folder.path().join(name);
    let run = |variables: &[(&str, &OsStr)]| run(folder.path(), "&P=gsi,v:1&P=ztn,0:4096:", variables);
    let user = user();
    fs::create_dir(path("run")).unwrap();
    fs::write(path("run").join(format!("bt_u{user}")), "\n from.run \t\n").unwrap();
    fs::write(path("named"), "  from.file\r\n\n").unwrap();
    fs::write(path("empty"), " \n").unwrap();
    fs::write(path("binary"), [0xff, 0xfe, 0x80]).unwrap();

    let token = ("BEARER_TOKEN", OsStr::new(" from.variable\n"));
    let (named, runtime) = (path("named"), path("run"));
    let named = ("BEARER_TOKEN_FILE", named.as_os_str());
    let runtime = ("XDG_RUNTIME_DIR", runtime.as_os_str());
    // The first place that has one counts, without the space around it.
    assert_eq!(run(&[token, named, runtime]), Ok(sent("from.variable")));
    assert_eq!(run(&[named, runtime]), Ok(sent("from.file")));
    assert_eq!(run(&[("BEARER_TOKEN", OsStr::new(" ")), named, runtime]), Ok(sent("from.file")));
    assert_eq!(run(&[runtime]), Ok(sent("from.run")));
    assert_eq!(run(&[("BEARER_TOKEN_FILE", OsStr::new("")), runtime]), Ok(sent("from.run")));
    // A file that is named counts, whatever is wrong with it.
    for (name, why) in
        [("empty", "it is empty"), ("binary", "UTF-8"), ("run", "directory"), ("no", "No such")]
    {
        let error = run(&[("BEARER_TOKEN_FILE", path(name).as_os_str()), runtime]).unwrap_err();
        assert!(error.contains(&*path(name).to_string_lossy()) && error.contains(why), "{error}");
    }
    // Where there is none at all, the error says what to do. A file in /tmp is not the affair of this test.
    if !Path::new(&format!("/tmp/bt_u{user}")).exists() {
        let error = run(&[]).unwrap_err();
        assert!(error.contains("give a bearer token (BEARER_TOKEN, or the option `token`)"), "{error}");
    }
}
