//! The methods that take entries, the same for all that is filled entry by entry.

/// Gives a type that has a method `filler`, which makes room for an entry, the methods that take entries.
macro_rules! fill_methods {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            /// Appends one entry.
            ///
            /// # Errors
            /// Only where a page or a cluster has to be written: the storage fails. The entries of the open cluster are
            /// then lost, those of earlier ones are not: no more entries are taken, but `finish` still closes the file.
            ///
            /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for an entry with a value outside the range of a
            /// [quantised](crate::encoding::ColumnEncoding::quantized) column, and for a [`Value`](crate::Value) that is
            /// not as the [schema](crate::schema::SchemaBuilder) says; and for entries outside a transaction of an
            /// [ordered](crate::ParallelWriter::ordered) writer. Nothing of it is appended: others may follow.
            #[inline]
            pub fn fill(&mut self, entry: &T) -> Result<()> {
                self.filler()?.fill(entry)
            }

            /// As [`fill`](Self::fill), for entries of a type that fills the same columns: those of a struct that
            /// borrows may borrow for a shorter time than the writer lives.
            ///
            /// ```
            /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
            /// #[derive(RNTuple)]
            /// struct Event<'a> { hits: &'a [f32] }
            ///
            /// let mut writer = Writer::<Event<'static>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
            /// for count in 0..10 {
            ///     let hits = vec![1.0; count];
            ///     writer.fill_as(&Event { hits: &hits })?;
            /// }
            /// assert_eq!(writer.finish()?.entries, 10);
            /// # Ok::<(), rntuple::Error>(())
            /// ```
            ///
            /// # Errors
            /// As [`fill`](Self::fill).
            #[inline]
            pub fn fill_as<E: ?Sized>(&mut self, entry: &E) -> Result<()>
            where
                T::Writer: FieldWriter<E>,
            {
                self.filler()?.fill(entry)
            }

            /// Appends entries in order.
            ///
            /// # Errors
            /// As [`fill`](Self::fill).
            pub fn fill_all(&mut self, entries: &[T]) -> Result<()>
            where
                T: Sized,
            {
                entries.iter().try_for_each(|entry| self.fill(entry))
            }

            /// Appends many entries, column by column. The values in the file are those that [`fill`](Self::fill)
            /// would write; clusters may end a few entries later.
            ///
            /// ```
            /// # use rntuple::{RNTuple, WriteOptions, Writer, columns::{ListSlice, Lists}, storage::Memory};
            /// #[derive(RNTuple)]
            /// #[rntuple(columnar)]
            /// struct Event { met: f32, hits: Vec<f32> }
            ///
            /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
            /// // From arrays, which are not copied ..
            /// let hits = ListSlice::from_offsets(&[0, 2, 3], &[0.1, 0.2, 0.3][..])?;
            /// writer.fill_columns(EventSlice { met: &[20.0, 30.0], hits })?;
            /// // .. or from columns that were gathered.
            /// let mut events = EventColumns { met: vec![40.0], hits: Lists::from_counts([1], vec![0.4])? };
            /// events.push(&Event { met: 50.0, hits: vec![] });
            /// writer.fill_columns(events.as_slice())?;
            /// assert_eq!(writer.finish()?.entries, 4);
            /// # Ok::<(), rntuple::Error>(())
            /// ```
            ///
            /// # Errors
            /// As [`fill`](Self::fill): if an entry is refused, nothing of any is appended. So it is, with
            /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), if columns do not have the same number of values.
            pub fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()>
            where
                T: WriteColumnar + Sized,
            {
                self.filler()?.check_columns(entries)?;
                let mut start = 0;
                while start < entries.len() {
                    let rest = cut(entries, &(start..entries.len()));
                    start += self.filler()?.fill_columns(rest)?;
                }
                Ok(())
            }

            /// Appends items to a collection of the next entry, before those that the entry itself has. So one entry
            /// may have a collection that does not fit into memory; full pages are written meanwhile.
            ///
            /// `path` is the name of a member that is a collection, with dots between the members on the way to it.
            /// Collections that an entry may have several times, in other collections, arrays and variants, cannot be
            /// written in this way. Nor can options, sets and maps, as pieces are not compared with each other.
            ///
            /// ```
            /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
            /// #[derive(RNTuple, Debug, PartialEq)]
            /// struct Readout { channel: u32, samples: Vec<i16> }
            ///
            /// let mut writer = Writer::<Readout, _>::new(Memory::new(), "Readouts", WriteOptions::new())?;
            /// for block in [[1i16, 2, 3], [4, 5, 6]] {
            ///     writer.append_items("samples", &block)?;
            /// }
            /// writer.fill(&Readout { channel: 9, samples: vec![7] })?;
            ///
            /// let reader = Reader::<Readout>::open(writer.finish_into()?.1, "Readouts")?;
            /// assert_eq!(reader.get(0)?, Readout { channel: 9, samples: vec![1, 2, 3, 4, 5, 6, 7] });
            /// # Ok::<(), rntuple::Error>(())
            /// ```
            ///
            /// No cluster can end within an entry, which begins with its first item. If the entry never follows, the
            /// entries of the open cluster are lost, which `finish` reports.
            ///
            /// # Errors
            /// As [`fill`](Self::fill). And [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if no such collection
            /// is at `path`, or its items are of another type: then nothing is appended.
            pub fn append_items<I: WriteField>(&mut self, path: &str, items: &[I]) -> Result<()> {
                self.filler()?.append_items(path, items)
            }
        }
    };
}

pub(super) use fill_methods;
