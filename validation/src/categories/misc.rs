//! `types.fundamental.misc`: bits, bytes and characters.

use rntuple::RNTuple;
use rntuple::cxx::{Byte, CxxChar};

use crate::show::object;

/// A field for each column type, named like it.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the type says it all")]
pub struct Entry {
    #[rntuple(encoding = "Bit")]
    pub bit: bool,
    #[rntuple(encoding = "Byte")]
    pub byte: Byte,
    #[rntuple(encoding = "Char")]
    pub char: CxxChar,
}

object! { Entry { "Bit": bit, "Byte": byte, "Char": char, } }

/// Its entries: ascending, low, high. A `char` may have a sign or not.
pub fn entries() -> Vec<Entry> {
    [(true, 2, 3), (false, 0, 0), (true, 255, 127)]
        .map(|(bit, byte, char)| Entry { bit, byte: Byte(byte), char: CxxChar(char) })
        .into()
}
