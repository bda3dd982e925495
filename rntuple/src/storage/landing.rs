//! Where bytes are that are written at an offset.

use std::io::{self, IoSlice, Seek, SeekFrom, Write};

/// Asserts that `parts` can be written at `offset`: writes their first byte there, and asks where it is. Returns
/// whether there was one. The position is another one afterwards.
///
/// The system writes at the end of a file that is open for appending, wherever it was sought to, and says nothing. The
/// beginning of a ROOT file, which is written last, would be there too, and what was written could not be read.
///
/// # Errors
/// Bytes are written at the end, where there are up to two now. Or the medium fails.
pub(super) fn check_landing(
    medium: &mut (impl Write + Seek),
    offset: u64,
    parts: &[IoSlice<'_>],
) -> io::Result<bool> {
    let Some(first) = parts.iter().find_map(|part| part.first()) else { return Ok(false) };
    // The offset may be that of the end, where only the second one is at another place.
    for _ in 0..2 {
        medium.seek(SeekFrom::Start(offset))?;
        medium.write_all(&[*first])?;
        let position = medium.stream_position()?;
        // A device without positions says 0.
        if position != 0 && position != offset.saturating_add(1) {
            let message = "the file is open for appending, so that all bytes are written at its end, but the beginning \
                           of a ROOT file is written last: open it for writing";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    }
    Ok(true)
}
