//! What is asked of columns and only passed on to their members, written once.

/// Implements [`Commit`](super::Commit) or [`Attach`](super::Attach) for columns that only visit their members. For the
/// second trait, the value of `DETACHED` comes last.
///
/// This is a macro and not a trait with a method that takes `&mut dyn FnMut(&mut dyn Attach)`: its code is the code that was
/// written by hand, and a `dyn` costs a table of functions for each type of columns in each program.
macro_rules! visits {
    (Commit for [$($generics:tt)*] $columns:ty: $($($member:tt).+),+) => {
        impl<$($generics)*> $crate::field::Commit for $columns {
            fn commit(&mut self, cluster: &mut $crate::field::Gathered<'_>) {
                $($crate::field::Commit::commit(&mut self.$($member).+, cluster);)+
            }
        }
    };
    (Attach for [$($generics:tt)*] $columns:ty: $($($member:tt).+),+; $detached:expr) => {
        impl<$($generics)*> $crate::field::Attach for $columns {
            const DETACHED: Self = $detached;

            fn seek(&mut self, to: $crate::field::Position<'_>) -> $crate::error::Result<()> {
                $($crate::field::Attach::seek(&mut self.$($member).+, to)?;)+
                Ok(())
            }

            #[inline]
            fn remaining(&self) -> Option<u64> {
                // Members advance together, so the first that has columns speaks for all.
                None $(.or_else(|| $crate::field::Attach::remaining(&self.$($member).+)))+
            }
        }
    };
}

pub(crate) use visits;
