//! The model: what was written, with the attributes read but the rules not yet checked.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Fields, Generics, Path, Type, Visibility};

use crate::attr::{ContainerAttrs, Fallback, MemberAttrs, Place, Rule, Spanned, VariantAttrs};
use crate::ctxt::Ctxt;
use crate::side::Side;
use crate::types;

/// The item under `#[derive(RNTuple)]`.
pub(crate) struct Input<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// Without `Self`: bounds are needed in impls of other types.
    pub(crate) generics: Generics,
    pub(crate) attrs: ContainerAttrs,
    pub(crate) data: Data<'a>,
}

pub(crate) enum Data<'a> {
    Struct(Struct<'a>),
    Enum(Enum<'a>),
    /// An error in any case.
    Union(&'a syn::DataUnion),
}

/// How the members of a struct or variant are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{ pt: f32 }`: a record.
    Named,
    /// `(f32)`: the columns of the one member.
    Newtype,
    /// `(f32, f32)`: a record whose members are `_0`, `_1`.
    Tuple,
    /// Nothing: an empty record.
    Unit,
}

pub(crate) struct Struct<'a> {
    pub(crate) shape: Shape,
    pub(crate) members: Vec<Member<'a>>,
}

pub(crate) struct Enum<'a> {
    pub(crate) variants: Vec<Variant<'a>>,
}

pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    /// The name that is kept on storage.
    pub(crate) name: String,
    pub(crate) attrs: VariantAttrs,
    pub(crate) shape: Shape,
    pub(crate) members: Vec<Member<'a>>,
}

pub(crate) struct Member<'a> {
    /// The name or number by which Rust knows it.
    pub(crate) member: syn::Member,
    /// The field's name.
    pub(crate) name: Spanned<String>,
    pub(crate) vis: &'a Visibility,
    /// The type as written.
    pub(crate) ty: &'a Type,
    pub(crate) attrs: MemberAttrs,
}

