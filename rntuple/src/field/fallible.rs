//! Arrays of values that may fail to be made.

use crate::error::Result;

/// An array of what `make` gives, until it fails.
#[inline]
pub(super) fn try_from_fn<T, const N: usize>(mut make: impl FnMut() -> Result<T>) -> Result<[T; N]> {
    let mut fault = None;
    let slots: [Option<T>; N] = std::array::from_fn(|_| match fault {
        Some(_) => None,
        None => make().map_err(|error| fault = Some(error)).ok(),
    });
    match fault {
        Some(error) => Err(error),
        #[expect(clippy::unreachable, reason = "without a fault every slot was filled")]
        None => Ok(slots.map(|slot| slot.unwrap_or_else(|| unreachable!()))),
    }
}
