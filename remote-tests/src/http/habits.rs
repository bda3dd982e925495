//! What a server does in every answer.

/// How a server behaves. The default is a server without fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Habits {
    /// The e-tag of files. Default: strong.
    pub e_tag: ETag,
    /// Whether answers have `Last-Modified`. Default: yes.
    pub last_modified: bool,
    /// Whether the server obeys `If-Match` and `If-Unmodified-Since`. Default: yes.
    pub conditions: bool,
    /// Whether the server obeys `Range`. Without it every answer is the whole file, with status 200. Default: yes.
    pub ranges: bool,
    /// Whether the server obeys `bytes=-n`. Without it the answer is the whole file. Default: yes.
    pub suffix_ranges: bool,
    /// Whether a header counts only under the usual spelling of its name, `Range` but not `range`: as in XRootD before
    /// 5.7. Default: no.
    pub case_sensitive: bool,
    /// Whether a connection serves more than one request. Default: yes.
    pub keep_alive: bool,
    /// Whether the server lists folders, by WebDAV. Default: no.
    pub lists: bool,
    /// The token that requests must have: without one the answer is 401, with another it is 403. Default: none.
    pub token: Option<String>,
}

/// What the server calls a version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ETag {
    /// A tag for each version.
    Strong,
    /// A tag for each version, marked as weak: `If-Match` never holds for it.
    Weak,
    /// A tag made of the size: a version of the same size has the same tag.
    OfSize,
    /// No tag.
    None,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            e_tag: ETag::Strong,
            last_modified: true,
            conditions: true,
            ranges: true,
            suffix_ranges: true,
            case_sensitive: false,
            keep_alive: true,
            lists: false,
            token: None,
        }
    }
}

impl Habits {
    /// A server without fault.
    pub fn new() -> Self {
        Self::default()
    }

    /// The HTTP door of XRootD 5.5: no e-tag, no date, no conditions, names of headers as they are usually spelt, and
    /// no ranges from the end.
    pub fn xrootd() -> Self {
        Self {
            e_tag: ETag::None,
            last_modified: false,
            conditions: false,
            suffix_ranges: false,
            case_sensitive: true,
            ..Self::default()
        }
    }

    /// Sets the e-tag of files.
    pub fn e_tag(mut self, e_tag: ETag) -> Self {
        self.e_tag = e_tag;
        self
    }

    /// Sets whether answers have `Last-Modified`.
    pub fn last_modified(mut self, last_modified: bool) -> Self {
        self.last_modified = last_modified;
        self
    }

    /// Sets whether the server obeys `If-Match` and `If-Unmodified-Since`.
    pub fn conditions(mut self, conditions: bool) -> Self {
        self.conditions = conditions;
        self
    }

    /// Sets whether the server obeys `Range`.
    pub fn ranges(mut self, ranges: bool) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets whether names of headers count only under their usual spelling.
    pub fn case_sensitive(mut self, case_sensitive: bool) -> Self {
        self.case_sensitive = case_sensitive;
        self
    }

    /// Sets whether a connection serves more than one request.
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Sets whether the server lists folders.
    pub fn lists(mut self, lists: bool) -> Self {
        self.lists = lists;
        self
    }

    /// Requires `Authorization: Bearer <token>`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }
}
