//! What the inputs say of types, beyond their fields.

use std::collections::{HashMap, HashSet};

use crate::schema::ExtraTypeInfo;

/// Extra type information that is ROOT's streamer information.
const STREAMER_INFO: u32 = 0;

/// The records of all inputs, each once.
#[derive(Debug, Default)]
pub(super) struct TypeInfo {
    pub(super) records: Vec<ExtraTypeInfo>,
    /// What they are about, with the version where that means something, and their contents.
    seen: HashSet<(u32, String, Option<u32>, Vec<u8>)>,
    /// By name: the versions of streamer information.
    versions: HashMap<String, Versions>,
}

/// Versions that records of one name have.
#[derive(Debug, Default)]
struct Versions {
    taken: HashSet<u32>,
    /// All before this one are taken.
    next: u32,
}

impl TypeInfo {
    /// Adds what an input says of types, unless others have said it.
    ///
    /// ROOT refuses an ntuple with two records of one id, version and name, whatever their contents. It takes all
    /// records of streamer information, whose version and name mean nothing (format, section 5.6): those of other
    /// contents get other versions.
    pub(super) fn add(&mut self, info: &ExtraTypeInfo) {
        let is_streamer_info = info.content_id == STREAMER_INFO;
        let version = (!is_streamer_info).then_some(info.type_version);
        if !self.seen.insert((info.content_id, info.type_name.clone(), version, info.content.clone())) {
            return;
        }
        let mut info = info.clone();
        if is_streamer_info {
            info.type_version =
                self.versions.entry(info.type_name.clone()).or_default().take(info.type_version);
        }
        self.records.push(info);
    }
}

impl Versions {
    /// Takes this version, or the first one that is free.
    fn take(&mut self, version: u32) -> u32 {
        let mut version = version;
        while !self.taken.insert(version) {
            version = self.next;
            self.next = self.next.saturating_add(1);
        }
        version
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: u32, version: u32, content: &[u8]) -> ExtraTypeInfo {
        ExtraTypeInfo::new(id, version, String::new(), content.into())
    }

    #[test]
    fn streamer_information_of_different_inputs_stays_apart() {
        let mut known = TypeInfo::default();
        // The fourth is that of a merged file, which has the second one's content.
        for content in
            [info(0, 0, b"a"), info(0, 0, b"b"), info(0, 0, b"a"), info(0, 1, b"b"), info(0, 1, b"c")]
        {
            known.add(&content);
        }
        assert_eq!(known.records, [info(0, 0, b"a"), info(0, 1, b"b"), info(0, 2, b"c")]);
        // What it means elsewhere is not known: it stays as it is.
        for content in [info(7, 3, b"a"), info(7, 3, b"a"), info(7, 4, b"a")] {
            known.add(&content);
        }
        assert_eq!(known.records[3..], [info(7, 3, b"a"), info(7, 4, b"a")]);
    }

    #[test]
    fn versions_that_are_free_are_taken_in_order() {
        let mut known = TypeInfo::default();
        for (version, taken) in [(2, 2), (2, 0), (0, 1), (1, 3), (5, 5), (5, 4), (5, 6), (u32::MAX, u32::MAX)]
        {
            let content = known.records.len().to_le_bytes();
            known.add(&info(0, version, &content));
            assert_eq!(known.records.last(), Some(&info(0, taken, &content)));
        }
    }
}
