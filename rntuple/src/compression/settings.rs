//! Which algorithm compresses, and how hard it tries.

use std::fmt;
use std::str::FromStr;

use super::codecs::Algorithm;
use crate::error::{Error, Result};
use crate::message::constant::equal;

/// An algorithm and a level from 1 to 9, or no compression.
///
/// In a file this is one number, `100 * algorithm + level`: 505 is zstd at level 5, 0 is none.
/// It says what a writer wished for. What a page really holds is said by the page.
///
/// | algorithm | what the level means |
/// | --- | --- |
/// | zstd | zstd's own level of that number. ROOT doubles it: its 505 is zstd's level 10 |
/// | lz4 | nothing: always the fast compressor, which ROOT leaves from level 4 on |
/// | zlib | zlib's level; 1 hardly compresses here, 6 is a good choice |
/// | lzma | the preset of `xz` |
///
/// The default is `zstd:1`. On nested event data with 1 MiB pages it makes files 4.7 % smaller than
/// level 5 with 64 KiB pages does, and writes them 2.3 times faster; at equal page sizes level 5 saves
/// 0.1 to 1.6 % and takes 2.2 times as long.
///
/// ```
/// use rntuple::compression::Compression;
///
/// let settings: Compression = "zstd:5".parse()?;
/// assert_eq!(settings, Compression::zstd(5));
/// assert_eq!(settings.code(), 505);
/// assert_eq!("404".parse::<Compression>()?.to_string(), "lz4:4");
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compression(pub(super) Option<(Algorithm, u8)>);

impl Compression {
    /// Store everything as it is.
    pub const NONE: Self = Self(None);

    /// `algorithm` at `level`, which must be from 1 to 9.
    pub fn new(algorithm: Algorithm, level: u8) -> Result<Self> {
        match level {
            1..=9 => Ok(Self(Some((algorithm, level)))),
            _ => Err(Error::invalid_argument(format!("compression level {level} is not one of 1 to 9"))),
        }
    }

    /// Zstandard; a level outside of 1 to 9 becomes the nearest one inside.
    pub const fn zstd(level: u8) -> Self {
        Self::clamped(Algorithm::Zstd, level)
    }

    /// LZ4; a level outside of 1 to 9 becomes the nearest one inside.
    pub const fn lz4(level: u8) -> Self {
        Self::clamped(Algorithm::Lz4, level)
    }

    /// zlib; a level outside of 1 to 9 becomes the nearest one inside.
    pub const fn zlib(level: u8) -> Self {
        Self::clamped(Algorithm::Zlib, level)
    }

    /// LZMA; a level outside of 1 to 9 becomes the nearest one inside.
    pub const fn lzma(level: u8) -> Self {
        Self::clamped(Algorithm::Lzma, level)
    }

    const fn clamped(algorithm: Algorithm, level: u8) -> Self {
        let level = match level {
            0 => 1,
            1..=9 => level,
            _ => 9,
        };
        Self(Some((algorithm, level)))
    }

    /// What a text without a code names: `zstd:1`, `zstd` or `none`.
    pub(crate) const fn named(text: &str) -> Option<Self> {
        let (name, level) = match text.as_bytes() {
            // One digit and nothing else: `+5` and `05` parse as numbers too.
            [.., b':', digit @ b'1'..=b'9'] => (text.split_at(text.len() - 2).0, Some(*digit - b'0')),
            _ => (text, None),
        };
        match (Algorithm::named(name), level) {
            (Some(algorithm), Some(level)) => Some(Self(Some((algorithm, level)))),
            (Some(algorithm), None) => Some(Self(Some((algorithm, algorithm.default_level())))),
            (None, _) if equal(text, "none") => Some(Self::NONE),
            (None, _) => None,
        }
    }

    /// The number that stands for these settings in a file.
    pub const fn code(self) -> u32 {
        match self.0 {
            Some((algorithm, level)) => 100 * algorithm.code() + level as u32,
            None => 0,
        }
    }

    /// The settings that `code` stands for, if a writer can use them.
    ///
    /// A file may hold codes that this refuses, and be perfectly readable.
    pub fn from_code(code: u32) -> Result<Self> {
        if code == 0 {
            return Ok(Self::NONE);
        }
        let algorithm = Algorithm::ALL.into_iter().find(|algorithm| algorithm.code() == code / 100);
        let level = u8::try_from(code % 100).ok().filter(|level| (1..=9).contains(level));
        match (algorithm, level) {
            (Some(algorithm), Some(level)) => Ok(Self(Some((algorithm, level)))),
            _ => {
                let codes = Algorithm::ALL.map(|algorithm| {
                    let hundreds = 100 * algorithm.code();
                    format!(", {} to {} ({algorithm})", hundreds + 1, hundreds + 9)
                });
                let message = format!("compression settings {code} are none of 0{}", codes.concat());
                Err(Error::invalid_argument(message))
            }
        }
    }

    /// The algorithm, `None` where nothing is compressed.
    pub const fn algorithm(self) -> Option<Algorithm> {
        match self.0 {
            Some((algorithm, _)) => Some(algorithm),
            None => None,
        }
    }

