//! What a server says of how long its requests may be.

/// What a server permits in a `kXR_readv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most pieces.
    pub(crate) pieces: usize,
    /// Length of the longest piece, in bytes.
    pub(crate) piece: u32,
}

/// What servers had before they could say it.
impl Default for Limits {
    fn default() -> Self {
        Self { pieces: 1024, piece: 2_097_136 }
    }
}

impl Limits {
    /// The parameters that a query asks for.
    pub(crate) const NAMES: &'static str = "readv_iov_max readv_ior_max";

    /// More pieces in one request would gain nothing.
    const MOST_PIECES: usize = 16 << 10;

    /// Reads the answer to a query for [`NAMES`](Self::NAMES): a line for each, which repeats the name of what the server
    /// does not know.
    pub(crate) fn read(body: &[u8]) -> Self {
        let lines = body.split(|byte| byte.is_ascii_whitespace() || *byte == 0);
        let mut lines = lines.filter(|line| !line.is_empty());
        let mut next =
            || std::str::from_utf8(lines.next()?).ok()?.parse::<u32>().ok().filter(|&number| number > 0);
        let (pieces, piece) = (next(), next());
        let usual = Self::default();
        let pieces = pieces.and_then(|pieces| usize::try_from(pieces).ok()).unwrap_or(usual.pieces);
        Self { pieces: pieces.min(Self::MOST_PIECES), piece: piece.unwrap_or(usual.piece) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_does_not_say_is_as_usual() {
        let limits = |pieces, piece| Limits { pieces, piece };
        assert_eq!(Limits::read(b"512\n1000\n"), limits(512, 1000));
        assert_eq!(Limits::read(b"readv_iov_max\n1000\0"), limits(1024, 1000));
        assert_eq!(Limits::read(b"99999 0"), limits(16 << 10, 2_097_136));
        assert_eq!(Limits::read(b"\xff\n"), Limits::default());
    }
}
