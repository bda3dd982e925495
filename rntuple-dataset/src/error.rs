//! One error type for the whole crate: what went wrong, and in which file.

use std::borrow::Cow;
use std::sync::Arc;
use std::{fmt, io};

use rntuple::storage::without_secrets;

use crate::transactions::Conflict;

/// The result of anything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller can do about an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The storage failed: [`Error::io_error`] is its error.
    Io,
    /// The bytes break a rule of the format: the file is damaged, or its writer is at fault.
    OutOfSpec,
    /// The data set is sound, but uses something that this crate does not support.
    Unsupported,
    /// The caller asked for something impossible.
    InvalidArgument,
    /// A stated limit would be passed.
    LimitExceeded,
    /// There is no such version, fragment or file.
    NotFound,
    /// A file does not have the fields that the data set has, or a type asks for what it does not have.
    SchemaMismatch,
    /// Someone else has committed what excludes this change: [`Error::conflict`] says what.
    Conflict,
}

/// Anything that went wrong in this crate.
///
/// `Display` gives the whole text: the file, the field and the offset where they are known, then what happened.
///
/// ```
/// use rntuple_dataset::ErrorKind;
/// use rntuple_dataset::format::ManifestFile;
///
/// let error = ManifestFile::read(b"no manifest").unwrap_err().in_file("1.manifest");
/// assert_eq!(error.kind(), ErrorKind::OutOfSpec);
/// assert!(error.to_string().starts_with("1.manifest: "));
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    file: Option<String>,
    field: Option<String>,
    offset: Option<u64>,
    io: Option<Arc<io::Error>>,
    conflict: Option<Conflict>,
}

/// Errors of the kinds that are reported most.
macro_rules! constructors {
    ($($name:ident: $kind:ident,)*) => {$(
        #[cold]
        pub(crate) fn $name(message: impl Into<Cow<'static, str>>) -> Self {
            Self::new(ErrorKind::$kind, message)
        }
    )*};
}

impl Error {
    /// Creates an error of `kind` that says `message`.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            file: None,
            field: None,
            offset: None,
            io: None,
            conflict: None,
        }))
    }

    constructors! {
        out_of_spec: OutOfSpec,
        unsupported: Unsupported,
        invalid_argument: InvalidArgument,
        limit: LimitExceeded,
    }

    /// Returns what a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns what went wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the file it happened in: its path, or its URL without what may be secret.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the path of the part of the record that is at fault: `fragments[3].files[0].path`.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// Returns the offset in the file, in bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the error of the storage, where the kind is [`Io`](ErrorKind::Io). Where a data set or a file is missing, or
    /// exists already, it says so by its own kind.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.io.as_deref()
    }

    /// Returns what excludes the change, where the kind is [`Conflict`](ErrorKind::Conflict), and whether it can be done
    /// again.
    pub fn conflict(&self) -> Option<&Conflict> {
        self.0.conflict.as_ref()
    }

    /// Names the file, if the error does not name one yet. A URL is named without what may be secret: a query, a
    /// password, and a user, which may be a token.
    #[must_use]
    pub fn in_file(mut self, name: impl Into<String>) -> Self {
        let name: String = name.into();
        self.0.file.get_or_insert_with(|| without_secrets(&name));
        self
    }

    /// Says something else, or more.
    #[cold]
    pub(crate) fn with_message(mut self, change: impl FnOnce(&str) -> String) -> Self {
        self.0.message = change(&self.0.message).into();
        self
    }

    /// Puts `name` in front of the path of the field at fault.
    #[cold]
    pub(crate) fn in_field(mut self, name: impl fmt::Display) -> Self {
        self.0.field = Some(match self.0.field.take() {
            Some(inner) => format!("{name}.{inner}"),
            None => name.to_string(),
        });
        self
    }

    #[cold]
    pub(crate) fn at_offset(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }
}

impl From<io::Error> for Error {
    #[cold]
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::AlreadyExists => ErrorKind::InvalidArgument,
            _ => ErrorKind::Io,
        };
        let mut this = Self::new(kind, error.to_string());
        this.0.io = Some(Arc::new(error));
        this
    }
}

impl From<Conflict> for Error {
    #[cold]
    fn from(conflict: Conflict) -> Self {
        let mut this = Self::new(ErrorKind::Conflict, conflict.to_string());
        this.0.conflict = Some(conflict);
        this
    }
}

impl From<rntuple::Error> for Error {
    #[cold]
    fn from(error: rntuple::Error) -> Self {
        let kind = match error.kind() {
            rntuple::ErrorKind::Io => ErrorKind::Io,
            rntuple::ErrorKind::NotFound => ErrorKind::NotFound,
            rntuple::ErrorKind::OutOfSpec | rntuple::ErrorKind::Unfinished => ErrorKind::OutOfSpec,
            rntuple::ErrorKind::SchemaMismatch => ErrorKind::SchemaMismatch,
            rntuple::ErrorKind::InvalidArgument => ErrorKind::InvalidArgument,
            rntuple::ErrorKind::LimitExceeded => ErrorKind::LimitExceeded,
            _ => ErrorKind::Unsupported,
        };
        // Its text names the place.
        let mut this = Self::new(kind, error.to_string());
        this.0.io = error.io_error().map(|io| Arc::new(io::Error::from(io.kind())));
        this
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { message, file, field, offset, .. } = &*self.0;
        if let Some(file) = file {
            write!(f, "{file}: ")?;
        }
        match (field, offset) {
            (Some(field), Some(offset)) => write!(f, "{field}, offset {offset}: ")?,
            (Some(field), None) => write!(f, "{field}: ")?,
            (None, Some(offset)) => write!(f, "offset {offset}: ")?,
            (None, None) => {}
        }
        f.write_str(message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {
    /// Returns what caused the error of the storage: the text of that error itself is in `Display` already.
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
    }

    #[test]
    fn the_sentence_names_every_known_place() {
        let error =
            Error::out_of_spec("it is empty").in_field("path").in_field("files[0]").at_offset(4).at_offset(9);
        assert_eq!(error.to_string(), "files[0].path, offset 4: it is empty");
        let error = error.in_file("1.manifest").in_file("2.manifest");
        assert_eq!(error.to_string(), "1.manifest: files[0].path, offset 4: it is empty");
        assert_eq!(format!("{error:?}"), format!("OutOfSpec: {error}"));
    }

    #[test]
    fn a_file_is_named_without_secrets() {
        let error = Error::out_of_spec("it is empty").in_file("https://me:pw@host/a.root?signature=x");
        assert_eq!(error.file(), Some("https://host/a.root"));
        assert_eq!(error.to_string(), "https://host/a.root: it is empty");
        let error = Error::out_of_spec("it is empty").in_file("/data/run#1?.root");
        assert_eq!(error.file(), Some("/data/run#1?.root"));
    }

    #[test]
    fn a_missing_file_is_not_found() {
        let error = Error::from(io::Error::from(io::ErrorKind::NotFound)).in_file("x");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.io_error().is_some());
    }
}
