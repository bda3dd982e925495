//! What becomes of a value in a column that cannot hold all of it, computed from the format notes
//! (sections 6.4 and 6.5) and not by the `rntuple` crate.

use half::f16;
use serde_json::Value as Json;

use crate::json::float;

/// How a member asks to be stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stored {
    /// It does not.
    Default,
    /// Another column type, by its name.
    Column(&'static str),
    /// Another column type for the offsets of collections and strings.
    Index(&'static str),
    /// Not compressed, and therefore not split.
    Uncompressed,
    /// Compressed whatever the rest is, and therefore split.
    Compressed,
    /// `Real32Trunc` of so many bits.
    Truncated(u16),
    /// `Real32Quant` of so many bits, from the lowest to the highest value.
    Quantized(u16, f64, f64),
    /// Each `double` as C++'s `Double32_t`.
    Double32,
    /// In several of these ways, each for columns of its own.
    All(&'static [Stored]),
}

impl Stored {
    /// Where the values must lie.
    pub(crate) fn range(self) -> Option<(f64, f64)> {
        match self {
            Self::Quantized(_, min, max) => Some((min, max)),
            Self::All(all) => all.iter().find_map(|stored| stored.range()),
            _ => None,
        }
    }

    /// What a reader must find of a value; `is_double` if the field is one.
    pub(crate) fn value(self, value: Json, is_double: bool) -> Json {
        match value {
            Json::Array(items) => items.into_iter().map(|item| self.value(item, is_double)).collect(),
            Json::Object(members) => {
                members.into_iter().map(|(name, member)| (name, self.value(member, is_double))).collect()
            }
            Json::Number(number) if number.is_f64() => match number.as_f64() {
                Some(exact) => float(self.number(exact, is_double)),
                None => Json::Number(number),
            },
            // The strings for what is not finite, which all encodings of floating point keep.
            other => other,
        }
    }

    fn number(self, exact: f64, is_double: bool) -> f64 {
        #[expect(clippy::cast_possible_truncation, reason = "narrowing is what the column does")]
        let narrow = |wide: f64| wide as f32;
        match self {
            Self::Column(kind) if kind.ends_with("Real16") && is_double => f16::from_f64(exact).to_f64(),
            Self::Column(kind) if kind.ends_with("Real16") => f16::from_f32(narrow(exact)).to_f64(),
            Self::Column(kind) if kind.ends_with("Real32") => f64::from(narrow(exact)),
            Self::All(all) => all.iter().fold(exact, |value, stored| stored.number(value, is_double)),
            Self::Double32 => f64::from(narrow(exact)),
            Self::Default | Self::Column(_) | Self::Index(_) | Self::Uncompressed | Self::Compressed => exact,
            Self::Truncated(bits) => {
                let kept = u32::MAX << (32 - u32::from(bits));
                f64::from(f32::from_bits(narrow(exact).to_bits() & kept))
            }
            Self::Quantized(bits, min, max) => {
                #[expect(clippy::cast_precision_loss, reason = "at most 2^32 - 1")]
                let steps = ((1u64 << bits) - 1) as f64;
                let step = (0.5 + (exact - min) * (steps / (max - min))).floor();
                let value = (step * ((max - min) / steps) + min).min(max);
                if is_double { value } else { f64::from(narrow(value)) }
            }
        }
    }
}
