//! The inputs of a target that the fuzzer found, in one file: most of them differ in a few bytes, so they compress well.
//!
//! ```text
//! u64  length of what follows, decompressed
//! ..   the content, compressed as a block of RNTuple: for each input its length in 32 bits, and its bytes
//! ```

use std::io;

use rntuple::__internals::{compress, decompress};
use rntuple::{Compression, Result};

/// The file with these inputs.
pub(crate) fn pack(inputs: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    for input in inputs {
        let length = u32::try_from(input.len()).map_err(io::Error::other)?;
        content.extend(length.to_le_bytes());
        content.extend(input);
    }
    let length = content.len() as u64;
    Ok([&length.to_le_bytes()[..], &compress(Compression::zstd(19), &content)?].concat())
}

/// The inputs in such a file.
pub(crate) fn unpack(file: &[u8]) -> Result<Vec<Vec<u8>>> {
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (length, stored) = file.split_first_chunk().ok_or_else(cut)?;
    let content = decompress(stored, u64::from_le_bytes(*length))?;
    let (mut rest, mut inputs) = (&content[..], Vec::new());
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (input, after) = after.split_at_checked(length).ok_or_else(cut)?;
        inputs.push(input.to_vec());
        rest = after;
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_back() {
        let inputs = vec![vec![1, 2, 3], Vec::new(), vec![7; 1000]];
        let packed = pack(&inputs).unwrap();
        assert!(packed.len() < 100);
        assert_eq!(unpack(&packed).unwrap(), inputs);
        assert!(unpack(&packed[..20]).is_err());
    }
}
