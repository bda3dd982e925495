//! Expansions, compared with what they were when they were last looked at.
//!
//! Two files have whole expansions, of a record and of a variant. All others have only what distinguishes an expansion from
//! that of a simpler item. `RNTUPLE_BLESS=1 cargo test -p rntuple-derive` writes the files.

mod difference;

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use difference::difference;

fn expand(item: TokenStream) -> String {
    let input: syn::DeriveInput = syn::parse2(item).unwrap();
    let file = syn::parse2(crate::derive(&input)).expect("an expansion is Rust");
    prettyplease::unparse(&file)
}

/// Compares the whole expansion.
fn check(name: &str, item: TokenStream) {
    compare(&format!("{name}.rs"), &expand(item));
}

/// Compares what distinguishes the expansion from that of a simpler item.
fn check_against(simple: TokenStream, name: &str, item: TokenStream) {
    compare(&format!("{name}.diff"), &difference(&expand(simple), &expand(item)));
}

fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden/expected").join(name);
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        return std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(found == expected, "{name} differs, first in line {:?}:\n{found}", first.map(|line| line + 1));
}

#[test]
fn every_file_is_compared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden/expected");
    let this = include_str!("mod.rs");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(this.contains(&format!("\"{name}\"")), "{} is of no test", path.display());
    }
}

fn muon(attributes: &TokenStream) -> TokenStream {
    quote! {
        #attributes
        pub struct Muon {
            pt: f32,
            eta: f32,
            r#kind: u8,
            hits: Vec<f32>,
        }
    }
}

#[test]
fn record() {
    check("record", muon(&quote!()));
}

#[test]
fn encodings() {
    let item = quote! {
        pub struct Muon {
            /// Transverse momentum
            /// in GeV.
            #[rntuple(truncate(bits = 18), compression = "lz4:4")]
            pt: f32,
            #[rntuple(quantize(bits = 12, min = -5, max = 5.0), description = "pseudorapidity")]
            eta: f32,
            #[rntuple(rename = "type", encoding = "UInt8")]
            r#kind: u8,
            #[rntuple(
                representations("SplitReal32", f16), offsets = "Index32", at("_0", truncate(bits = 12))
            )]
            hits: Vec<f32>,
            #[rntuple(skip)]
            cache: Option<String>,
        }
    };
    check_against(muon(&quote!()), "encodings", item);
}

#[test]
fn predicates() {
    check_against(muon(&quote!()), "predicates", muon(&quote!(#[rntuple(predicates)])));
}

#[test]
fn projected() {
    let rules = quote! {
        #[rntuple(rename_all = "camelCase")]
        #[rntuple(project(n_hits: Cardinality = "hits", "hit-size": Vec<f32> = "hits"))]
    };
    check_against(muon(&quote!()), "projected", muon(&rules));
}

fn track(attributes: &TokenStream, rows: &TokenStream) -> TokenStream {
    quote! {
        #attributes
        pub struct Track<'a, T: Copy = f32, const N: usize = 3>
        where
            T: PartialOrd,
        {
            /// Transverse momentum.
            pub pt: T,
            points: Vec<[T; N]>,
            charges: &'a [i8],
            #[rntuple(with = millis)]
            time: Duration,
            #[rntuple(default)]
            quality: u8,
            #rows
            id: Uuid,
            #[rntuple(skip)]
            marker: PhantomData<T>,
        }
    }
}

#[test]
fn generic_record() {
    let simple = quote! {
        pub struct Track {
            pub pt: f32,
            points: Vec<[f32; 3]>,
            charges: Vec<i8>,
            time: u64,
            quality: u8,
            id: Uuid,
        }
    };
    check_against(simple, "generic_record", track(&quote!(), &quote!()));
}

#[test]
fn columnar() {
    let item = track(&quote!(#[rntuple(columnar)]), &quote!(#[rntuple(rows)]));
    check_against(track(&quote!(), &quote!()), "columnar", item);
}

#[test]
fn newtype() {
    let item = quote!(
        pub(crate) struct Energy(f32);
    );
    let record = quote!(
        pub(crate) struct Energy {
            _0: f32,
        }
    );
    check_against(record, "newtype", item);
}

#[test]
fn plain_enum() {
    let item = quote! {
        #[repr(u8)]
        #[rntuple(type_name = "det::Channel")]
        enum Channel { A, B = 7 }
    };
    let newtype = quote!(
        struct Channel(u8);
    );
    check_against(newtype, "plain_enum", item);
}

fn shape(attributes: &TokenStream) -> TokenStream {
    quote! {
        #[rntuple(crate = ::physics::rntuple)]
        #attributes
        enum Shape<T> {
            #[rntuple(other)]
            Unknown,
            Circle { radius: T, #[rntuple(skip)] area: f32 },
            Polygon(#[rntuple(with = packed)] Vec<(f32, f32)>),
            Pair(u8, f64),
            #[rntuple(type_name = "geo::Nothing")]
            Nothing,
        }
    }
}

#[test]
fn variant() {
    check("variant", shape(&quote!()));
}

#[test]
fn columnar_variant() {
    let names = quote!(#[rntuple(columnar(columns = Shapes, slice = LentShapes, one = LentShape))]);
    check_against(shape(&quote!()), "columnar_variant", shape(&names));
}

#[test]
fn other_forms() {
    let simple = quote! {
        struct Event {
            header: Header,
            start_time: Duration,
            temperature: Celsius,
            vertex: Vertex,
            weight: f32,
            energies: Vec<f64>,
        }
    };
    let item = quote! {
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
    };
    check_against(simple, "other_forms", item);
}

fn energy(attributes: &TokenStream) -> TokenStream {
    quote! {
        #attributes
        struct Energy<T> {
            #[rntuple(truncate(bits = 20), unit = "GeV")]
            value: T,
            #[rntuple(skip)]
            marker: PhantomData<T>,
        }
    }
}

#[test]
fn transparent() {
    check_against(energy(&quote!()), "transparent", energy(&quote!(#[rntuple(transparent)])));
}

#[test]
fn mistakes() {
    let node = |attributes: TokenStream| {
        quote! {
            struct Node<T> {
                #attributes
                value: T,
            }
        }
    };
    check_against(node(quote!()), "mistakes", node(quote!(#[rntuple(renam = "x", encoding = "float")])));
}
