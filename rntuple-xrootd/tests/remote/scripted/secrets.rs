//! What is secret is not shown.

use rntuple_xrootd::{XrootdFile, XrootdWriter};

use super::server::{OPEN, Then, serve};
use super::{data, options};

#[test]
fn no_secret_is_shown_by_debug() {
    let last = serve(data(), |_, _| Then::Usual);
    // What the next server gets with each request, and at the login.
    let port = serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        peer.redirect(asked, last, "127.0.0.1?cap=SECRET?SECRET");
        Then::Answered
    });
    let (url, options) =
        (format!("root://me:SECRET@127.0.0.1:{port}//x?authz=SECRET"), options().token("SECRET"));
    let file = XrootdFile::open(&url, &options).unwrap();
    let writer = XrootdWriter::create(&url, &options).unwrap();
    #[cfg_attr(not(feature = "object-store"), expect(unused_mut, reason = "there is no store"))]
    let mut shown = vec![format!("{file:#?}"), format!("{writer:#?}"), format!("{options:#?}")];
    #[cfg(feature = "object-store")]
    shown.push(format!("{:#?}", rntuple_xrootd::object_store::XrootdStore::new(&url, &options).unwrap()));
    for text in shown {
        assert!(!text.contains("SECRET"), "{text}");
        assert!(text.contains("127.0.0.1") || text.contains("(secret)"), "{text}");
    }
}
