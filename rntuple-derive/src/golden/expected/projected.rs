// What `record.rs` does not have.
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
    #[automatically_derived]
    impl __WriteField for Muon {
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record_of(
                __field,
                <Self as __rntuple::WriteField>::type_name,
            );
            __rntuple::FieldBuilder::project::<
                Cardinality,
            >(__field, "nHits", "Cardinality", "hits");
            __rntuple::FieldBuilder::project::<
                Vec<f32>,
            >(__field, "hit-size", "Vec<f32>", "hits");
            __MuonWriter {
                pt: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::encoding(
                        __rntuple::FieldBuilder::description(
                            __rntuple::FieldBuilder::subfield(__field, "pt"),
                            "Transverse momentum\nin GeV.",
                        ),
                        __rntuple::ColumnEncoding::truncated(18),
                    ),
                ),
                eta: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::encoding(
                        __rntuple::FieldBuilder::description(
                            __rntuple::FieldBuilder::subfield(__field, "eta"),
                            "pseudorapidity",
                        ),
                        __rntuple::ColumnEncoding::quantized(12, -5.0, 5.0),
                    ),
                ),
                mass: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::representations(
                        __rntuple::FieldBuilder::subfield(__field, "mass"),
                        [
                            __rntuple::Ok(
                                __rntuple::ColumnEncoding::of(
                                    __rntuple::ColumnType::SplitReal32,
                                ),
                            ),
                            __rntuple::Ok(
                                __rntuple::ColumnEncoding::of(__rntuple::ColumnType::Real16),
                            ),
                            __rntuple::ColumnEncoding::truncated(18),
                        ],
                    ),
                ),
                r#kind: <u8 as __rntuple::WriteField>::declare_member(__field, "type"),
                hits: <Vec<
                    f32,
                > as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::encoding_at(
                        __rntuple::FieldBuilder::encoding(
                            __rntuple::FieldBuilder::encoding(
                                __rntuple::FieldBuilder::subfield(__field, "hits"),
                                __rntuple::Ok(
                                    __rntuple::ColumnEncoding::of(__rntuple::ColumnType::Real16),
                                ),
                            ),
                            __rntuple::Ok(
                                __rntuple::ColumnEncoding::of(
                                    __rntuple::ColumnType::Index32,
                                ),
                            ),
                        ),
                        "_0",
                        __rntuple::ColumnEncoding::truncated(12),
                    ),
                ),
                __rntuple_end: (),
            }
        }
    }
};
