//! Files with other objects than ntuples.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "what is wrong with it is a test's failure")]

/// The file with an object of another class, no longer than `ROOT::RNTuple`, in the place of the ntuple `name`.
#[allow(clippy::missing_panics_doc, reason = "for tests")]
pub fn with_class(mut bytes: Vec<u8>, name: &str, class: &str) -> Vec<u8> {
    const ANCHOR: &str = "ROOT::RNTuple";
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let from = [text(ANCHOR), text(name), text("")].concat();
    // The title takes what the class leaves.
    let title = " ".repeat(ANCHOR.len() - class.len());
    let to = [text(class), text(name), text(&title)].concat();
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&from)).collect();
    assert_eq!(places.len(), 2, "the key and the list of keys");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(&to);
    }
    bytes
}
