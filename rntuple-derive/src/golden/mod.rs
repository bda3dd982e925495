//! Whole expansions, compared with what they were when somebody last looked at them.
//!
//! `RNTUPLE_BLESS=1 cargo test -p rntuple-derive` writes them anew.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

fn check(name: &str, item: TokenStream) {
    let input: syn::DeriveInput = syn::parse2(item).unwrap();
    let expansion = crate::derive(&input);
    let file = syn::parse2(expansion).unwrap_or_else(|error| panic!("{name} is no Rust: {error}"));
    let found = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/golden/expected/{name}.rs"));
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(found == expected, "{name} differs, first in line {:?}:\n{found}", first.map(|line| line + 1));
}

#[test]
fn record() {
    check(
        "record",
        quote! {
            pub struct Muon {
                /// Transverse momentum
                /// in GeV.
                #[rntuple(truncate(bits = 18))]
                pt: f32,
                #[rntuple(quantize(bits = 12, min = -5, max = 5.0), description = "pseudorapidity")]
                eta: f32,
                #[rntuple(rename = "type")]
                r#kind: u8,
                #[rntuple(f16, offsets = "Index32", at("_0", truncate(bits = 12)))]
                hits: Vec<f32>,
                #[rntuple(skip)]
                cache: Option<String>,
            }
        },
    );
}

#[test]
fn projected() {
    check(
        "projected",
        quote! {
            #[rntuple(rename_all = "camelCase")]
            #[rntuple(project(n_muons: Cardinality = "muons", "muon-pt": Vec<f32> = "muons.pt"))]
            struct Event {
                #[rntuple(representations("SplitReal32", f16, truncate(bits = 18)))]
                met: f32,
                muons: Vec<Muon>,
            }
        },
    );
}

#[test]
fn generic_record() {
    check(
        "generic_record",
        quote! {
            struct Track<'a, T: Copy = f32, const N: usize = 3>
            where
                T: PartialOrd,
            {
                name: &'a str,
                points: Vec<[T; N]>,
                charge: i8,
                #[rntuple(skip)]
                marker: PhantomData<T>,
            }
        },
    );
}

#[test]
fn newtype() {
    check(
        "newtype",
        quote!(
            pub(crate) struct Energy(f32);
        ),
    );
}

#[test]
fn plain_enum() {
    check(
        "plain_enum",
        quote! {
            #[repr(u8)]
            #[rntuple(type_name = "det::Channel")]
            enum Channel { A, B = 7 }
        },
    );
}

#[test]
fn variant() {
    check(
        "variant",
        quote! {
            #[rntuple(crate = ::physics::rntuple)]
            enum Shape<T> {
                #[rntuple(other)]
                Unknown,
                Circle { radius: T, #[rntuple(skip)] area: f32 },
                Polygon(Vec<(f32, f32)>),
                Pair(u8, u8),
                #[rntuple(type_name = "geo::Nothing")]
                Nothing,
            }
        },
    );
}

#[test]
fn other_forms() {
    check(
        "other_forms",
        quote! {
            #[rntuple(
                type_name = "det::Event",
                version = 3,
                rename_all = "camelCase",
                upgrade_from(EventV2, when = version(2), with = upgrade),
                upgrade_from(EventV1, when = lacks("vtx_x"), try_with = revise)
            )]
            struct Event {
                #[rntuple(base)]
                header: Header,
                #[rntuple(alias = "t0", with = millis)]
                start_time: Duration,
                #[rntuple(into = "f32", try_from = "f32", unit = "K", default = room)]
                temperature: Celsius,
                #[rntuple(flatten, prefix = "vtx_")]
                vertex: Vertex,
                #[rntuple(skip_writing, convert = "lossy")]
                weight: f32,
                #[rntuple(skip_reading, compression = "lz4:4", double32)]
                energies: Vec<f64>,
            }
        },
    );
}

#[test]
fn transparent() {
    check(
        "transparent",
        quote! {
            #[rntuple(transparent)]
            struct Energy<T> {
                #[rntuple(truncate(bits = 20), unit = "GeV")]
                value: T,
                #[rntuple(skip)]
                marker: PhantomData<T>,
            }
        },
    );
}

#[test]
fn columnar() {
    check(
        "columnar",
        quote! {
            #[rntuple(columnar)]
            pub struct Muon<'a, T> {
                /// Transverse momentum.
                pub pt: T,
                charges: &'a [i8],
                #[rntuple(with = millis)]
                time: Duration,
                #[rntuple(default)]
                quality: u8,
                #[rntuple(rows)]
                id: Uuid,
                #[rntuple(skip)]
                cache: u8,
            }
        },
    );
}

#[test]
fn columnar_variant() {
    check(
        "columnar_variant",
        quote! {
            #[rntuple(columnar(columns = Shapes, slice = LentShapes, one = LentShape))]
            enum Shape {
                #[rntuple(other)]
                Unknown,
                Circle { radius: f32, #[rntuple(skip)] area: f32 },
                Polygon(#[rntuple(with = packed)] Vec<(f32, f32)>),
                Pair(u8, f64),
                Nothing,
            }
        },
    );
}

#[test]
fn mistakes() {
    check(
        "mistakes",
        quote! {
            struct Node<T> {
                #[rntuple(renam = "x")]
                value: T,
                children: Vec<Node<T>>,
            }
        },
    );
}
