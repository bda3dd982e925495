#[doc(hidden)]
#[allow(
    deprecated,
    missing_debug_implementations,
    non_snake_case,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
const _: () = {
    use ::rntuple::__private_0_1 as __rntuple;
    pub struct __MuonWriter {
        pt: <f32 as __rntuple::WriteField>::Writer,
        eta: <f32 as __rntuple::WriteField>::Writer,
        r#kind: <u8 as __rntuple::WriteField>::Writer,
        hits: <Vec<f32> as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Commit for __MuonWriter {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::Commit::commit(&mut self.pt, __cluster);
            __rntuple::Commit::commit(&mut self.eta, __cluster);
            __rntuple::Commit::commit(&mut self.r#kind, __cluster);
            __rntuple::Commit::commit(&mut self.hits, __cluster);
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldWriter<Muon> for __MuonWriter {
        #[inline]
        fn append(&mut self, __value: &Muon) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.pt, &__value.pt);
            __length += __rntuple::FieldWriter::append(&mut self.eta, &__value.eta);
            __length
                += __rntuple::FieldWriter::append(&mut self.r#kind, &__value.r#kind);
            __length += __rntuple::FieldWriter::append(&mut self.hits, &__value.hits);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Muon: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Muon> + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self.pt,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.pt,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self.eta,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.eta,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    u8,
                >::append_each(
                    &mut self.r#kind,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.r#kind,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Vec<f32>,
                >::append_each(
                    &mut self.hits,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.hits,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl __WriteField for Muon {
        type Writer = __MuonWriter;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::known_untyped("Muon")
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record_of(
                __field,
                <Self as __rntuple::WriteField>::type_name,
            );
            __MuonWriter {
                pt: <f32 as __rntuple::WriteField>::declare_member(__field, "pt"),
                eta: <f32 as __rntuple::WriteField>::declare_member(__field, "eta"),
                r#kind: <u8 as __rntuple::WriteField>::declare_member(__field, "kind"),
                hits: <Vec<
                    f32,
                > as __rntuple::WriteField>::declare_member(__field, "hits"),
                __rntuple_end: (),
            }
        }
    }
    pub struct __MuonReader {
        pt: <f32 as __rntuple::ReadField>::Reader,
        eta: <f32 as __rntuple::ReadField>::Reader,
        r#kind: <u8 as __rntuple::ReadField>::Reader,
        hits: <Vec<f32> as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __MuonReader {
        const DETACHED: Self = Self {
            pt: __rntuple::Attach::DETACHED,
            eta: __rntuple::Attach::DETACHED,
            r#kind: __rntuple::Attach::DETACHED,
            hits: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.pt, __to)?;
            __rntuple::Attach::seek(&mut self.eta, __to)?;
            __rntuple::Attach::seek(&mut self.r#kind, __to)?;
            __rntuple::Attach::seek(&mut self.hits, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::Attach::remaining(&self.pt)
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Muon> for __MuonReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Muon> {
            let __m_pt = __rntuple::FieldReader::<f32>::read(&mut self.pt)?;
            let __m_eta = __rntuple::FieldReader::<f32>::read(&mut self.eta)?;
            let __m_kind = __rntuple::FieldReader::<u8>::read(&mut self.r#kind)?;
            let __m_hits = __rntuple::FieldReader::<Vec<f32>>::read(&mut self.hits)?;
            __rntuple::Ok(Muon {
                pt: __m_pt,
                eta: __m_eta,
                r#kind: __m_kind,
                hits: __m_hits,
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Muon) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.pt, &mut __slot.pt)?;
            __rntuple::FieldReader::read_into(&mut self.eta, &mut __slot.eta)?;
            __rntuple::FieldReader::read_into(&mut self.r#kind, &mut __slot.r#kind)?;
            __rntuple::FieldReader::read_into(&mut self.hits, &mut __slot.hits)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Muon) {
            __rntuple::FieldReader::reclaim(&mut self.pt, &mut __slot.pt);
            __rntuple::FieldReader::reclaim(&mut self.eta, &mut __slot.eta);
            __rntuple::FieldReader::reclaim(&mut self.r#kind, &mut __slot.r#kind);
            __rntuple::FieldReader::reclaim(&mut self.hits, &mut __slot.hits);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl __ReadField for Muon {
        type Reader = __MuonReader;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            let __record = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Record,
                "a record",
            )?;
            let mut __members = __rntuple::FieldNode::members(__record);
            <f32 as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("pt", "f32"),
                &mut __reader.pt,
            );
            <f32 as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("eta", "f32"),
                &mut __reader.eta,
            );
            <u8 as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("kind", "u8"),
                &mut __reader.r#kind,
            );
            <Vec<
                f32,
            > as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("hits", "Vec<f32>"),
                &mut __reader.hits,
            );
            __rntuple::Connecting::finish(__members)
        }
    }
    #[automatically_derived]
    impl __rntuple::Entry for Muon {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["pt", "eta", "kind", "hits"],
            flattened: &[],
        };
    }
};
