//! Sorted lists, in which an item may be more than once: what C++'s collections of this kind have in common.

/// What a type has that keeps a list of items in order: its parameters, the first of which the order is of; the list and
/// its items; how they are sorted; its C++ template; what errors call it.
macro_rules! sorted_list {
    (
        [$key:ident $(, $value:ident)?] $type:ident { $list:ident: $item:ty },
        $sort:expr, $template:literal, $wanted:literal
    ) => {
        impl<$key $(, $value)?> $type<$key $(, $value)?> {
            /// Makes an empty one.
            pub const fn new() -> Self {
                Self { $list: Vec::new() }
            }

            /// Removes everything, and keeps the memory.
            pub fn clear(&mut self) {
                self.$list.clear();
            }
        }

        impl<$key $(, $value)?> Default for $type<$key $(, $value)?> {
            fn default() -> Self {
                Self::new()
            }
        }

        /// In ascending order.
        impl<$key $(, $value)?> std::ops::Deref for $type<$key $(, $value)?> {
            type Target = [$item];

            fn deref(&self) -> &[$item] {
                &self.$list
            }
        }

        /// Sorts what is in the list.
        impl<$key: Ord $(, $value)?> From<Vec<$item>> for $type<$key $(, $value)?> {
            fn from(mut $list: Vec<$item>) -> Self {
                $sort(&mut $list);
                Self { $list }
            }
        }

        impl<$key $(, $value)?> From<$type<$key $(, $value)?>> for Vec<$item> {
            fn from(sorted: $type<$key $(, $value)?>) -> Self {
                sorted.$list
            }
        }

        impl<$key: Ord $(, $value)?> FromIterator<$item> for $type<$key $(, $value)?> {
            fn from_iter<I: IntoIterator<Item = $item>>(items: I) -> Self {
                Vec::from_iter(items).into()
            }
        }

        impl<$key: Ord $(, $value)?> Extend<$item> for $type<$key $(, $value)?> {
            fn extend<I: IntoIterator<Item = $item>>(&mut self, items: I) {
                self.$list.extend(items);
                $sort(&mut self.$list);
            }
        }

        impl<$key $(, $value)?> IntoIterator for $type<$key $(, $value)?> {
            type Item = $item;
            type IntoIter = std::vec::IntoIter<$item>;

            fn into_iter(self) -> Self::IntoIter {
                self.$list.into_iter()
            }
        }

        impl<'a, $key $(, $value)?> IntoIterator for &'a $type<$key $(, $value)?> {
            type Item = &'a $item;
            type IntoIter = std::slice::Iter<'a, $item>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<$key, $($value,)? W: FieldWriter<$item>> FieldWriter<$type<$key $(, $value)?>> for CollectionWriter<W> {
            #[inline]
            fn append(&mut self, value: &$type<$key $(, $value)?>) -> usize {
                FieldWriter::<[$item]>::append(self, &value.$list)
            }
        }

        impl<$key: Ord, $($value,)? R: FieldReader<$item>> FieldReader<$type<$key $(, $value)?>>
            for CollectionReader<R>
        {
            fn read(&mut self) -> Result<$type<$key $(, $value)?>> {
                FieldReader::<Vec<$item>>::read(self).map($type::from)
            }

            fn read_into(&mut self, slot: &mut $type<$key $(, $value)?>) -> Result<()> {
                let done = self.read_into(&mut slot.$list);
                // Also after an error: what is there is in order.
                $sort(&mut slot.$list);
                done
            }

            fn reclaim(&mut self, value: &mut $type<$key $(, $value)?>) {
                self.reclaim(&mut value.$list);
            }
        }

        impl<$key: WriteField $(, $value: WriteField)?> WriteField for $type<$key $(, $value)?> {
            type Writer = CollectionWriter<<$item as WriteField>::Writer>;

            fn type_name() -> TypeName {
                TypeName::template($template, [&$key::type_name() $(, &$value::type_name())?])
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                CollectionWriter::declare(field, Self::type_name, <$item as WriteField>::declare)
            }
        }

        impl<$key: ReadField + Ord $(, $value: ReadField)?> ReadField for $type<$key $(, $value)?> {
            type Reader = CollectionReader<<$item as ReadField>::Reader>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                reader.connect(field, $wanted, <$item as ReadField>::connect)
            }
        }
    };
}

pub(super) use sorted_list;
