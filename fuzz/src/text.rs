//! Predicates as text.

use rntuple::predicate::Predicate;

/// Reads a predicate; what can be read can be printed, and then means the same.
pub(crate) fn predicate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(predicate) = text.parse::<Predicate>() {
        let printed = predicate.to_string();
        let again = printed.parse::<Predicate>().map(|again| again.to_string());
        assert_eq!(again.ok(), Some(printed), "a predicate as text");
    }
}

/// Some of each part of the language.
pub(crate) fn predicates() -> Vec<Vec<u8>> {
    let texts = [
        "met > 50 and any(muons, pt > 20 and abs(eta) < 2.4)",
        "not (trigger in (\"e24\", 'mu\\u{7f}') or weight is null) && !good",
        "count(jets, all(hits, item != -3.5e2)) between 2 and size(muons)",
        "`a ``name`.`and` >= inf || x not in (nan, 1, true) or y is not null",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
