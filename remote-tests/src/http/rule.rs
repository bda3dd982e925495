//! What goes wrong, and for which requests.

use std::time::{Duration, SystemTime};

use super::date::http_date;

/// A wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Another status than 200 or 206. A short text is its body.
    Status(Status),
    /// The whole file with status 200, although a range was asked for.
    WholeFile,
    /// A body that ends, with the connection, after this many bytes. Its headers promise all of them.
    Truncated(usize),
    /// Half of the bytes of the range, with headers that say so: rare, but allowed.
    ShortRange,
    /// A `Content-Range` that begins one byte later than the bytes that are sent.
    WrongRange,
    /// The right answer, with one bit flipped in the middle of its body.
    Corrupt,
    /// The right answer, this many bytes at a time, with a pause after each.
    Trickle {
        /// The bytes at a time.
        bytes: usize,
        /// The pause.
        pause: Duration,
    },
    /// No answer. The connection stays open until the client or the server ends.
    Silence,
    /// No answer: the connection ends.
    Hangup,
    /// Status 302 and this `Location`: a path, or a URL.
    Redirect(String),
    /// The file is replaced by these bytes, with another e-tag and date, and then the answer is right.
    Replace(Vec<u8>),
}

/// A status that says that something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    code: u16,
    retry_after: Option<RetryAfter>,
}

/// When to ask again.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RetryAfter {
    /// This text.
    Text(String),
    /// The date of the answer, and a number of seconds, which may be negative.
    Date(i64),
}

impl Fault {
    /// Answers with this status, 404 for example.
    pub fn status(code: u16) -> Status {
        Status { code, retry_after: None }
    }
}

impl Status {
    /// Adds `Retry-After`, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(RetryAfter::Text(seconds.to_string()));
        self
    }

    /// Adds `Retry-After` as a date: that of the answer, and this many seconds, which may be negative.
    #[must_use]
    pub fn retry_after_date(mut self, seconds: i64) -> Self {
        self.retry_after = Some(RetryAfter::Date(seconds));
        self
    }

    /// Adds `Retry-After` with any text.
    #[must_use]
    pub fn retry_after_text(mut self, text: impl Into<String>) -> Self {
        self.retry_after = Some(RetryAfter::Text(text.into()));
        self
    }

    pub(super) fn code(&self) -> u16 {
        self.code
    }

    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let text = self.retry_after.as_ref().map(|after| match after {
            RetryAfter::Text(text) => text.clone(),
            RetryAfter::Date(seconds) => {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                http_date(now.as_secs().saturating_add_signed(*seconds))
            }
        });
        text.map(|text| ("Retry-After".to_owned(), text)).into_iter().collect()
    }
}

impl From<Status> for Fault {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

/// A fault, and the requests that meet it. Default: all of them.
#[derive(Clone, Debug)]
#[must_use]
pub struct Rule {
    fault: Fault,
    skip: usize,
    times: Option<usize>,
    method: Option<String>,
    path: Option<String>,
    ranged: bool,
    range: Option<String>,
}

impl Rule {
    /// A fault that each request meets.
    pub fn new(fault: impl Into<Fault>) -> Self {
        let fault = fault.into();
        Self { fault, skip: 0, times: None, method: None, path: None, ranged: false, range: None }
    }

    /// Limits the rule to the first of its requests, this many.
    pub fn times(mut self, count: usize) -> Self {
        self.times = Some(count);
        self
    }

    /// Lets the first of its requests pass, this many.
    pub fn skip(mut self, count: usize) -> Self {
        self.skip = count;
        self
    }

    /// Limits the rule to requests of one method, `GET` for example.
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Limits the rule to requests of one path.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Limits the rule to requests of ranges.
    pub fn ranged(mut self) -> Self {
        self.ranged = true;
        self
    }

    /// Limits the rule to requests whose range begins so: `bytes=-` for the last bytes of a file.
    pub fn range(mut self, start: impl Into<String>) -> Self {
        self.range = Some(start.into());
        self
    }

    /// Returns the fault if this request meets it, and counts the request.
    pub(super) fn applies(&mut self, method: &str, path: &str, range: Option<&str>) -> Option<Fault> {
        let other =
            |wanted: &Option<String>, found: &str| wanted.as_ref().is_some_and(|wanted| wanted != found);
        let is_elsewhere =
            self.range.as_ref().is_some_and(|start| !range.is_some_and(|range| range.starts_with(start)));
        if other(&self.method, method)
            || other(&self.path, path)
            || (self.ranged && range.is_none())
            || is_elsewhere
        {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        match &mut self.times {
            Some(0) => return None,
            Some(left) => *left -= 1,
            None => {}
        }
        Some(self.fault.clone())
    }
}
