//! Times of records: seconds since 1995 without a time zone, packed into 32 bits.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A date and time as ROOT stores it (format: container, section 1.2).
///
/// ROOT writes local time, this crate UTC; the file does not say which one it is.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_731_503_784);
/// assert_eq!(rntuple::root::Datetime::from(time).to_string(), "2024-11-13 13:16:24");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Datetime(u32);

const DAY: u64 = 86_400;
const FIRST_YEAR: u32 = 1995;
const LAST_YEAR: u32 = FIRST_YEAR + 63;

impl Datetime {
    /// The first day that the format knows, 1995-01-01 00:00:00.
    pub(crate) const EARLIEST: Self = Self::pack(FIRST_YEAR, 1, 1, 0, 0, 0);
    /// The last second that the format knows, 2058-12-31 23:59:59.
    pub(super) const LATEST: Self = Self::pack(LAST_YEAR, 12, 31, 23, 59, 59);

    const fn pack(year: u32, month: u32, day: u32, hour: u32, minute: u32, second: u32) -> Self {
        Self((year - FIRST_YEAR) << 26 | month << 22 | day << 17 | hour << 12 | minute << 6 | second)
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }
}

impl From<SystemTime> for Datetime {
    /// Times before 1995 become its first second, times after 2058 its last one.
    fn from(time: SystemTime) -> Self {
        let Ok(elapsed) = time.duration_since(UNIX_EPOCH) else { return Self::EARLIEST };
        let seconds = elapsed.as_secs();
        let mut days = seconds / DAY;
        let mut year = 1970;
        loop {
            let length = if is_leap(year) { 366 } else { 365 };
            if days < length {
                break;
            }
            days -= length;
            year += 1;
            if year > LAST_YEAR {
                return Self::LATEST;
            }
        }
        if year < FIRST_YEAR {
            return Self::EARLIEST;
        }
        let mut month = 1;
        for length in [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        // Each part is small by now; `field` says so to the compiler.
        let field = |value: u64| u32::try_from(value).unwrap_or(0);
        let clock = seconds % DAY;
        Self::pack(
            year,
            month,
            field(days) + 1,
            field(clock / 3600),
            field(clock / 60 % 60),
            field(clock % 60),
        )
    }
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

impl fmt::Display for Datetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = |shift: u32, width: u32| self.0 >> shift & ((1 << width) - 1);
        let (year, month, day) = (FIRST_YEAR + bits(26, 6), bits(22, 4), bits(17, 5));
        let (hour, minute, second) = (bits(12, 5), bits(6, 6), bits(0, 6));
        write!(f, "{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: u64) -> String {
        Datetime::from(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
    }

    #[test]
    fn the_bits_of_a_real_file_read_as_its_date() {
        assert_eq!(Datetime::from_bits(0x76da_d418).to_string(), "2024-11-13 13:16:24");
        assert_eq!(Datetime::from(UNIX_EPOCH + Duration::from_secs(1_731_503_784)).to_bits(), 0x76da_d418);
    }

    #[test]
    fn leap_days_and_year_ends_are_right() {
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(at(951_868_800), "2000-03-01 00:00:00");
        assert_eq!(at(978_307_199), "2000-12-31 23:59:59");
        assert_eq!(at(978_307_200), "2001-01-01 00:00:00");
        assert_eq!(at(1_709_164_800), "2024-02-29 00:00:00");
    }

    #[test]
    fn times_out_of_range_are_clamped() {
        assert_eq!(at(0), "1995-01-01 00:00:00");
        assert_eq!(at(u64::from(u32::MAX)), "2058-12-31 23:59:59");
        assert_eq!(Datetime::from(UNIX_EPOCH - Duration::from_secs(1)), Datetime::EARLIEST);
    }
}
