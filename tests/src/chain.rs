//! The chain of records, as programs follow it that know nothing of free lists.

/// Follows the records of a small file from the first to the end that the header states.
///
/// # Errors
/// Where the chain leads elsewhere.
pub fn follow(bytes: &[u8]) -> Result<(), String> {
    let number =
        |at: usize| bytes.get(at..at + 4).and_then(|bytes| Some(i32::from_be_bytes(*bytes.first_chunk()?)));
    let short = || "the file is too short".to_owned();
    let is_large = number(4).ok_or_else(short)? >= 1_000_000;
    let end = number(if is_large { 16 } else { 12 }).ok_or_else(short)?;
    let (mut at, end) = (i64::from(number(8).ok_or_else(short)?), i64::from(end));
    while at < end {
        let place = usize::try_from(at).map_err(|error| error.to_string())?;
        let size = number(place).ok_or_else(short)?;
        if size.unsigned_abs() < 4 {
            return Err(format!("a record of {size} bytes at {at}"));
        }
        at += i64::from(size.unsigned_abs());
    }
    if at == end { Ok(()) } else { Err(format!("a record ends at {at}, the file at {end}")) }
}
