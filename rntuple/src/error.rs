//! One error type for the whole crate: what went wrong, where, and whose fault it is.

use std::borrow::Cow;
use std::sync::Arc;
use std::{fmt, io};

use crate::hidden::{Hidden, discards};
use crate::message::NAMES_SHOWN;

/// The result of anything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller can do about an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The storage failed: [`Error::io_error`] is the operating system's error.
    Io,
    /// The bytes break a rule of the format: the file is damaged or its writer is at fault.
    OutOfSpec,
    /// The file is sound, but uses something that this crate cannot read.
    Unsupported,
    /// The file needs a Cargo feature that this build leaves out.
    FeatureDisabled,
    /// The file does not hold what the Rust type asks for.
    SchemaMismatch,
    /// The caller asked for something impossible: a bad name, a bad option, a value out of range.
    InvalidArgument,
    /// A stated limit (of memory, of the format) would be passed.
    LimitExceeded,
    /// The file is not finished: its writer is still at work, or ended without finishing it.
    Unfinished,
    /// The file has no ntuple of this name.
    NotFound,
    /// A panic of the caller's code interrupted an entry, a unit or a context, whose entries are lost.
    Panicked,
}

/// Where an [`Error`] happened; every part is optional and is filled in by the layer that knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file's name, or what stands for it.
    pub file: Option<String>,
    /// The path of the ntuple inside the file.
    pub ntuple: Option<String>,
    /// The field's path, dots between the parts: `muons._0.pt`.
    pub field: Option<String>,
    /// Physical column id.
    pub column: Option<u64>,
    /// Cluster id.
    pub cluster: Option<u64>,
    /// Page number within the column and cluster.
    pub page: Option<u64>,
    /// Entry index.
    pub entry: Option<u64>,
    /// Offset in bytes: in the envelope where one is named, otherwise in the file.
    pub offset: Option<u64>,
    /// The envelope that the offset counts from, as it is after decompression: `header`.
    pub envelope: Option<&'static str>,
}

/// One difference between a Rust type and what a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The field's path, dots between the parts.
    pub field: String,
    /// What the file has there.
    pub found: String,
    /// What the Rust type wants there.
    pub wanted: String,
    /// What would make them agree, where that is known.
    pub help: Option<String>,
}

impl Mismatch {
    /// What is found, or wanted, where there is nothing.
    pub(crate) const NO_FIELD: &str = "no such field";

    pub(crate) fn new(field: String, found: impl Into<String>, wanted: impl Into<String>) -> Self {
        Self { field, found: found.into(), wanted: wanted.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, found, wanted, help } = self;
        let verb = if wanted == Self::NO_FIELD { "has" } else { "wants" };
        // The entry itself has no path.
        if !field.is_empty() {
            write!(f, "{field}: ")?;
        }
        write!(f, "the file has {found}, the type {verb} {wanted}")?;
        match help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// Anything that went wrong in this crate.
///
/// `Display` gives the whole text: where it happened, what happened, and what the operating system says about it.
/// So [`source`](std::error::Error::source) is not the operating system's error, whose text a report of the
/// chain (`{:#}` of the crate anyhow) would then print twice; [`io_error`](Self::io_error) returns that.
///
/// ```
/// use std::error::Error;
///
/// let error = rntuple::RootFile::open("no-such-file.root").unwrap_err();
/// assert_eq!(error.kind(), rntuple::ErrorKind::Io);
/// assert!(error.to_string().starts_with("no-such-file.root: "));
/// assert_eq!(error.io_error().unwrap().kind(), std::io::ErrorKind::NotFound);
/// assert!(error.source().is_none());
/// ```
pub struct Error(
    // Thin, so that results stay small; hidden, so that only this crate has the code that drops it.
    Box<Hidden<Inner>>,
);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    location: Location,
    /// Number of an element that is at fault, until the entry is known that it belongs to.
    element: Option<u64>,
    mismatches: Vec<Mismatch>,
    io: Option<Arc<io::Error>>,
}

discards!(Inner);

impl Clone for Error {
    fn clone(&self) -> Self {
        Self(Box::new(Hidden::clone(&self.0)))
    }
}

impl Error {
    /// An error of `kind` that says `message`: for crates that stand between this one and others.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self::that_says(kind, message.into())
    }

