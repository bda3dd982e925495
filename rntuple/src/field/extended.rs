//! An entry, and what was added to it later.

use super::{Commit, Entry, FieldBuilder, FieldWriter, WriteField};
use crate::cluster::Gathered;
use crate::error::Result;
use crate::hidden::Boxed;
use crate::schema::TypeName;

/// Entries of type `T` with the members of `X` beside theirs: what a writer writes after
/// [`extend`](crate::Writer::extend).
///
/// To read both, declare a struct that flattens both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extended<T, X> {
    /// The members that were there from the beginning.
    pub base: T,
    /// The members that came later.
    pub extra: X,
}

/// The columns of an entry, and those that were added later.
#[derive(Debug)]
pub struct ExtendedWriter<T, X> {
    base: Boxed<T>,
    extra: Boxed<X>,
}

impl<T, X> ExtendedWriter<T, X> {
    pub(crate) fn new(base: Boxed<T>, extra: Boxed<X>) -> Self {
        Self { base, extra }
    }
}

impl<T: Entry, X: Entry> Entry for Extended<T, X> {}

impl<T: WriteField, X: WriteField> WriteField for Extended<T, X> {
    type Writer = ExtendedWriter<T::Writer, X::Writer>;

    fn type_name() -> TypeName {
        TypeName::untyped("Extended")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.record(&Self::type_name());
        let base = T::declare(&mut field.half());
        let extra = X::declare(&mut field.half());
        ExtendedWriter::new(Boxed::new(base), Boxed::new(extra))
    }
}

impl<T: Commit, X: Commit> Commit for ExtendedWriter<T, X> {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.base.commit(cluster);
        self.extra.commit(cluster);
    }
}

impl<T, X, A, B> FieldWriter<Extended<A, B>> for ExtendedWriter<T, X>
where
    T: FieldWriter<A>,
    X: FieldWriter<B>,
{
    #[inline]
    fn check(&self, value: &Extended<A, B>) -> Result<()> {
        self.base.check(&value.base)?;
        self.extra.check(&value.extra)
    }

    #[inline]
    fn append(&mut self, value: &Extended<A, B>) -> usize {
        self.base.append(&value.base) + self.extra.append(&value.extra)
    }
}

impl<T, X, A, B> FieldWriter<(&A, &B)> for ExtendedWriter<T, X>
where
    A: ?Sized,
    B: ?Sized,
    T: FieldWriter<A>,
    X: FieldWriter<B>,
{
    #[inline]
    fn check(&self, (base, extra): &(&A, &B)) -> Result<()> {
        self.base.check(base)?;
        self.extra.check(extra)
    }

    #[inline]
    fn append(&mut self, (base, extra): &(&A, &B)) -> usize {
        self.base.append(base) + self.extra.append(extra)
    }
}
