//! Expansions, compared with what they were when they were last looked at.
//!
//! Where an item is another one with more attributes, its file has only what the file of the other does not have.
//! `RNTUPLE_BLESS=1 cargo test -p rntuple-derive` writes the files.

mod beyond;

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

fn expand(name: &str, item: TokenStream) -> String {
    let input: syn::DeriveInput = syn::parse2(item).unwrap();
    let expansion = crate::derive(&input);
    let file = syn::parse2(expansion).unwrap_or_else(|error| panic!("{name} is not Rust: {error}"));
    prettyplease::unparse(&file)
}

/// Compares the whole expansion.
fn check(name: &str, item: TokenStream) {
    compare(name, &expand(name, item));
}

/// Compares what the expansion has beyond that of another item, which is compared too.
fn check_beyond((basic, other): (&str, TokenStream), name: &str, item: TokenStream) {
    let other = expand(basic, other);
    compare(basic, &other);
    let parse = |text: &str| syn::parse_file(text).unwrap();
    // Both as they are printed, with the same commas.
    let (found, without) = beyond::beyond(parse(&expand(name, item)), &parse(&other));
    let without: String = without.iter().map(|key| format!("// Without `{key}`.\n")).collect();
    let head = format!("// What `{basic}.rs` does not have.\n{without}");
    compare(name, &(head + &prettyplease::unparse(&found)));
}

fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/golden/expected/{name}.rs"));
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        return std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(found == expected, "{name} differs, first in line {:?}:\n{found}", first.map(|line| line + 1));
}

fn muon(attributes: &TokenStream) -> TokenStream {
    quote! {
        #attributes
        pub struct Muon {
            /// Transverse momentum
            /// in GeV.
            #[rntuple(truncate(bits = 18))]
            pt: f32,
            #[rntuple(quantize(bits = 12, min = -5, max = 5.0), description = "pseudorapidity")]
            eta: f32,
            #[rntuple(representations("SplitReal32", f16, truncate(bits = 18)))]
            mass: f32,
            #[rntuple(rename = "type")]
            r#kind: u8,
            #[rntuple(f16, offsets = "Index32", at("_0", truncate(bits = 12)))]
            hits: Vec<f32>,
            #[rntuple(skip)]
            cache: Option<String>,
        }
    }
}

#[test]
fn record() {
    check("record", muon(&quote!()));
}

#[test]
fn predicates() {
    let item = muon(&quote!(#[rntuple(predicates)]));
    check_beyond(("record", muon(&quote!())), "predicates", item);
}

#[test]
fn projected() {
    let rules = quote! {
        #[rntuple(rename_all = "camelCase")]
        #[rntuple(project(n_hits: Cardinality = "hits", "hit-size": Vec<f32> = "hits"))]
    };
    check_beyond(("record", muon(&quote!())), "projected", muon(&rules));
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
    check("generic_record", track(&quote!(), &quote!()));
}

#[test]
fn columnar() {
    let basic = track(&quote!(), &quote!());
    let item = track(&quote!(#[rntuple(columnar)]), &quote!(#[rntuple(rows)]));
    check_beyond(("generic_record", basic), "columnar", item);
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
    check_beyond(("variant", shape(&quote!())), "columnar_variant", shape(&names));
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