/// In which form a value goes through the columns of a member.
#[derive(Clone, Copy)]
pub(crate) enum Form<'a> {
    /// Its own.
    Own,
    /// That of a module: `Stored`, `store`, `load`.
    Module(&'a Path),
    /// That of another type, which it is made from or into.
    Type(&'a Type),
    /// That of another type, of which not every value will do.
    Checked(&'a Type),
}

/// What all names of an item follow.
#[derive(Clone, Copy, Default)]
struct Naming {
    rule: Option<Rule>,
    serde: bool,
}

impl<'a> Input<'a> {
    pub(crate) fn read(input: &'a DeriveInput, ctxt: &Ctxt) -> Self {
        let place = if matches!(input.data, syn::Data::Enum(_)) { Place::Enum } else { Place::Struct };
        let mut attrs = ContainerAttrs::read(&input.attrs, place, ctxt);
        let this = this(&input.ident, &input.generics);
        let generics = types::generics_without_self(&input.generics, &this);
        for predicate in attrs.bound.iter_mut().flatten() {
            *predicate = types::bound_without_self(predicate, &this);
        }
        let rule = |rule: &Option<Spanned<Rule>>| rule.as_ref().map(|rule| rule.value);
        let (all, of_fields) = (rule(&attrs.rename_all), rule(&attrs.rename_all_fields));
        for projection in attrs.projections.iter_mut().filter(|projection| !projection.is_verbatim) {
            let name = &mut projection.name.value;
            *name = all.map_or_else(|| name.clone(), |rule| rule.member(name));
        }
        let serde = attrs.serde_compat.is_some();
        let data = match &input.data {
            syn::Data::Struct(data) => {
                let (mut shape, members) = members(&data.fields, Naming { rule: all, serde }, ctxt);
                let stored = members.iter().filter(|member| !member.attrs.is_skipped()).count();
                if attrs.transparent.is_some() && stored == 1 {
                    shape = Shape::Newtype;
                }
                Data::Struct(Struct { shape, members })
            }
            syn::Data::Enum(data) => {
                let read = |variant: &'a syn::Variant| {
                    let attrs = VariantAttrs::read(&variant.attrs, serde, ctxt);
                    let own = variant.ident.unraw().to_string();
                    let name = match (&attrs.rename, all) {
                        (Some(name), _) => name.value.clone(),
                        (None, Some(rule)) => rule.variant(&own),
                        (None, None) => own,
                    };
                    let naming = Naming { rule: rule(&attrs.rename_all).or(of_fields), serde };
                    let (shape, members) = members(&variant.fields, naming, ctxt);
                    Variant { ident: &variant.ident, name, attrs, shape, members }
                };
                Data::Enum(Enum { variants: data.variants.iter().map(read).collect() })
            }
            syn::Data::Union(data) => Data::Union(data),
        };
        Self { ident: &input.ident, vis: &input.vis, generics, attrs, data }
    }

    /// Where the runtime is for expansions, in a module of this version: another one cannot be taken for it.
    pub(crate) fn runtime(&self) -> TokenStream {
        match &self.attrs.krate {
            Some(path) => quote!(#path::__private_0_1),
            None => quote!(::rntuple::__private_0_1),
        }
    }

    /// The name that stands for [`runtime`](Self::runtime) in expansions: a short one, and one that the compiler
    /// complains about once if it leads nowhere.
    pub(crate) fn private(&self) -> TokenStream {
        quote!(__rntuple)
    }

    /// As [`private`](Self::private), for code about what is written at `span`.
    pub(crate) fn private_at(&self, span: Span) -> TokenStream {
        let located = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        self.private().into_iter().map(located).collect()
    }

    /// The type with its generic arguments.
    pub(crate) fn this(&self) -> TokenStream {
        this(self.ident, &self.generics)
    }

    /// A path of an attribute, `Self` replaced by the type: it is needed in impls of other types.
    pub(crate) fn named(&self, path: &Path) -> TokenStream {
        let this = self.this();
        types::without_self(path.to_token_stream(), &quote!(<#this>))
    }

    /// The name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The members of the struct, or of all variants.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member<'a>> {
        let (members, variants): (&[_], &[_]) = match &self.data {
            Data::Struct(data) => (&data.members, &[]),
            Data::Enum(data) => (&[], &data.variants),
            Data::Union(_) => (&[], &[]),
        };
        members.iter().chain(variants.iter().flat_map(|variant: &Variant<'_>| &variant.members))
    }

    /// The members that have columns.
    pub(crate) fn stored(&self, side: Side) -> impl Iterator<Item = &Member<'a>> {
        self.members().filter(move |member| member.has_columns(side))
    }

    /// Whether a half of the expansion is wanted.
    pub(crate) fn has(&self, side: Side) -> bool {
        match side {
            Side::Write => self.attrs.skip_writing.is_none(),
            Side::Read => self.attrs.skip_reading.is_none(),
        }
    }
}

impl Struct<'_> {
    /// Whether it has the columns of the one value inside it.
    pub(crate) fn is_newtype(&self) -> bool {
        self.shape == Shape::Newtype && self.members.iter().filter(|member| member.is_stored()).count() == 1
    }
}

impl<'a> Enum<'a> {
    /// Whether it is stored as integers.
    pub(crate) fn is_plain(&self) -> bool {
        self.variants.iter().all(|variant| variant.shape == Shape::Unit)
    }

    /// The variants that are stored, by the numbers that they have there.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = (usize, &Variant<'a>)> {
        let stored = self.variants.iter().filter(|variant| variant.attrs.other.is_none());
        stored.enumerate().map(|(position, variant)| {
            let number = variant.attrs.tag.as_ref().and_then(|tag| usize::try_from(tag.value).ok());
            (number.unwrap_or(position), variant)
        })
    }

    /// The variant for values that are none of the others.
    pub(crate) fn other(&self) -> Option<&Variant<'a>> {
        self.variants.iter().find(|variant| variant.attrs.other.is_some())
    }
}

impl Variant<'_> {
    /// What a function about it is called.
    pub(crate) fn accessor(&self) -> String {
        Rule::Snake.variant(&self.ident.unraw().to_string())
    }
}

