//! `types.string`: strings with each encoding of offsets.

use super::collections::Indexed;

/// Its entries: ascending, empty, beyond ASCII, of increasing length.
pub fn entries() -> Vec<Indexed<String>> {
    [["a", "b", "c", "d"], [""; 4], ["🐣"; 4], ["a", "bc", "def", "ghij"]]
        .map(|strings| Indexed::new(strings.map(str::to_owned)))
        .into()
}
