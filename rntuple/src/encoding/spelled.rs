//! Encodings by the text that shows them.

use std::str::FromStr;

use super::{ColumnEncoding, ColumnType};
use crate::error::Error;

/// The encoding that is shown so.
///
/// ```
/// use rntuple::encoding::{ColumnEncoding, ColumnType};
/// assert_eq!("Real16".parse::<ColumnEncoding>()?, ColumnEncoding::of(ColumnType::Real16));
/// let steps = ColumnEncoding::quantized(12, -1.5, 1000.0)?;
/// assert_eq!(steps.to_string(), "Real32Quant(12, -1.5..1000)");
/// assert_eq!("Real32Quant(12, -1.5..1000)".parse::<ColumnEncoding>()?, steps);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Errors are [`InvalidArgument`](crate::ErrorKind::InvalidArgument).
impl FromStr for ColumnEncoding {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::invalid_argument(format!("{text:?} is no encoding of columns"));
        let (name, arguments) = match text.split_once('(') {
            None => (text, None),
            Some((name, arguments)) => (name, Some(arguments.strip_suffix(')').ok_or_else(unknown)?)),
        };
        let known = |column_type: &ColumnType| column_type.name() == name;
        let column_type =
            (0..=u16::MAX).take(0x100).filter_map(ColumnType::from_code).find(known).ok_or_else(unknown)?;
        let Some(arguments) = arguments else {
            return Self::checked(column_type, Self::of(column_type).bits(), None);
        };
        let (bits, range) = match arguments.split_once(',') {
            None => (arguments, None),
            Some((bits, range)) => {
                let (min, max) = range.trim().split_once("..").ok_or_else(unknown)?;
                let number = |text: &str| text.parse::<f64>().map_err(|_| unknown());
                (bits, Some((number(min)?, number(max)?)))
            }
        };
        Self::checked(column_type, bits.trim().parse().map_err(|_| unknown())?, range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read() {
        let some = [
            ColumnEncoding::of(ColumnType::SplitIndex64),
            ColumnEncoding::truncated(11).unwrap(),
            ColumnEncoding::quantized(7, -0.1, 1e30).unwrap(),
            ColumnEncoding::quantized(32, 1e-20, 2.5).unwrap(),
        ];
        for encoding in some {
            assert_eq!(encoding.to_string().parse::<ColumnEncoding>().unwrap(), encoding);
        }
        for wrong in [
            "",
            "Real",
            "Real32Trunc(3)",
            "Real32Quant",
            "Real32Quant(8)",
            "Real32Trunc(",
            "Real32Quant(8, 1)",
        ] {
            assert!(wrong.parse::<ColumnEncoding>().is_err(), "{wrong}");
        }
    }
}
