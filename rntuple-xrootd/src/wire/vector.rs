//! The data of `kXR_readv`: each piece after a repetition of what was asked.

use super::Fault;
use super::cursor::Cursor;
use super::request::Handle;

/// Length of the header of a piece: handle, length and offset.
pub(crate) const PIECE: usize = 16;

/// Takes the next piece off a body. It must be the one asked for.
pub(crate) fn read<'a>(
    cursor: &mut Cursor<'a>,
    handle: Handle,
    offset: u64,
    length: u32,
) -> Result<&'a [u8], Fault> {
    let same = cursor.array::<4>()? == handle;
    let (read, at) = (cursor.u32()?, cursor.u64()?);
    if !same || at != offset || read > length {
        return Err(Fault::OtherRange);
    }
    if read < length {
        return Err(Fault::TooShort);
    }
    cursor.take(usize::try_from(length).map_err(|_| Fault::TooLong)?)
}