impl Variant<'_> {
    /// The name of a member among columns: `circle_radius`, or `circle` of the one value of `Circle(f32)`.
    pub(crate) fn column_name(&self, member: &Member<'_>) -> Ident {
        let own = self.accessor();
        let name = match &member.member {
            _ if self.shape == Shape::Newtype => own,
            syn::Member::Named(ident) => format!("{own}_{}", ident.unraw()),
            syn::Member::Unnamed(index) => format!("{own}_{}", index.index),
        };
        match syn::parse_str::<Ident>(&name) {
            // `gen` is a word of Rust only since its edition of 2024.
            Ok(_) if name != "gen" => Ident::new(&name, member.span()),
            // These cannot be raw.
            Err(_) if matches!(&*name, "crate" | "super") => format_ident!("{name}_", span = member.span()),
            _ => Ident::new_raw(&name, member.span()),
        }
    }
}

impl Member<'_> {
    /// The name of a struct's member among columns.
    pub(crate) fn column_name(&self) -> Ident {
        match &self.member {
            syn::Member::Named(ident) => ident.clone(),
            syn::Member::Unnamed(index) => format_ident!("_{}", index.index, span = self.span()),
        }
    }

    /// Whether there is anything of it in files.
    pub(crate) fn is_stored(&self) -> bool {
        self.has_columns(Side::Write) || self.has_columns(Side::Read)
    }

    /// Whether it is written, or read.
    pub(crate) fn has_columns(&self, side: Side) -> bool {
        let one = if side == Side::Write { self.attrs.skip_writing } else { self.attrs.skip_reading };
        !self.attrs.is_skipped() && one.is_none()
    }

    /// Where errors about the member point: at its type, resolved as the macro's own names are. It is the
    /// same for all that is made of a member, for then the compiler tells a mistake once.
    pub(crate) fn span(&self) -> Span {
        self.ty.span().resolved_at(Span::call_site())
    }

    /// The type, to be named in impls of other types.
    pub(crate) fn tokens(&self, input: &Input<'_>) -> TokenStream {
        types::without_self(self.ty.to_token_stream(), &input.this())
    }

    /// The form in which values are written or read.
    pub(crate) fn form(&self, side: Side) -> Form<'_> {
        let MemberAttrs { with, from, into, try_from, .. } = &self.attrs;
        match (with, side) {
            (Some(module), _) => Form::Module(&module.value),
            (None, Side::Write) => into.as_ref().map_or(Form::Own, |ty| Form::Type(&ty.value)),
            (None, Side::Read) => match (from, try_from) {
                (Some(ty), _) => Form::Type(&ty.value),
                (None, Some(ty)) => Form::Checked(&ty.value),
                (None, None) => Form::Own,
            },
        }
    }

    /// Whether not every value of the stored type is one of the member's.
    pub(crate) fn can_fail(&self) -> bool {
        matches!(self.form(Side::Read), Form::Module(_) | Form::Checked(_))
    }

    /// Whether it goes through columns of another form than its own, in either direction.
    pub(crate) fn is_converted(&self) -> bool {
        [Side::Write, Side::Read].into_iter().any(|side| !matches!(self.form(side), Form::Own))
    }

    /// What it is where there is nothing to be read; `None` if it must be in the file.
    pub(crate) fn fallback(&self, input: &Input<'_>) -> Option<Fallback> {
        let own = self.attrs.default.as_ref().map(|default| default.value.clone());
        own.or_else(|| match &input.attrs.default.as_ref()?.value {
            Fallback::Trait => Some(Fallback::OfContainer(None)),
            Fallback::Function(path) => Some(Fallback::OfContainer(Some(path.clone()))),
            Fallback::OfContainer(_) => None,
        })
    }

    /// Whether its values are kept as they are among columns.
    pub(crate) fn is_rows(&self) -> bool {
        self.attrs.rows.is_some() || self.is_converted()
    }

    /// The type whose columns it has.
    pub(crate) fn stored_type(&self, input: &Input<'_>, side: Side) -> TokenStream {
        match self.form(side) {
            Form::Own => self.tokens(input),
            Form::Module(module) => {
                let span = module.span().resolved_at(Span::call_site());
                quote_spanned!(span=> #module::Stored)
            }
            Form::Type(ty) | Form::Checked(ty) => types::without_self(ty.to_token_stream(), &input.this()),
        }
    }

    /// The type whose columns it has, as expansions name it where they need that it is stored.
    ///
    /// A type that cannot be stored should be one error. The compiler prints what it says several times at one
    /// place in the same words only once. So the name of a type that may be such a one is put at the place of the
    /// member, and a type that is both written and read is read through the alias `Written`, which first needs that it
    /// is written.
    pub(crate) fn asked_type(&self, input: &Input<'_>, side: Side) -> TokenStream {
        let Some(written) = self.written_type(side) else { return self.stored_type(input, side) };
        let mentions = types::mentions(written, &input.generics);
        if mentions.lifetime || mentions.parameter {
            return self.stored_type(input, side);
        }
        let asked = |side| self.written_type(side).filter(|_| input.has(side) && self.has_columns(side));
        let is_asked_twice = asked(Side::Write).is_some() && asked(Side::Write) == asked(Side::Read);
        let is_structure = types::is_structure(written);
        let place = self.span();
        let private = input.private_at(place);
        let mut ty = written.clone();
        types::for_each_leaf(&mut ty, &mut |leaf| {
            if types::is_known(leaf) {
                return;
            }
            let tokens = types::at(leaf.to_token_stream(), place);
            if is_asked_twice && (is_structure || side == Side::Read) {
                *leaf = Type::Verbatim(quote_spanned!(place=> #private::Written<#tokens>));
            } else if !is_structure {
                *leaf = Type::Verbatim(quote_spanned!(place=> #private::Itself<#tokens>));
            }
        });
        types::without_self(ty.into_token_stream(), &input.this())
    }

    /// The type whose columns it has, where it is written in the item.
    pub(crate) fn written_type(&self, side: Side) -> Option<&Type> {
        match self.form(side) {
            Form::Own => Some(self.ty),
            Form::Module(_) => None,
            Form::Type(ty) | Form::Checked(ty) => Some(ty),
        }
    }
}

/// A type with its generic arguments.
fn this(ident: &Ident, generics: &Generics) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    quote!(#ident #arguments)
}

fn members<'a>(fields: &'a Fields, naming: Naming, ctxt: &Ctxt) -> (Shape, Vec<Member<'a>>) {
    let shape = match fields {
        Fields::Named(_) => Shape::Named,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Shape::Newtype,
        Fields::Unnamed(_) => Shape::Tuple,
        Fields::Unit => Shape::Unit,
    };
    let mut bases = 0;
    let read = |(field, member): (&'a syn::Field, syn::Member)| {
        let attrs = MemberAttrs::read(&field.attrs, naming.serde, ctxt);
        let name = match (&attrs.rename, &member) {
            _ if attrs.base.is_some() => {
                // Format, section 9.2: bases are numbered, in front of the members.
                bases += 1;
                let span = attrs.base.unwrap_or_else(Span::call_site);
                Spanned { value: format!(":_{}", bases - 1), span }
            }
            (Some(name), _) => name.clone(),
            (None, syn::Member::Named(ident)) => {
                let name = ident.unraw().to_string();
                let value = naming.rule.map_or_else(|| name.clone(), |rule| rule.member(&name));
                Spanned { value, span: ident.span() }
            }
            (None, syn::Member::Unnamed(index)) => {
                Spanned { value: format!("_{}", index.index), span: field.ty.span() }
            }
        };
        Member { member, name, vis: &field.vis, ty: &field.ty, attrs }
    };
    (shape, fields.iter().zip(fields.members()).map(read).collect())
}
