//! Records whose members are all of one type: what vectors, points and complex numbers are.

use crate::cluster::Gathered;
use crate::error::Result;
use crate::field::{Attach, Commit, FieldBuilder, FieldNode, Position, ReadField, WriteField};
use crate::schema::{Role, TypeName};

/// The columns of `N` members of one type, being filled.
#[derive(Debug)]
pub struct RecordWriter<W, const N: usize>(pub(super) [W; N]);

impl<W, const N: usize> RecordWriter<W, N> {
    /// Declares a record of this name with members of these names.
    pub(super) fn declare<T: WriteField<Writer = W>>(
        field: &mut FieldBuilder<'_>,
        name: &TypeName,
        members: [&str; N],
    ) -> Self {
        field.record(name);
        Self(members.map(|member| T::declare(&mut field.subfield(member))))
    }
}

impl<W: Commit, const N: usize> Commit for RecordWriter<W, N> {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.0.iter_mut().for_each(|member| member.commit(cluster));
    }
}

/// The columns of `N` members of one type, being read.
#[derive(Debug)]
pub struct RecordReader<R, const N: usize>(pub(super) [R; N]);

impl<R, const N: usize> RecordReader<R, N> {
    /// Finds a record with members of these names, and maybe others.
    pub(super) fn connect<T: ReadField<Reader = R>>(
        &mut self,
        field: FieldNode<'_>,
        wanted: &str,
        names: [&str; N],
    ) -> Result<()> {
        let mut members = field.expect(Role::Record, wanted)?.members();
        for (name, reader) in names.into_iter().zip(&mut self.0) {
            T::connect_member(&mut members, &(name, wanted), reader);
        }
        members.finish()
    }
}

impl<R: Attach, const N: usize> Attach for RecordReader<R, N> {
    const DETACHED: Self = Self([const { R::DETACHED }; N]);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|member| member.seek(to))
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        // Members advance together, so the first speaks for all.
        self.0.first()?.remaining()
    }
}

/// Types that are records of members of one type.
///
/// `[T: bounds]`: a type parameter, if any; the type and its name on storage; how many members of which type; the
/// members, each with the path to it in the type; how the members make a value.
macro_rules! records {
    ($([$($param:ident $(: $bound:path)?)?] $type:ty, $class:expr, [$item:ty; $count:literal]:
        $($member:ident = $($path:ident).+),+ => $make:expr;)*) => {$(
        impl<$($param $(: $bound)?,)? W: FieldWriter<$item>> FieldWriter<$type> for RecordWriter<W, $count> {
            #[inline]
            fn append(&mut self, value: &$type) -> usize {
                let [$($member),+] = &mut self.0;
                0 $(+ $member.append(&value.$($path).+))+
            }

            #[inline]
            fn append_each<'each, Each>(&mut self, values: Each) -> usize
            where
                $type: 'each,
                Each: ExactSizeIterator<Item = &'each $type> + Clone,
            {
                let [$($member),+] = &mut self.0;
                0 $(+ $member.append_each(values.clone().map(|value| &value.$($path).+)))+
            }
        }

        impl<$($param: WriteField $(+ $bound)?)?> WriteField for $type {
            type Writer = RecordWriter<<$item as WriteField>::Writer, $count>;

            fn type_name() -> TypeName {
                TypeName::untyped($class)
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                RecordWriter::declare::<$item>(field, &Self::type_name(), [$(stringify!($member)),+])
            }
        }

        impl<$($param $(: $bound)?,)? R: FieldReader<$item>> FieldReader<$type> for RecordReader<R, $count> {
            #[inline]
            fn read(&mut self) -> Result<$type> {
                let [$($member),+] = &mut self.0;
                $(let $member = $member.read()?;)+
                Ok($make)
            }
        }

        impl<$($param: ReadField $(+ $bound)?)?> ReadField for $type {
            type Reader = RecordReader<<$item as ReadField>::Reader, $count>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                const WANTED: &str = concat!("a record of" $(, " `", stringify!($member), "`")+);
                reader.connect::<$item>(field, WANTED, [$(stringify!($member)),+])
            }
        }
    )*};
}

pub(super) use records;