    fn that_says(kind: ErrorKind, message: Cow<'static, str>) -> Self {
        let inner = Inner {
            kind,
            message,
            location: Location::default(),
            element: None,
            mismatches: Vec::new(),
            io: None,
        };
        Self(Box::new(Hidden::new(inner)))
    }

    #[cold]
    pub(crate) fn out_of_spec(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::OutOfSpec, message)
    }

    #[cold]
    pub(crate) fn unsupported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    #[cold]
    pub(crate) fn invalid_argument(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    #[cold]
    pub(crate) fn panicked(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Panicked, message)
    }

    #[cold]
    pub(crate) fn limit(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::LimitExceeded, message)
    }

    /// All differences between a type and a file, in one error.
    #[cold]
    pub(crate) fn schema_mismatch(mismatches: Vec<Mismatch>) -> Self {
        let mut error = Self::new(ErrorKind::SchemaMismatch, "the file does not hold what the type asks for");
        error.0.mismatches = mismatches;
        error
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it happened.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// What went wrong, without the place and the [`mismatches`](Self::mismatches).
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Every difference between the type and the file, where the kind is
    /// [`SchemaMismatch`](ErrorKind::SchemaMismatch). `Display` shows the first ten.
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.0.mismatches
    }

    /// The error of the operating system, or of the storage, where the kind is [`Io`](ErrorKind::Io).
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.io.as_deref()
    }

    /// Whether storage took too long. It would do so again.
    pub(crate) fn is_late(&self) -> bool {
        self.io_error().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
    }

    /// The same error, that says something else.
    #[cold]
    pub(crate) fn rephrase(mut self, message: impl FnOnce(&str) -> String) -> Self {
        self.0.message = message(&self.0.message).into();
        self
    }

    /// The error of the whole ntuple that follows from this one: the place inside of it becomes a part of the text.
    #[cold]
    pub(crate) fn widen(mut self, message: impl FnOnce(&str) -> String) -> Self {
        let location = &mut self.0.location;
        let outside =
            Location { file: location.file.take(), ntuple: location.ntuple.take(), ..Location::default() };
        let message = message(&self.to_string());
        let inner = &mut *self.0;
        (inner.location, inner.element, inner.message) = (outside, None, message.into());
        inner.mismatches.clear();
        self
    }

    /// The error of an ntuple that has the one at fault as a part.
    #[cold]
    pub(crate) fn of_ntuple(mut self, path: &str) -> Self {
        self.0.location.ntuple = Some(path.to_owned());
        self
    }

    /// Fills in parts of the location that are still unknown: the layer nearest to the fault knows best.
    #[cold]
    fn locate<T>(mut self, part: impl FnOnce(&mut Location) -> &mut Option<T>, value: T) -> Self {
        part(&mut self.0.location).get_or_insert(value);
        self
    }

    pub(crate) fn in_file(self, name: &str) -> Self {
        self.locate(|l| &mut l.file, name.to_owned())
    }

    pub(crate) fn in_ntuple(self, path: &str) -> Self {
        self.locate(|l| &mut l.ntuple, path.to_owned())
    }

    /// The same error, of the field at `path`, if it does not name one yet.
    #[must_use]
    pub fn in_field(self, path: impl Into<String>) -> Self {
        self.locate(|l| &mut l.field, path.into())
    }

    /// The field that is known is a part of the field of this name.
    #[cold]
    pub(crate) fn below(mut self, name: &str) -> Self {
        let field = &mut self.0.location.field;
        *field = Some(match field.take() {
            Some(path) => format!("{name}.{path}"),
            None => name.to_owned(),
        });
        self
    }

    pub(crate) fn in_column(self, id: u64) -> Self {
        self.locate(|l| &mut l.column, id)
    }

    pub(crate) fn in_cluster(self, id: u64) -> Self {
        self.locate(|l| &mut l.cluster, id)
    }

    pub(crate) fn in_page(self, number: u64) -> Self {
        self.locate(|l| &mut l.page, number)
    }

    pub(crate) fn at_entry(self, index: u64) -> Self {
        self.locate(|l| &mut l.entry, index)
    }

    /// The fault is in element `number` of a page or column.
    #[cold]
    pub(crate) fn at_element(mut self, number: u64) -> Self {
        self.0.element = Some(number);
        self
    }

    /// See [`at_element`](Self::at_element).
    pub(crate) fn element(&self) -> Option<u64> {
        self.0.element
    }

    pub(crate) fn at_offset(self, offset: u64) -> Self {
        self.locate(|l| &mut l.offset, offset)
    }

    pub(crate) fn in_envelope(self, name: &'static str) -> Self {
        self.locate(|l| &mut l.envelope, name)
    }
}

