//! The codecs, in one table.
//!
//! A new one is a file in this folder, its `mod` line and its rows in the table here, and a Cargo feature of its name.

mod codec;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "lzma")]
mod lzma;
#[cfg(feature = "zlib")]
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

use std::fmt;

pub(super) use self::codec::{Decode, Effort, Encode};
use crate::error::{Error, ErrorKind, Result};
use crate::message::constant::equal;

macro_rules! table {
    ($(
        $(#[$doc:meta])*
        $code:literal $algorithm:ident $feature:literal level $level:literal, in $module:ident, writes $written:ident {$(
            $(#[$format_doc:meta])*
            $magic:literal $(or $other:pat_param)? => $format:ident $name:ident, $most:expr, $decoder:ident;
        )*}
    )*) => {
        /// A compression algorithm that a writer can choose.
        ///
        /// Readers support one more, the deflate of ROOT before 2010, which is no longer written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Algorithm {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\nCode ", $code, ", Cargo feature `", $feature, "`, level ", $level, " by default.")]
                $algorithm,
            )*
        }

        impl Algorithm {
            /// Every algorithm, in the order of the codes.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$algorithm),*];

            /// The hundreds of a settings code (3 was the old deflate).
            pub const fn code(self) -> u32 {
                match self {
                    $(Self::$algorithm => $code,)*
                }
            }

            /// The name in settings, which is also the name of the Cargo feature that brings the codec.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$algorithm => $feature,)*
                }
            }

            /// The level where none is named: this crate's for zstd, a good choice for zlib, otherwise ROOT's.
            pub const fn default_level(self) -> u8 {
                match self {
                    $(Self::$algorithm => $level,)*
                }
            }

            /// Whether this build has the codec: see the Cargo features of the crate.
            pub const fn is_enabled(self) -> bool {
                match self {
                    $(Self::$algorithm => cfg!(feature = $feature),)*
                }
            }

            /// What a context takes that compresses pages of this length, in bytes and at most. 0 where this build lacks
            /// it.
            pub(super) fn context_length(self, level: u8, page: usize) -> usize {
                let _ = (level, page);
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        Self::$algorithm => $module::context_length(level, page),
                        #[cfg(not(feature = $feature))]
                        Self::$algorithm => 0,
                    )*
                }
            }

            /// The format of its chunks.
            pub(super) fn format(self) -> Format {
                match self {
                    $(Self::$algorithm => Format::$written,)*
                }
            }
        }

        /// What a payload is, as the first three bytes of its chunk say: magic and method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Format {
            $($(
                $(#[$format_doc])*
                $format,
            )*)*
        }

        impl Format {
            /// The first bytes of its chunks.
            pub(super) fn magic(self) -> [u8; 3] {
                match self {
                    $($(Self::$format => *$magic,)*)*
                }
            }

            /// The format of a chunk with these first bytes.
            pub(super) fn from_magic(magic: [u8; 3]) -> Option<Self> {
                match &magic {
                    $($($magic $(| $other)? => Some(Self::$format),)*)*
                    _ => None,
                }
            }

            /// The algorithm that it belongs to.
            #[cfg(feature = "recover")]
            pub(super) fn algorithm(self) -> Algorithm {
                match self {
                    $($(Self::$format => Algorithm::$algorithm,)*)*
                }
            }

            /// The most bytes of content that one byte of payload can stand for.
            pub(super) fn most_per_byte(self) -> usize {
                match self {
                    $($(Self::$format => $most,)*)*
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $($(Self::$format => stringify!($name),)*)*
                }
            }
        }

        /// The encoders of one thread.
        #[derive(Default)]
        pub(super) struct Encoders {
            $(
                #[cfg(feature = $feature)]
                $module: $module::Encoder,
            )*
        }

        impl Encoders {
            /// That of an algorithm; an error where this build lacks it.
            pub(super) fn of(&mut self, algorithm: Algorithm) -> Result<&mut dyn Encode> {
                match algorithm {
                    $(
                        #[cfg(feature = $feature)]
                        Algorithm::$algorithm => Ok(&mut self.$module),
                        #[cfg(not(feature = $feature))]
                        Algorithm::$algorithm => Err(algorithm.disabled("writing")),
                    )*
                }
            }
        }

        /// The decoders of one thread.
        #[derive(Default)]
        pub(super) struct Decoders {
            $($(
                #[cfg(feature = $feature)]
                $name: $module::$decoder,
            )*)*
        }

        impl Decoders {
            /// That of a format; an error where this build lacks it.
            pub(super) fn of(&mut self, format: Format) -> Result<&mut dyn Decode> {
                match format {
                    $($(
                        #[cfg(feature = $feature)]
                        Format::$format => Ok(&mut self.$name),
                        #[cfg(not(feature = $feature))]
                        Format::$format => Err(Algorithm::$algorithm.disabled("reading")),
                    )*)*
                }
            }
        }
    };
}

// THE TABLE. Of each algorithm: the hundreds of its codes, the Cargo feature that brings it and is its name, its default
// level, its module, the format of what it writes. Of each format that it reads: the first bytes of a chunk, its name in
// code and in messages, the most bytes of content that one byte of payload can stand for, the decoder in the module.
table! {
    /// DEFLATE in a zlib stream: slow to write, read by everything.
    1 Zlib "zlib" level 6, in zlib, writes Zlib {
        // 258 bytes for two codes, length and distance, of one bit each.
        /// A zlib stream.
        b"ZL\x08" => Zlib zlib, 258 * 4, Decoder;
        /// A bare deflate stream, by ROOT of long ago.
        b"CS\x08" => Deflate deflate, 258 * 4, BareDecoder;
    }
    /// LZMA2 in an `.xz` stream: the smallest and by far the slowest.
    2 Lzma "lzma" level 7, in lzma, writes Xz {
        // 273 bytes for 14 binary decisions of log2(2048/2017) bits each make 7090.
        /// An `.xz` stream.
        b"XZ\x00" => Xz xz, 8192, Decoder;
    }
    /// LZ4: the fastest, both ways, and the largest.
    4 Lz4 "lz4" level 4, in lz4, writes Lz4 {
        // The method is the version of the library that wrote it and says nothing of the block. A byte 255 makes a match
        // longer by that much.
        /// XXH64 and an LZ4 block.
        b"L4\x01" or [b'L', b'4', _] => Lz4 lz4, 255, Decoder;
    }
    /// Zstandard: the default.
    5 Zstd "zstd" level 1, in zstd, writes Zstd {
        // 128 KiB for a block of one repeated byte, which takes 4.
        /// A zstd frame.
        b"ZS\x01" => Zstd zstd, (128 << 10) / 4, Decoder;
    }
}

impl Algorithm {
    /// The algorithm of this name.
    pub(crate) const fn named(name: &str) -> Option<Self> {
        let mut rest: &[Self] = &Self::ALL;
        while let [algorithm, others @ ..] = rest {
            if equal(algorithm.name(), name) {
                return Some(*algorithm);
            }
            rest = others;
        }
        None
    }

    /// The error of a build without the codec, which `doing` needs.
    #[cold]
    pub(super) fn disabled(self, doing: &str) -> Error {
        let message = format!("{doing} {self} needs the Cargo feature `{self}` of the crate rntuple");
        Error::new(ErrorKind::FeatureDisabled, message)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
