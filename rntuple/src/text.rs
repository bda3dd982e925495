//! Characters that a name must not have.

/// Whether a character ends a line, moves the cursor, or turns the direction of the text around it: a name with one
/// looks like another name.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_every_script_are_fine() {
        // Between some letters an invisible joiner is part of how a word is spelled.
        assert!(!"größe µ 光子 مرحبا שלום नमस्ते क्\u{200d}ष".contains(is_deceptive));
        for bad in ["\n", "\u{7f}", "\u{85}", "\u{61c}", "\u{2028}", "\u{202e}", "\u{2069}"] {
            assert!(bad.contains(is_deceptive), "{bad:?}");
        }
    }
}