impl From<io::Error> for Error {
    #[cold]
    fn from(error: io::Error) -> Self {
        let mut this = Self::new(ErrorKind::Io, error.to_string());
        this.0.io = Some(Arc::new(error));
        this
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { location: at, element, message, mismatches, .. } = &**self.0;
        if let Some(file) = &at.file {
            write!(f, "{file}: ")?;
        }
        if let Some(ntuple) = &at.ntuple {
            write!(f, "{ntuple}: ")?;
        }
        let mut parts = Vec::new();
        match (&at.page, &at.column, &at.field) {
            (Some(page), Some(column), Some(field)) => {
                parts.push(format!("page {page} of column {column} ({field})"));
            }
            (None, Some(column), Some(field)) => parts.push(format!("column {column} ({field})")),
            (Some(page), Some(column), None) => parts.push(format!("page {page} of column {column}")),
            (None, Some(column), None) => parts.push(format!("column {column}")),
            (_, None, Some(field)) => parts.push(field.clone()),
            (_, None, None) => {}
        }
        let element = element.filter(|_| at.entry.is_none());
        for (name, value) in [("cluster", at.cluster), ("entry", at.entry), ("element", element)] {
            if let Some(value) = value {
                parts.push(format!("{name} {value}"));
            }
        }
        match (at.offset, at.envelope) {
            (Some(offset), Some(envelope)) => {
                parts.push(format!("offset {offset} of the {envelope} envelope"))
            }
            (Some(offset), None) => parts.push(format!("offset {offset}")),
            (None, Some(envelope)) => parts.push(format!("{envelope} envelope")),
            (None, None) => {}
        }
        if !parts.is_empty() {
            write!(f, "{}: ", parts.join(", "))?;
        }
        // The error of a storage may name the file as well.
        let file = at.file.as_deref().filter(|file| !file.is_empty());
        let own = file.and_then(|file| message.strip_prefix(file)?.strip_prefix(": "));
        f.write_str(own.unwrap_or(message))?;
        for mismatch in mismatches.iter().take(NAMES_SHOWN) {
            write!(f, "\n  {mismatch}")?;
        }
        match mismatches.len().saturating_sub(NAMES_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {
    /// What caused the error of the storage: the text of that error itself is in `Display` already.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.io_error().and_then(std::error::Error::source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

    #[test]
    fn the_sentence_names_every_known_place() {
        let error = Error::out_of_spec("checksum differs")
            .in_page(12)
            .in_column(7)
            .in_field("muons._0.pt")
            .in_cluster(3)
            .at_offset(81920)
            .in_file("events.root");
        assert_eq!(
            error.to_string(),
            "events.root: page 12 of column 7 (muons._0.pt), cluster 3, offset 81920: checksum differs"
        );
    }

    #[test]
    fn the_innermost_place_wins() {
        let error = Error::out_of_spec("bad").at_offset(1).at_offset(2);
        assert_eq!(error.location().offset, Some(1));
    }

    #[test]
    fn an_offset_names_the_envelope_it_counts_from() {
        let error = Error::out_of_spec("bad").at_offset(81).in_envelope("header");
        assert_eq!(error.to_string(), "offset 81 of the header envelope: bad");
        assert_eq!(Error::out_of_spec("bad").in_envelope("footer").to_string(), "footer envelope: bad");
    }

    #[test]
    fn mismatches_stand_one_to_a_line() {
        let error = Error::schema_mismatch(vec![
            Mismatch::new("met".into(), "nothing", "f32"),
            Mismatch::new("muons._0.pt".into(), "a string", "f32"),
        ]);
        assert_eq!(
            error.to_string(),
            "the file does not hold what the type asks for\n  \
             met: the file has nothing, the type wants f32\n  \
             muons._0.pt: the file has a string, the type wants f32"
        );
    }

    #[test]
    fn a_mismatch_says_what_would_help() {
        let missing = Mismatch::new("pT".into(), Mismatch::NO_FIELD, "f32").with_help("did you mean `pt`?");
        assert_eq!(
            missing.to_string(),
            "pT: the file has no such field, the type wants f32; did you mean `pt`?"
        );
        let extra = Mismatch::new("time".into(), "float", Mismatch::NO_FIELD);
        assert_eq!(extra.to_string(), "time: the file has float, the type has no such field");
    }

    #[test]
    fn a_sentence_shows_ten_mismatches_and_the_error_keeps_all() {
        let mismatch = |number: usize| Mismatch::new(format!("field{number}"), Mismatch::NO_FIELD, "f32");
        let of = |count| Error::schema_mismatch((0..count).map(mismatch).collect());
        assert_eq!(
            of(10).to_string().lines().last(),
            Some("  field9: the file has no such field, the type wants f32")
        );
        let error = of(1600);
        assert_eq!(error.mismatches().len(), 1600);
        let text = error.to_string();
        assert_eq!(text.lines().count(), 12);
        assert_eq!(text.lines().last(), Some("  and 1590 more"));
    }

    /// Every level of the chain, as anyhow and others print it.
    fn chain(error: &dyn std::error::Error) -> Vec<String> {
        std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect()
    }

    #[test]
    fn the_chain_says_each_thing_once() {
        let io = io::Error::from_raw_os_error(2);
        let system = io.to_string();
        let error = Error::from(io).in_file("x.root");
        assert_eq!(chain(&error), [format!("x.root: {system}")]);
        assert_eq!(format!("{error:?}"), format!("Io: x.root: {system}"));
        assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
        assert_eq!(error.clone().io_error().unwrap().raw_os_error(), Some(2));

        #[derive(Debug)]
        struct ExtendError(io::Error);
        impl fmt::Display for ExtendError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the server refused the request")
            }
        }
        impl std::error::Error for ExtendError {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                Some(&self.0)
            }
        }
        // Of a storage of one's own: what it was caused by stays in the chain.
        let error = Error::from(io::Error::other(ExtendError(io::Error::other("quota"))));
        assert_eq!(chain(&error), ["the server refused the request", "quota"]);
    }

    #[test]
    fn an_error_rephrased_keeps_its_place() {
        let error = Error::from(io::Error::other("disk full")).at_offset(8).in_file("x.root");
        let error = error.rephrase(|message| format!("the {message}"));
        assert_eq!(error.to_string(), "x.root: offset 8: the disk full");
        let error = error.widen(|cause| format!("3 entries were lost: {cause}"));
        assert_eq!(error.to_string(), "x.root: 3 entries were lost: offset 8: the disk full");
        assert_eq!(error.message(), "3 entries were lost: offset 8: the disk full");
        assert!(error.io_error().is_some());
    }
}
