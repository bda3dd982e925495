//! Values that are dropped in one place: by code of this crate, or by one function of a program.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// A value in a box, which this crate drops.
///
/// The code that drops a value is compiled in every crate that may do so, and in most parts of it: a generic struct with
/// members of this crate costs each program all of theirs. Of these members it has one call, if the box is made by a
/// function that is not generic.
pub(crate) struct Hidden<T: Discard>(ManuallyDrop<Option<Box<T>>>);

/// A type of this crate whose values it drops: [`discards`] implements it.
pub(crate) trait Discard {
    fn discard(self: Box<Self>);
}

/// Compiles the code that drops a type in this crate. A default method would be compiled in each program.
macro_rules! discards {
    ($type:ty) => {
        impl crate::hidden::Discard for $type {
            #[inline(never)]
            fn discard(self: Box<Self>) {
                drop(self);
            }
        }
    };
}

pub(crate) use discards;

impl<T: Discard> Hidden<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(ManuallyDrop::new(Some(Box::new(value))))
    }

    /// Takes the value out.
    pub(crate) fn into_inner(mut self) -> T {
        match self.0.take() {
            Some(value) => *value,
            None => gone(),
        }
    }
}

/// There is no value, which happens only while one is dropped.
#[cold]
#[inline(never)]
#[expect(clippy::unreachable, reason = "the value stays until the box is dropped")]
fn gone() -> ! {
    unreachable!()
}

impl<T: Discard> Drop for Hidden<T> {
    #[inline]
    fn drop(&mut self) {
        // The member is `ManuallyDrop`, as in `Boxed`.
        if let Some(value) = self.0.take() {
            value.discard();
        }
    }
}

impl<T: Discard> Deref for Hidden<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &*self.0 {
            Some(value) => value,
            None => gone(),
        }
    }
}

impl<T: Discard> DerefMut for Hidden<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match &mut *self.0 {
            Some(value) => value,
            None => gone(),
        }
    }
}

impl<T: Discard + Clone> Clone for Hidden<T> {
    fn clone(&self) -> Self {
        Self::new((**self).clone())
    }
}

impl<T: Discard + fmt::Debug> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A value in a box, of a type of the program.
///
/// The code that drops the columns of a large struct is large. A program has it in one function, and not wherever
/// something is dropped that has the columns.
#[derive(Debug)]
pub(crate) struct Boxed<T>(ManuallyDrop<Option<Box<T>>>);

impl<T> Boxed<T> {
    /// A function of its own: were it part of another one, that would have code to drop the value if there is no memory.
    #[inline(never)]
    pub(crate) fn new(value: T) -> Self {
        Self(ManuallyDrop::new(Some(Box::new(value))))
    }
}

#[inline(never)]
fn discard<T>(value: Box<T>) {
    drop(value);
}

impl<T> Drop for Boxed<T> {
    #[inline]
    fn drop(&mut self) {
        // The member is `ManuallyDrop`, because the compiler would otherwise emit the drop code of `T` in each codegen unit
        // that drops a box, even though nothing is left to drop.
        if let Some(value) = self.0.take() {
            discard(value);
        }
    }
}

impl<T> Deref for Boxed<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &*self.0 {
            Some(value) => value,
            None => gone(),
        }
    }
}

impl<T> DerefMut for Boxed<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match &mut *self.0 {
            Some(value) => value,
            None => gone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    discards!(Vec<i32>);
    discards!(Arc<()>);

    #[test]
    fn a_hidden_value_is_changed_taken_and_dropped() {
        let mut list = Hidden::new(vec![1]);
        list.push(2);
        assert_eq!(*list, [1, 2]);
        assert_eq!(list.into_inner(), [1, 2]);
        let shared = Arc::new(());
        drop(Hidden::new(shared.clone()));
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    #[test]
    fn a_boxed_value_is_dropped_once() {
        let shared = Arc::new(5);
        let mut boxed = Boxed::new((shared.clone(), 1));
        boxed.1 += 1;
        assert_eq!((boxed.1, Arc::strong_count(&shared)), (2, 2));
        drop(boxed);
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}
