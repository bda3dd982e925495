//! Dates as HTTP writes them.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats seconds since 1970: `Thu, 01 Jan 1970 00:00:00 GMT`.
pub(super) fn http_date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut day) = (1970, days);
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let mut month = 0;
    while day >= days_of_month(year, month) {
        day -= days_of_month(year, month);
        month += 1;
    }
    let weekday = name(&DAYS, days % 7);
    let month = name(&MONTHS, month);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{weekday}, {:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT", day + 1)
}

/// Reads what [`http_date`] writes.
pub(super) fn parse_http_date(text: &str) -> Option<u64> {
    let mut words = text.split([' ', ':']);
    words.next()?;
    let number = |words: &mut dyn Iterator<Item = &str>| words.next()?.parse::<u64>().ok();
    let day = number(&mut words)?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year = number(&mut words).filter(|year| (1970..10_000).contains(year))?;
    let (hour, minute, second) = (number(&mut words)?, number(&mut words)?, number(&mut words)?);
    let days = (1970..year).map(days_of_year).sum::<u64>();
    let days = days + (0..month).map(|month| days_of_month(year, month)).sum::<u64>() + day.checked_sub(1)?;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

fn name(names: &[&'static str], number: u64) -> &'static str {
    usize::try_from(number).ok().and_then(|number| names.get(number)).copied().unwrap_or_default()
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn days_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        1 => 28 + u64::from(is_leap(year)),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(http_date(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(http_date(1_767_225_600), "Thu, 01 Jan 2026 00:00:00 GMT");
        for seconds in (0..4_000_000_000).step_by(86_399 * 7) {
            assert_eq!(parse_http_date(&http_date(seconds)), Some(seconds));
        }
        assert_eq!(parse_http_date("yesterday"), None);
    }
}
