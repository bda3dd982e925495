//! What a client asked.

use std::time::Instant;

use crate::client::find;

/// A request, as the server saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// `GET`, `HEAD`, `PUT`, ..
    pub method: String,
    /// What follows the host: `/events.root`.
    pub path: String,
    /// The value of `Range`, whatever the case of its name: `bytes=0-9`.
    pub range: Option<String>,
    /// Names and values, as they were sent.
    pub headers: Vec<(String, String)>,
    /// The connection it came on: 1 for the first of this server, and so on.
    pub connection: u64,
    /// When it came.
    pub at: Instant,
}

impl Request {
    pub(super) fn new(first_line: &str, headers: Vec<(String, String)>, connection: u64) -> Self {
        let mut words = first_line.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let range = find(&headers, |name| name.eq_ignore_ascii_case("range")).map(str::to_owned);
        Self { method, path, range, headers, connection, at: Instant::now() }
    }

    /// Returns the value of a header, whose name may be in another case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.header_as(name, false)
    }

    /// Returns the value of a header, whose name may be in another case if case does not matter.
    pub(super) fn header_as(&self, name: &str, case_sensitive: bool) -> Option<&str> {
        find(
            &self.headers,
            |other| if case_sensitive { other == name } else { other.eq_ignore_ascii_case(name) },
        )
    }
}
