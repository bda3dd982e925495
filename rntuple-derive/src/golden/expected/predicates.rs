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
    impl __rntuple::Fields for Muon {
        type At = MuonFields;
        fn at(__path: __rntuple::FieldPath) -> Self::At {
            MuonFields {
                pt: <f32 as __rntuple::Fields>::at(
                    __rntuple::FieldPath::member(&__path, "pt"),
                ),
                eta: <f32 as __rntuple::Fields>::at(
                    __rntuple::FieldPath::member(&__path, "eta"),
                ),
                mass: <f32 as __rntuple::Fields>::at(
                    __rntuple::FieldPath::member(&__path, "mass"),
                ),
                r#kind: <u8 as __rntuple::Fields>::at(
                    __rntuple::FieldPath::member(&__path, "type"),
                ),
                hits: <Vec<
                    f32,
                > as __rntuple::Fields>::at(
                    __rntuple::FieldPath::member(&__path, "hits"),
                ),
                __rntuple_end: (),
            }
        }
    }
};
///The fields of [`Muon`], for predicates.
#[allow(
    dead_code,
    missing_debug_implementations,
    non_snake_case,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct MuonFields {
    ///`pt`
    pt: <f32 as ::rntuple::__private_0_1::Fields>::At,
    ///`eta`
    eta: <f32 as ::rntuple::__private_0_1::Fields>::At,
    ///`mass`
    mass: <f32 as ::rntuple::__private_0_1::Fields>::At,
    ///`type`
    r#kind: <u8 as ::rntuple::__private_0_1::Fields>::At,
    ///`hits`
    hits: <Vec<f32> as ::rntuple::__private_0_1::Fields>::At,
    __rntuple_end: (),
}
