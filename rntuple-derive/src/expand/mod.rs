//! Tokens from the checked model.
//!
//! Every path is absolute, every call names its trait, and names that users could have too begin with `__`,
//! so that expansions do not depend on what is in scope where they stand.

mod columns;
mod fallback;
mod plain_enum;
mod record;
mod variant;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::DeriveInput;

use crate::ast::{Data, Input, Member};
use crate::attr::Spanned;
use crate::check::check;
use crate::ctxt::Ctxt;
use crate::encoding::Wish;
use crate::{bound, types};

/// The impls for an item; with mistakes in it: the errors, and impls that only exist.
pub(crate) fn expand(item: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let input = Input::read(item, &ctxt);
    check(&input, &ctxt);
    let (items, errors) = match ctxt.finish() {
        Err(errors) => (fallback::expand(&input), errors.to_compile_error()),
        Ok(()) => (expand_data(&input), TokenStream::new()),
    };
    quote! {
        #errors

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
            #items
        };
    }
}

fn expand_data(input: &Input<'_>) -> TokenStream {
    match &input.data {
        Data::Struct(data) => record::expand(input, data),
        Data::Enum(data) if data.is_plain() => plain_enum::expand(input, data),
        Data::Enum(data) => variant::expand(input, data),
        Data::Union(_) => fallback::expand(input),
    }
}

/// One of the two halves of an expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Write,
    Read,
}

/// The halves that are asked for, one behind the other.
fn halves(input: &Input<'_>, write: TokenStream, read: TokenStream) -> TokenStream {
    match (input.attrs.read_only, input.attrs.write_only) {
        (Some(_), _) => read,
        (_, Some(_)) => write,
        (None, None) => quote!(#write #read),
    }
}

impl Side {
    /// The trait of types.
    pub(crate) fn field(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "WriteField" } else { "ReadField" }, span)
    }

    /// The associated type: the columns of a type.
    pub(crate) fn columns(self) -> &'static str {
        if self == Self::Write { "Writer" } else { "Reader" }
    }

    /// The trait of columns that values of one type go through.
    pub(crate) fn values(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "FieldWriter" } else { "FieldReader" }, span)
    }

    /// The trait of columns, whatever goes through them.
    pub(crate) fn any(self) -> Ident {
        Ident::new(if self == Self::Write { "Commit" } else { "Attach" }, Span::call_site())
    }

    /// The struct of the columns of an item.
    pub(crate) fn ident(self, input: &Input<'_>) -> Ident {
        format_ident!("__{}{}", input.ident, self.columns(), span = Span::call_site())
    }

    /// The `number`-th type parameter of that struct.
    pub(crate) fn parameter(self, number: usize) -> Ident {
        let letter = if self == Self::Write { "W" } else { "R" };
        format_ident!("__{letter}{number}", span = Span::call_site())
    }
}

/// The impl of `WriteField` or `ReadField`, around its items.
fn field_impl(input: &Input<'_>, side: Side, items: &TokenStream) -> TokenStream {
    let (private, this, field) = (input.private(), input.this(), side.field(Span::call_site()));
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::field(input, side);
    quote! {
        #[automatically_derived]
        impl #generics #private::#field for #this #bounds {
            #items
        }
    }
}

/// The C++ class of an item.
struct ClassName {
    name: String,
    is_given: bool,
    /// Expressions of type `TypeName`.
    arguments: Vec<TokenStream>,
}

impl ClassName {
    fn of(input: &Input<'_>) -> Self {
        let given = input.attrs.type_name.as_ref();
        let name = given.map_or_else(|| input.name(), |name| name.value.clone());
        let arguments = if name.contains('<') { Vec::new() } else { Self::arguments(input) };
        Self { name, is_given: given.is_some(), arguments }
    }

