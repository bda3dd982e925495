//! Why a request was not answered, and the error that a caller sees.

use std::io;
use std::time::{Duration, Instant};

use crate::wire::Fault;
use crate::wire::code::{Code, errors};
use crate::wire::limits::Limits;
use crate::wire::response::Redirect;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection cannot be used any more, or was not made: another one may help.
    Broken(io::ErrorKind, String),
    /// The same, after a request that must not be made twice: no one knows whether it was done.
    Lost(io::ErrorKind, String),
    /// A page was damaged on its way: the same request may succeed.
    Damaged(Fault),
    /// The server says no.
    Server {
        code: u32,
        message: String,
        may_want_signature: bool,
        /// What the server refused at the login, before it accepted another proof of who the caller is.
        refused: Option<String>,
    },
    /// Another server has the file.
    Redirect(Redirect),
    /// The server asks for the same request again later.
    Wait { seconds: u32, message: String },
    /// The server that has the file now does not take the request, which was made for another one. It takes
    /// `kXR_pgread` if `pages`, and a `kXR_readv` within these limits.
    Unfit { pages: bool, limits: Limits },
    /// It takes too long.
    TimedOut(String),
    /// Nothing will help.
    Final(io::Error),
}

impl Failure {
    pub(crate) fn garbled(fault: Fault) -> Self {
        Self::Final(io::Error::new(io::ErrorKind::InvalidData, fault.to_string()))
    }

    /// Whether the same request may succeed on a new connection, or on this one.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Broken(..) | Self::Damaged(_))
    }

    /// The same, of an attempt that had a part of the time: another one may have what is left until `deadline`.
    pub(crate) fn before(self, deadline: &Deadline) -> Self {
        match self {
            Self::TimedOut(text) if deadline.left().is_some() => Self::Broken(io::ErrorKind::TimedOut, text),
            failure => failure,
        }
    }

    /// What the server says to the login is final, and not about the request that needs the login.
    pub(crate) fn at_login(self, address: &str) -> Self {
        match self {
            Self::Server { .. } => Self::Final(self.into_error(&format!("login at {address}"), Code::login)),
            failure => failure,
        }
    }

    /// The same, where it was tried in vain to find out whether the request was done.
    pub(crate) fn unknown(self) -> Self {
        let unknown = |text: String| format!("{text}; it is not known whether it was done");
        match self {
            Self::Lost(kind, text) => Self::Lost(kind, unknown(text)),
            Self::TimedOut(text) => Self::TimedOut(unknown(text)),
            failure => failure,
        }
    }

    /// The same, of a connection at whose login something was refused: that may be why access is refused now.
    pub(crate) fn after_refusal(mut self, at_login: Option<&str>) -> Self {
        if let Self::Server { code: errors::NOT_AUTHORIZED, refused, .. } = &mut self {
            *refused = at_login.map(str::to_owned);
        }
        self
    }

    /// Whether the server said this number.
    pub(crate) fn is(&self, number: u32) -> bool {
        matches!(self, Self::Server { code, .. } if *code == number)
    }

    /// The error that a caller sees: of `request`, about what is called `name`.
    #[cold]
    pub(crate) fn into_error(self, name: &str, request: Code) -> io::Error {
        let (kind, text) = match self {
            Self::Broken(kind, text) | Self::Lost(kind, text) => (kind, text),
            Self::Damaged(fault) => (io::ErrorKind::InvalidData, fault.to_string()),
            Self::Server { code, message, may_want_signature, refused } => {
                let (word, kind) = crate::wire::code::error(code);
                let advice = match may_want_signature {
                    true => {
                        "; it requires signed requests, which this client does not make: use its HTTPS door"
                    }
                    false => "",
                };
                let refused = refused.map(|text| format!("; before that, at the login: {text}"));
                let refused = refused.unwrap_or_default();
                (kind, format!("the server says \"{message}\" ({word}, {code}){advice}{refused}"))
            }
            Self::Redirect(redirect) => {
                let text = format!("the server redirects an open file to `{}`", shown(&redirect.target));
                (io::ErrorKind::Unsupported, text)
            }
            Self::Wait { seconds, message } => {
                (io::ErrorKind::TimedOut, format!("the server asks to wait {seconds} s: {message}"))
            }
            Self::Unfit { .. } => {
                let text = "the server that has the file now does not take the request";
                (io::ErrorKind::Unsupported, text.to_owned())
            }
            Self::TimedOut(text) => (io::ErrorKind::TimedOut, text),
            Self::Final(error) => (error.kind(), error.to_string()),
        };
        io::Error::new(kind, format!("{name}: {}: {text}", request.name()))
    }
}

