//! Tuples: records whose members are `_0`, `_1`, ...

use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField, visits,
};
use crate::error::Result;
use crate::schema::{Role, TypeName};

/// The columns of a tuple's members, being filled.
#[derive(Debug)]
pub struct TupleWriter<W>(pub(super) W);

/// The columns of a tuple's members, being read.
#[derive(Debug)]
pub struct TupleReader<R>(pub(super) R);

impl<KW, VW> TupleWriter<(KW, VW)> {
    /// Appends the pairs of a map, whose halves lie apart in memory.
    #[inline]
    pub(super) fn append_pairs<'a, K: 'a, V: 'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a K, &'a V)>,
    ) -> usize
    where
        KW: FieldWriter<K>,
        VW: FieldWriter<V>,
    {
        pairs.map(|(key, value)| self.0.0.append(key) + self.0.1.append(value)).sum()
    }
}

macro_rules! tuples {
    ($($count:literal $template:literal: $($type:ident $column:ident $index:tt $name:literal)+;)*) => {$(
        visits! { Commit for [$($column: Commit),+] TupleWriter<($($column,)+)>: $(0 . $index),+ }

        impl<$($type, $column: FieldWriter<$type>),+> FieldWriter<($($type,)+)> for TupleWriter<($($column,)+)> {
            #[inline]
            fn append(&mut self, value: &($($type,)+)) -> usize {
                0 $(+ self.0.$index.append(&value.$index))+
            }

            #[inline]
            fn append_each<'a, Each>(&mut self, values: Each) -> usize
            where
                ($($type,)+): 'a,
                Each: ExactSizeIterator<Item = &'a ($($type,)+)> + Clone,
            {
                0 $(+ self.0.$index.append_each(values.clone().map(|value| &value.$index)))+
            }
        }

        impl<$($type: WriteField),+> WriteField for ($($type,)+) {
            type Writer = TupleWriter<($($type::Writer,)+)>;

            fn type_name() -> TypeName {
                TypeName::template($template, [$(&$type::type_name()),+])
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                field.record(&Self::type_name());
                TupleWriter(($($type::declare(&mut field.subfield($name)),)+))
            }
        }

        visits! {
            Attach for [$($column: Attach),+] TupleReader<($($column,)+)>: $(0 . $index),+;
            Self(($($column::DETACHED,)+))
        }

        impl<$($type, $column: FieldReader<$type>),+> FieldReader<($($type,)+)> for TupleReader<($($column,)+)> {
            #[inline]
            fn read(&mut self) -> Result<($($type,)+)> {
                Ok(($(self.0.$index.read()?,)+))
            }

            #[inline]
            fn read_into(&mut self, slot: &mut ($($type,)+)) -> Result<()> {
                $(self.0.$index.read_into(&mut slot.$index)?;)+
                Ok(())
            }
        }

        impl<$($type: ReadField),+> ReadField for ($($type,)+) {
            type Reader = TupleReader<($($type::Reader,)+)>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                const WANTED: &str = concat!("a tuple of ", $count);
                let record = field.expect(Role::Record, WANTED)?;
                if record.child_count() != $count {
                    return Err(record.mismatch(WANTED));
                }
                let mut members = record.members();
                $($type::connect_member(&mut members, &($name, WANTED), &mut reader.0.$index);)+
                members.finish()
            }
        }
    )*};
}

// `std::pair` and `std::tuple` of two are alike on storage; ROOT's users write pairs.
tuples! {
    1 "std::tuple": A WA 0 "_0";
    2 "std::pair": A WA 0 "_0" B WB 1 "_1";
    3 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2";
    4 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3";
    5 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4";
    6 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5";
    7 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6";
    8 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6"
        H WH 7 "_7";
    9 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6"
        H WH 7 "_7" I WI 8 "_8";
    10 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6"
        H WH 7 "_7" I WI 8 "_8" J WJ 9 "_9";
    11 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6"
        H WH 7 "_7" I WI 8 "_8" J WJ 9 "_9" K WK 10 "_10";
    12 "std::tuple": A WA 0 "_0" B WB 1 "_1" C WC 2 "_2" D WD 3 "_3" E WE 4 "_4" F WF 5 "_5" G WG 6 "_6"
        H WH 7 "_7" I WI 8 "_8" J WJ 9 "_9" K WK 10 "_10" L WL 11 "_11";
}
