//! What was found out about each field of each file.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::json::member;

/// How a reader's answer relates to what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It is that.
    Same,
    /// It differs in a way that is foreseen: a known fault of the reader.
    Known,
    /// There is none, for a reason that is foreseen.
    Unread,
    /// It differs.
    Different,
}

impl Verdict {
    /// The character in the table.
    pub(crate) fn mark(self) -> char {
        match self {
            Self::Same => '=',
            Self::Known => '~',
            Self::Unread => '-',
            Self::Different => 'X',
        }
    }
}

/// A verdict and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) verdict: Verdict,
    /// Known faults and limits, in sentences.
    pub(crate) reasons: Vec<String>,
    /// What the reader said, or where the difference is.
    pub(crate) detail: String,
}

impl Finding {
    pub(crate) fn same() -> Self {
        Self { verdict: Verdict::Same, reasons: Vec::new(), detail: String::new() }
    }

    pub(crate) fn different(detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Different, reasons: Vec::new(), detail: detail.into() }
    }

    fn from_json(json: &Json) -> Self {
        let verdict = match member(json, "verdict").as_str() {
            Some("same") => Verdict::Same,
            Some("known") => Verdict::Known,
            Some("unread") => Verdict::Unread,
            _ => Verdict::Different,
        };
        Self { verdict, reasons: texts(member(json, "reasons")), detail: text(member(json, "detail")) }
    }
}

/// What one reader made of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileFindings {
    /// By path of the ntuple and name of the field.
    fields: BTreeMap<(String, String), Finding>,
    /// What is wrong with the file as a whole.
    pub(crate) different: Vec<String>,
    /// What is known to be wrong with the file as a whole.
    pub(crate) known: Vec<String>,
}

impl FileFindings {
    /// What the comparing script wrote about one file and one peer.
    pub(crate) fn from_json(json: &Json) -> Self {
        let mut fields = BTreeMap::new();
        for (path, found) in member(json, "fields").as_object().into_iter().flatten() {
            for (field, finding) in found.as_object().into_iter().flatten() {
                fields.insert((path.clone(), field.clone()), Finding::from_json(finding));
            }
        }
        let mut different = texts(member(json, "different"));
        if json.is_null() {
            different.push("the comparing script says nothing about it".to_owned());
        }
        Self { fields, different, known: texts(member(json, "known")) }
    }

    pub(crate) fn insert(&mut self, path: &str, field: &str, finding: Finding) {
        self.fields.insert((path.to_owned(), field.to_owned()), finding);
    }

    /// The finding about a field. A fault of the whole file is one of each field; a field that nobody spoke
    /// of differs.
    pub(crate) fn get(&self, path: &str, field: &str) -> Finding {
        if let Some(fault) = self.different.first() {
            return Finding::different(fault);
        }
        let found = self.fields.get(&(path.to_owned(), field.to_owned()));
        found.cloned().unwrap_or_else(|| Finding::different("nothing is said about it"))
    }
}

fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn texts(json: &Json) -> Vec<String> {
    json.as_array().into_iter().flatten().map(text).collect()
}
