//! How long a server asks to wait before the next attempt.

use std::time::{Duration, SystemTime};

use http::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// The pause that `Retry-After` asks for: a number of seconds, or a date, which may be over. `None`: there is no such
/// header, or it is neither.
///
/// A date is compared with the server's clock, if the answer has it, since ours may be wrong; otherwise with `now`.
pub(crate) fn pause(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let after = text(headers, RETRY_AFTER)?;
    if let Ok(seconds) = after.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = date(after)?;
    let now = text(headers, DATE).and_then(date).unwrap_or(now);
    Some(until.duration_since(now).unwrap_or_default())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// A date in one of the three forms that clients accept (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` and two older
/// ones.
fn date(text: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(text).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Seconds of the pause at 08:49:30, by our clock.
    fn seconds(after: &'static str, date: Option<&'static str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(after));
        date.map(|date| headers.insert(DATE, HeaderValue::from_static(date)));
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        pause(&headers, now).map(|pause| pause.as_secs())
    }

    #[test]
    fn a_pause_is_seconds_or_a_date() {
        assert_eq!(seconds("120", None), Some(120));
        assert_eq!(seconds(" 0 ", None), Some(0));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT", None), Some(7));
        assert_eq!(seconds("Sunday, 06-Nov-94 08:49:37 GMT", None), Some(7));
        assert_eq!(seconds("Sun Nov  6 08:49:37 1994", None), Some(7));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:29 GMT", None), Some(0), "it is over");
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT", None), Some(0));
        assert_eq!(pause(&HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn a_date_is_compared_with_the_clock_of_the_server() {
        let ours_is_late = Some("Sun, 06 Nov 1994 07:00:00 GMT");
        assert_eq!(seconds("Sun, 06 Nov 1994 07:00:05 GMT", ours_is_late), Some(5));
        let ours_is_early = Some("Mon, 07 Nov 1994 00:00:00 GMT");
        assert_eq!(seconds("Mon, 07 Nov 1994 00:00:02 GMT", ours_is_early), Some(2));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT", Some("noon")), Some(7));
    }

    #[test]
    fn what_is_neither_asks_for_nothing() {
        for text in [
            "",
            "soon",
            "-1",
            "1.5",
            "99999999999999999999",
            "Sun, 06 Nov 1994",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "\u{7f}",
        ] {
            let mut headers = HeaderMap::new();
            let Ok(value) = HeaderValue::from_str(text) else { continue };
            headers.insert(RETRY_AFTER, value);
            assert_eq!(pause(&headers, SystemTime::UNIX_EPOCH), None, "{text}");
        }
    }
}