    /// The level, 0 where nothing is compressed.
    pub const fn level(self) -> u8 {
        match self.0 {
            Some((_, level)) => level,
            None => 0,
        }
    }

    /// What a context takes that compresses pages of this length, in bytes and at most.
    pub(crate) fn context_length(self, page: usize) -> usize {
        self.algorithm().map_or(0, |algorithm| algorithm.context_length(self.level(), page))
    }

    /// Whether everything is stored as it is.
    pub const fn is_none(self) -> bool {
        self.0.is_none()
    }

    /// An error where this build lacks the codec.
    ///
    /// A writer asks before its first entry, since filling cannot fail.
    pub(crate) fn require(self) -> Result<()> {
        match self.algorithm() {
            Some(algorithm) if !algorithm.is_enabled() => Err(algorithm.disabled("writing")),
            _ => Ok(()),
        }
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self::zstd(1)
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((algorithm, level)) => write!(f, "{algorithm}:{level}"),
            None => f.write_str("none"),
        }
    }
}

/// Reads what [`Display`](fmt::Display) writes (`zstd:1`, `none`), algorithms alone (`zstd`, at their
/// [default level](Algorithm::default_level)), and codes (`505`).
impl FromStr for Compression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(settings) = Self::named(text) {
            return Ok(settings);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(code) = text.parse()
        {
            return Self::from_code(code);
        }
        let names = Algorithm::ALL.map(Algorithm::name).join(", ");
        Err(Error::invalid_argument(format!(
            "compression settings `{text}` are neither `none` nor one of {names}, with a level from 1 to 9 \
             (`zstd:1`) or without, nor a code (`505`)"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// None, and every algorithm at every level.
    fn all() -> impl Iterator<Item = Compression> {
        let each = |algorithm| (1..=9).map(move |level| Compression::new(algorithm, level).unwrap());
        std::iter::once(Compression::NONE).chain(Algorithm::ALL.into_iter().flat_map(each))
    }

    #[test]
    fn codes_and_texts_come_back() {
        for settings in all() {
            assert_eq!(Compression::from_code(settings.code()).unwrap(), settings);
            assert_eq!(settings.to_string().parse::<Compression>().unwrap(), settings);
            assert_eq!(settings.code().to_string().parse::<Compression>().unwrap(), settings);
        }
        assert_eq!(all().count(), 37);
    }

    #[test]
    fn no_other_code_is_taken() {
        let known: Vec<u32> = all().map(Compression::code).collect();
        for code in (0..2000).chain([u32::MAX, u32::MAX - 95]) {
            assert_eq!(Compression::from_code(code).is_ok(), known.contains(&code), "{code}");
        }
    }

    #[test]
    fn codes_are_those_of_root() {
        assert_eq!(Compression::zlib(1).code(), 101);
        assert_eq!(Compression::lzma(7).code(), 207);
        assert_eq!(Compression::lz4(4).code(), 404);
        assert_eq!(Compression::zstd(5).code(), 505);
        assert_eq!(Compression::NONE.code(), 0);
        assert!(Compression::NONE.is_none());
        assert_eq!((Compression::NONE.algorithm(), Compression::NONE.level()), (None, 0));
    }

    #[test]
    fn an_algorithm_alone_has_its_default_level() {
        for (text, code) in [("zlib", 106), ("lzma", 207), ("lz4", 404), ("zstd", 501)] {
            assert_eq!(text.parse::<Compression>().unwrap().code(), code, "{text}");
        }
    }

    #[test]
    fn the_default_is_zstd_1() {
        assert_eq!(Compression::default().to_string(), "zstd:1");
        assert_eq!(Compression::default().algorithm(), Some(Algorithm::Zstd));
    }

    #[test]
    fn levels_are_checked_or_clamped() {
        assert_eq!(Compression::new(Algorithm::Zstd, 0).unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert!(Compression::new(Algorithm::Lzma, 10).is_err());
        assert_eq!(Compression::zstd(0).level(), 1);
        assert_eq!(Compression::lz4(255).level(), 9);
        const { assert!(Compression::zlib(6).code() == 106) };
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "zstd1",
            "zstd:",
            "zstd:0",
            "zstd:10",
            "zstd:+5",
            "zstd:05",
            "zstd: 5",
            "ZSTD:5",
            "None",
            "300",
            "301",
            "510",
            "-1",
            "+505",
            "505 ",
            ":5",
            "99999999999999999999",
        ] {
            let error = text.parse::<Compression>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{text}");
        }
    }

    #[test]
    fn a_missing_codec_is_named() {
        let error = Algorithm::Lz4.disabled("reading");
        assert_eq!(error.kind(), ErrorKind::FeatureDisabled);
        assert!(error.to_string().contains("feature `lz4`"), "{error}");
        for settings in all() {
            let enabled = settings.algorithm().is_none_or(Algorithm::is_enabled);
            assert_eq!(settings.require().is_ok(), enabled, "{settings}");
        }
    }
}
