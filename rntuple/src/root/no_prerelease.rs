//! What a build without the feature `prerelease` has in place of the module of that name: an error that names both
//! the layout and the feature.

use super::anchor::{Anchor, EnvelopeSpan};
use crate::bytes::{Block, Cursor};
use crate::error::{Error, Result};
use crate::format_version::{FormatVersion, disabled};

/// Says which layout the anchor is of, as far as its class version says.
pub(super) fn read(payload: &[u8], _envelope: impl Fn(EnvelopeSpan) -> Result<Block>) -> Result<Anchor> {
    let mut cursor = Cursor::new(payload, 0);
    cursor.u32_be()?; // byte count
    Err(match cursor.u16_be()? {
        0 => disabled(format_args!("{} or the prototype before it", FormatVersion::Rc10)),
        3 => disabled(format_args!("{} or {}", FormatVersion::Rc11, FormatVersion::Rc12.name())),
        4 => disabled(FormatVersion::Rc20),
        6 => disabled(FormatVersion::Rc21),
        other => {
            let message = format!("the pre-release anchor has class version {other}, expected 0, 3, 4 or 6");
            Error::unsupported(message)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn layout_and_feature_are_named() {
        let error = |class_version| {
            let unread = |_| panic!("no envelope says more");
            read(&[0x40, 0, 0, 0x36, 0, class_version], unread).unwrap_err()
        };
        for (class_version, layout) in
            [(0, "rc1.0 or the prototype before it"), (3, "rc1.1 or rc1.2"), (4, "rc2.0"), (6, "rc2.1")]
        {
            let error = error(class_version);
            assert_eq!(error.kind(), ErrorKind::FeatureDisabled);
            let wanted = format!(
                "reading pre-release {layout} needs the Cargo feature `prerelease` of the crate rntuple"
            );
            assert_eq!(error.to_string(), wanted);
        }
        assert_eq!(error(5).kind(), ErrorKind::Unsupported);
    }
}