    /// Types by how C++ spells them, constants by their values.
    fn arguments(input: &Input<'_>) -> Vec<TokenStream> {
        let private = input.private();
        let stored = bound::stored_parameters(input);
        let argument = |parameter: &syn::GenericParam| match parameter {
            syn::GenericParam::Type(ty) => {
                let ident = &ty.ident;
                let is_stored = stored.iter().any(|ty| types::word(ty) == Some(ident));
                is_stored.then(|| quote!(<#ident as #private::WriteField>::type_name()))
            }
            syn::GenericParam::Const(constant) => {
                let ident = &constant.ident;
                Some(quote!(#private::TypeName::typed(#private::ToString::to_string(&#ident))))
            }
            syn::GenericParam::Lifetime(_) => None,
        };
        input.generics.params.iter().filter_map(argument).collect()
    }

    /// An expression of type `TypeName` with all arguments.
    fn typed(&self, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        if arguments.is_empty() {
            quote!(#private::TypeName::typed(#name))
        } else {
            quote!(#private::TypeName::template(#name, [#(&#arguments),*]))
        }
    }

    /// As [`typed`](Self::typed), but a class that was not given may be left out on storage.
    fn optional(&self, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        if self.is_given {
            self.typed(private)
        } else if arguments.is_empty() {
            quote!(#private::TypeName::untyped(#name))
        } else {
            let typed = self.typed(private);
            quote!(#private::TypeName::untyped(#private::TypeName::spelling(&#typed)))
        }
    }

    /// The class of something inside it.
    fn nested(&self, inner: &str, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        if arguments.is_empty() {
            let name = format!("{name}::{inner}");
            quote!(#private::TypeName::typed(#name))
        } else {
            let typed = self.typed(private);
            let inner = format!("::{inner}");
            quote!(#private::TypeName::typed(<[_]>::concat(&[#private::TypeName::spelling(&#typed), #inner])))
        }
    }
}

/// The subfield of this name of the builder `parent`, described and encoded.
fn subfield(
    private: &TokenStream,
    parent: &TokenStream,
    name: &str,
    description: Option<&Spanned<String>>,
    wishes: &[Wish],
) -> TokenStream {
    let mut builder = quote!(#private::FieldBuilder::subfield(#parent, #name));
    if let Some(Spanned { value: text, .. }) = description {
        builder = quote!(#private::FieldBuilder::description(#builder, #text));
    }
    for wish in wishes {
        let packing = wish.encoding.packing(private);
        let span = wish.span.resolved_at(Span::call_site());
        builder = quote_spanned!(span=> #private::FieldBuilder::encoding(#builder, #packing));
    }
    builder
}

/// `<Type as WriteField>::item` or `<Type as ReadField>::item` of a member's type.
fn implementation(input: &Input<'_>, member: &Member<'_>, side: Side, item: &str) -> TokenStream {
    let (ty, span) = (member.tokens(input), member.span());
    let private = input.private_at(span);
    let (field, item) = (side.field(span), Ident::new(item, span));
    quote_spanned!(span=> <#ty as #private::#field>::#item)
}

/// The columns of a member, declared in the record `parent`.
fn declare(input: &Input<'_>, member: &Member<'_>, parent: &TokenStream) -> TokenStream {
    let Member { name, attrs, .. } = member;
    let declare = implementation(input, member, Side::Write, "declare");
    let private = input.private();
    let subfield = subfield(&private, parent, &name.value, attrs.description.as_ref(), &attrs.wishes);
    quote_spanned!(member.span()=> #declare(&mut #subfield))
}

/// The columns of a member, or what is wrong with them, found in the field `parent`.
fn connect(input: &Input<'_>, member: &Member<'_>, parent: &Ident, name: &str) -> TokenStream {
    let connect = implementation(input, member, Side::Read, "connect");
    let (private, wanted) = (input.private_at(member.span()), types::spelled(member.ty.to_token_stream()));
    quote_spanned! {member.span()=>
        match #private::FieldNode::subfield(#parent, #name, #wanted) {
            #private::Ok(__member) => #connect(__member),
            #private::Err(__error) => #private::Err(__error),
        }
    }
}
