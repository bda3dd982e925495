//! The right answer to a request.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::date::{http_date, parse_http_date};
use super::file::File;
use super::range::{Part, part};
use super::request::Request;
use super::state::State;

/// What will be sent.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) bytes: Arc<Vec<u8>>,
    /// What of `bytes` is the body.
    pub(super) body: Range<usize>,
}

impl Answer {
    /// An answer with a short text that says its status.
    pub(super) fn of_status(status: u16) -> Self {
        let text = format!("{status} {}\n", reason(status)).into_bytes();
        let headers = vec![("Content-Type".to_owned(), "text/plain".to_owned())];
        Self { status, headers, body: 0..text.len(), bytes: Arc::new(text) }
    }

    fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: 0..0, bytes: Arc::default() }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets or replaces a header.
    pub(super) fn set(&mut self, name: &str, value: String) {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value));
    }
}

/// What belongs to a status, as in HTTP's first line.
pub(super) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        206 => "Partial Content",
        207 => "Multi-Status",
        302 => "Found",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        412 => "Precondition Failed",
        416 => "Range Not Satisfiable",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}

impl State {
    /// Answers as a server does whose habits these are.
    pub(super) fn answer(&mut self, request: &Request, body: Vec<u8>, ignore_range: bool) -> Answer {
        if let Some(token) = &self.habits.token {
            match self.header(request, "Authorization") {
                None => return Answer::of_status(401).with("WWW-Authenticate", "Bearer"),
                Some(given) if given.strip_prefix("Bearer ") != Some(token) => return Answer::of_status(403),
                Some(_) => {}
            }
        }
        match request.method.as_str() {
            "GET" | "HEAD" => self.get(request, ignore_range),
            "PUT" => self.write(request, body),
            "PROPFIND" if self.habits.lists => self.list(request),
            _ => Answer::of_status(405).with("Allow", "GET, HEAD, PUT"),
        }
    }

    fn header<'a>(&self, request: &'a Request, name: &str) -> Option<&'a str> {
        request.header_as(name, self.habits.case_sensitive)
    }

    fn get(&self, request: &Request, ignore_range: bool) -> Answer {
        let path = request.path.split('?').next().unwrap_or_default();
        let Some(file) = self.files.get(path) else { return Answer::of_status(404) };
        let habits = &self.habits;
        if habits.conditions && !self.conditions_hold(request, file) {
            return Answer::of_status(412);
        }
        let obeys = habits.ranges && !ignore_range && self.is_same(request, file);
        let range = self.header(request, "Range").filter(|_| obeys && request.method == "GET");
        let size = file.size();
        let range = match part(range, size, habits.suffix_ranges) {
            Part::Beyond => return Answer::of_status(416).with("Content-Range", format!("bytes */{size}")),
            Part::Bytes(range) => Some(range),
            Part::Whole => None,
        };
        let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let mut answer = Answer {
            status: if range.is_some() { 206 } else { 200 },
            headers: vec![("Content-Type".to_owned(), "application/octet-stream".to_owned())],
            bytes: Arc::clone(&file.bytes),
            body: range.as_ref().map_or(0..file.bytes.len(), |range| index(range.start)..index(range.end)),
        };
        if let Some(range) = range {
            answer.set("Content-Range", format!("bytes {}-{}/{size}", range.start, range.end - 1));
        }
        if habits.ranges {
            answer = answer.with("Accept-Ranges", "bytes");
        }
        if habits.last_modified {
            answer = answer.with("Last-Modified", file.last_modified());
        }
        if let Some(e_tag) = file.e_tag(habits.e_tag) {
            answer = answer.with("ETag", e_tag);
        }
        answer
    }

    /// The files and folders of a folder, as WebDAV lists them.
    fn list(&self, request: &Request) -> Answer {
        let path = request.path.split('?').next().unwrap_or_default();
        let folder = format!("{}/", path.trim_end_matches('/'));
        let entry = |path: &str, kind: &str, file: Option<&File>| {
            let modified = file.map_or_else(|| http_date(0), File::last_modified);
            let length = file.map(|file| format!("<D:getcontentlength>{}</D:getcontentlength>", file.size()));
            format!(
                "<D:response><D:href>{path}</D:href><D:propstat><D:prop>{}\
                 <D:getlastmodified>{modified}</D:getlastmodified><D:resourcetype>{kind}</D:resourcetype>\
                 </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>",
                length.unwrap_or_default()
            )
        };
        let mut entries = BTreeSet::new();
        for (path, file) in &self.files {
            let Some(rest) = path.strip_prefix(&folder) else { continue };
            entries.insert(match rest.split_once('/') {
                Some((name, _)) => entry(&format!("{folder}{name}/"), "<D:collection/>", None),
                None => entry(path, "", Some(file)),
            });
        }
        if entries.is_empty() {
            return Answer::of_status(404);
        }
        entries.insert(entry(&folder, "<D:collection/>", None));
        let entries: String = entries.into_iter().collect();
        let body =
            format!("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">{entries}</D:multistatus>");
        let bytes = Arc::new(body.into_bytes());
        let headers = vec![("Content-Type".to_owned(), "application/xml".to_owned())];
        Answer { status: 207, headers, body: 0..bytes.len(), bytes }
    }

    /// Whether `If-Match` and `If-Unmodified-Since` hold; the first decides where both are given.
    fn conditions_hold(&self, request: &Request, file: &File) -> bool {
        if let Some(wanted) = self.header(request, "If-Match") {
            let e_tag = file.e_tag(self.habits.e_tag).filter(|e_tag| !e_tag.starts_with("W/"));
            return wanted == "*"
                || e_tag.is_some_and(|e_tag| wanted.split(',').any(|tag| tag.trim() == e_tag));
        }
        let since = self.header(request, "If-Unmodified-Since").and_then(parse_http_date);
        since.is_none_or(|since| file.modified() <= since)
    }

    /// Whether `If-Range`, if there is one, names this version.
    fn is_same(&self, request: &Request, file: &File) -> bool {
        self.header(request, "If-Range").is_none_or(|wanted| {
            file.e_tag(self.habits.e_tag).is_some_and(|e_tag| e_tag == wanted && !e_tag.starts_with("W/"))
                || wanted == file.last_modified()
        })
    }

    fn write(&mut self, request: &Request, body: Vec<u8>) -> Answer {
        let file = self.files.get(&request.path);
        let is_new = file.is_none();
        if self.habits.conditions {
            let exists = self.header(request, "If-None-Match") == Some("*") && !is_new;
            if exists || !file.is_none_or(|file| self.conditions_hold(request, file)) {
                return Answer::of_status(412);
            }
        }
        self.put(&request.path, body);
        let e_tag = self.files.get(&request.path).and_then(|file| file.e_tag(self.habits.e_tag));
        let answer = Answer::empty(if is_new { 201 } else { 200 });
        match e_tag {
            Some(e_tag) => answer.with("ETag", e_tag),
            None => answer,
        }
    }
}