fn shown(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

/// Whether a read or write ended because of its time limit.
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The failure of a connection whose socket reports an error.
pub(crate) fn broken(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Failure::Broken(io::ErrorKind::ConnectionReset, "the server closed the connection".to_owned())
        }
        kind => Failure::Broken(kind, format!("the connection failed: {error}")),
    }
}

/// Whether an error of a server may be a request for a signature.
pub(crate) fn may_want_signature(code: u32, security_level: u8) -> bool {
    code == errors::SIGNATURE || (security_level > 0 && code == errors::NOT_AUTHORIZED)
}

/// A point in time at which a caller stops to wait, and the time it gave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    timeout: Duration,
    /// How long a server may be silent until its connection is given up.
    pub(crate) silence: Duration,
}

impl Deadline {
    pub(crate) fn after(timeout: Duration) -> Self {
        let now = Instant::now();
        // A timeout that is beyond the clock is a long one.
        let at = now.checked_add(timeout).unwrap_or(now + Duration::from_secs(1 << 30));
        // The other half is for another attempt.
        Self { at, timeout, silence: timeout / 2 }
    }

    /// The same, moved to this long after a point in time.
    pub(crate) fn moved(self, from: Instant, time: Duration) -> Self {
        Self { at: from.checked_add(time).unwrap_or(self.at), ..self }
    }

    /// The earlier one of this and `timeout` from now on.
    pub(crate) fn within(self, timeout: Duration) -> Self {
        let other = Self::after(timeout);
        if other.at < self.at { other } else { self }
    }

    /// A third of what is left, for an attempt after which another one may follow. A connection, which others may use, is given
    /// up after the same silence as with all of the time.
    pub(crate) fn third(self) -> Self {
        let now = Instant::now();
        let part = self.left().unwrap_or_default() / 3;
        Self { at: now.checked_add(part).unwrap_or(self.at), ..self.patient() }
    }

    /// The same, for what is not asked for again: it may take all of the time.
    pub(crate) fn patient(self) -> Self {
        Self { silence: Duration::MAX, ..self }
    }

    /// How long a server may have been silent until it is asked whether it is there, and how long it may take to answer that:
    /// 10 s of the usual minute.
    pub(crate) fn doubt(&self) -> Duration {
        self.timeout / 6
    }

    /// The same for the question whether the server is there. If it does not answer in time, it may still be busy for others.
    pub(crate) fn of_doubt(self) -> Self {
        let at = Instant::now().checked_add(self.doubt()).unwrap_or(self.at);
        Self { at: at.min(self.at), ..self.patient() }
    }

    /// Whether a server that was silent for this long is gone, once the time is over.
    pub(crate) fn is_long(&self, silence: Duration) -> bool {
        silence >= self.timeout / 2
    }

    /// What is left, `None` if nothing is.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.at.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    #[cold]
    pub(crate) fn passed(&self) -> Failure {
        Failure::TimedOut(format!("there is no answer within {:?}", self.timeout))
    }

    /// As [`passed`](Self::passed), of a server that said it would answer within `seconds`.
    #[cold]
    pub(crate) fn passed_before(&self, seconds: u32) -> Failure {
        Failure::TimedOut(format!(
            "there is no answer within {:?}; the server says that it may take {seconds} s",
            self.timeout
        ))
    }

    /// Whether `seconds` from now on are still before this point.
    fn allows(&self, seconds: u32, message: &str) -> Result<Duration, Failure> {
        let wait = Duration::from_secs(seconds.into());
        if self.left().is_some_and(|left| wait < left) {
            return Ok(wait);
        }
        let why = if message.is_empty() { String::new() } else { format!(" (\"{message}\")") };
        let timeout = self.timeout;
        let text =
            format!("the server asks to wait {seconds} s{why}, which is beyond the timeout of {timeout:?}");
        Err(Failure::TimedOut(text))
    }

    /// Does what a server asks with a wait.
    pub(crate) fn sleep(&self, seconds: u32, message: &str) -> Result<(), Failure> {
        // A wait of no time at all would keep both sides busy.
        let wait = self.allows(seconds, message)?.max(Duration::from_millis(50));
        std::thread::sleep(wait);
        Ok(())
    }

    /// Waits a little before the next attempt, longer each time.
    pub(crate) fn back_off(&self, attempt: u32) -> Result<(), Failure> {
        let wait = Duration::from_millis(20 << attempt.min(7));
        let left = self.left().ok_or_else(|| self.passed())?;
        std::thread::sleep(wait.min(left));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_with_a_part_of_the_time_is_as_slow_to_give_up_a_connection() {
        let seconds = Duration::from_secs;
        let part = Deadline::after(seconds(60)).third();
        assert!(part.left().is_some_and(|left| left <= seconds(20)));
        assert!(!part.is_long(seconds(20)) && part.is_long(seconds(30)));
        assert!(Deadline::after(Duration::ZERO).third().left().is_none());
    }
}
