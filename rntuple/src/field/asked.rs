//! Names of types by which the compiler reports what is wrong with a type once.

use super::WriteField;

/// `T`. The compiler points at the whole name, where the derive has placed it.
pub type Itself<T> = T;

/// `T`, found through the writer of its values.
///
/// A derived type asks its members two questions: can you be written, can you be read? A type without the derive
/// fails both, and the compiler reports both. Where what is read is named in this way, the second question begins
/// with the first one; it then fails in the same words at the same place, which the compiler prints once.
pub type Written<T> = <<T as WriteField>::Writer as MadeFor<T>>::Value;

/// Leads from something that is made for values to the type of these. While it is not known, neither is the type, and
/// nothing more is reported about it.
pub trait MadeFor<T: ?Sized> {
    /// `T`.
    type Value: ?Sized;
}

impl<M, T: ?Sized> MadeFor<T> for M {
    type Value = T;
}
