//! What messages are made of: numbers with their nouns, lists that end, names that may be meant.

pub(crate) mod constant;

/// Names and differences that a message lists.
pub(crate) const NAMES_SHOWN: usize = 10;

/// Longer names are not compared: comparing takes the product of the lengths, and names come from strangers.
const LONGEST: usize = 64;

/// Names further back are not looked at.
const MOST_NAMES: usize = 10_000;

/// `1 entry`, `2 entries`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let is_vowel = |stem: &str| stem.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y').filter(|stem| !is_vowel(stem)) {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {noun}s"),
    }
}

/// `a, b, c and 7 more`: the first of `all` names.
pub(crate) fn list(names: impl IntoIterator<Item = String>, all: usize) -> String {
    let shown: Vec<String> = names.into_iter().take(NAMES_SHOWN).collect();
    let more = all.saturating_sub(shown.len());
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// The one of `names` that is meant by `written`: the same in other case, or else the nearest of those in which at
/// most a third of the letters differs.
pub(crate) fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    let length = wanted.chars().count();
    let limit = length / 3;
    let mut best: Option<(usize, &str)> = None;
    for name in names.into_iter().take(MOST_NAMES).filter(|name| *name != written) {
        // Neither reads far into a name that is long.
        let has = name.chars().take(LONGEST + 1).count();
        if length.max(has) > LONGEST || length.abs_diff(has) > limit {
            continue;
        }
        let name_in_case = name.to_lowercase();
        let distance = strsim::osa_distance(&wanted, &name_in_case);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_right_noun() {
        for (number, noun, text) in [
            (0, "entry", "0 entries"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
            (2, "array", "2 arrays"),
            (1, "key", "1 key"),
            (3, "key", "3 keys"),
            (2, "byte", "2 bytes"),
        ] {
            assert_eq!(counted(number, noun), text);
        }
    }

    #[test]
    fn lists_end() {
        let names = |count: usize| list((0..count).map(|number| number.to_string()), count);
        assert_eq!(names(1), "0");
        assert_eq!(names(3), "0, 1, 2");
        assert_eq!(names(10), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9");
        assert_eq!(names(1600), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1590 more");
    }

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["pt", "eta", "phi", "Muon_pt", "Muon_eta", "nMuon", "electrons", "tau", "gewählt"];
        for (written, meant) in [
            ("pT", Some("pt")),
            ("PT", Some("pt")),
            ("muon_pt", Some("Muon_pt")),
            ("Muon_ptt", Some("Muon_pt")),
            ("Moun_eta", Some("Muon_eta")),
            ("MuonPt", Some("Muon_pt")),
            ("electron", Some("electrons")),
            ("gewahlt", Some("gewählt")),
            // Other names rather than misspelled ones.
            ("px", None),
            ("met", None),
            ("x", None),
            ("", None),
            ("jets", None),
            // What is in the list is not misspelled.
            ("phi", None),
        ] {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
        assert_eq!(nearest("PT", ["Pt", "pt"]), Some("Pt"), "the first of equals");
        assert_eq!(
            nearest("muonpt", ["muonpx", "MuonPt"]),
            Some("MuonPt"),
            "other case is nearer than other letters"
        );
    }

    #[test]
    fn long_names_and_lists_cost_little() {
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&format!("{long}y"), [&*long]), None);
        assert_eq!(nearest("pT", std::iter::repeat_n(&*long, 20_000)), None);
        let far = std::iter::repeat_n("zz", MOST_NAMES).chain(["pt"]);
        assert_eq!(nearest("pT", far), None);
    }
}
