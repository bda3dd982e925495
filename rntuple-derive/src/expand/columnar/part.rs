//! A column: its types, and how values come into it and out of it.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::Visibility;
use syn::ext::IdentExt as _;

use crate::ast::{Data, Form, Input, Member, Variant};
use crate::expand::columns::Column;
use crate::expand::{read, write};
use crate::side::Side;
use crate::types::{self, SCALARS, last_word};

/// A member, and its column.
pub(super) struct Part<'a> {
    /// The column's name.
    pub(super) ident: Ident,
    pub(super) column: &'a Column<'a>,
}

impl<'a> Part<'a> {
    /// That of a member of a struct.
    pub(super) fn of_struct(column: &'a Column<'a>) -> Self {
        Self { ident: column.member.column_name(), column }
    }

    /// That of a member of an alternative.
    pub(super) fn of_variant(column: &'a Column<'a>, variant: &Variant<'_>) -> Self {
        Self { ident: variant.column_name(column.member), column }
    }

    pub(super) fn member(&self) -> &'a Member<'a> {
        self.column.member
    }

    pub(super) fn span(&self) -> Span {
        self.column.span
    }

    /// The name at the place of the type, where what is wrong with that is reported.
    pub(super) fn placed(&self) -> Ident {
        let mut ident = self.ident.clone();
        ident.set_span(self.ident.span().located_at(self.span()));
        ident
    }

    /// The name as text.
    pub(super) fn label(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The member's type.
    fn ty(&self, input: &Input<'_>) -> TokenStream {
        placed(self.member().tokens(input), self.span())
    }

    /// A statement that appends the value of the expression `value`, a reference, to the columns `to`.
    pub(super) fn push(&self, input: &Input<'_>, value: &TokenStream, to: &TokenStream) -> TokenStream {
        let (span, private, ty) = (self.span(), input.private_at(self.span()), self.ty(input));
        if self.member().is_rows() {
            quote_spanned!(span=> #private::Rows::push(&mut #to, #value);)
        } else {
            quote_spanned!(span=> <#ty as #private::Columnar>::push_to(#value, &mut #to);)
        }
    }

    /// A statement that reads the next `count` values into the columns `to`.
    pub(super) fn read(&self, input: &Input<'_>, count: &TokenStream, to: &TokenStream) -> TokenStream {
        let (span, member, ident) = (self.span(), self.member(), &self.column.ident);
        let (private, ty) = (input.private_at(span), self.ty(input));
        let each = |value: TokenStream| {
            let push = self.push(input, &quote_spanned!(span=> &__value), to);
            quote_spanned!(span=> for _ in 0..#count { let __value: #ty = #value; #push })
        };
        if !member.has_columns(Side::Read) {
            return each(read::absent(input, member));
        }
        let fallback = member.fallback(input);
        if member.is_rows() {
            return match self.is_read_as_rows(input) {
                true => quote_spanned!(span=> #private::Rows::read(&mut #to, &mut __reader.#ident, #count)?;),
                false => {
                    let value = read::value_of(input, self.column, "__reader");
                    quote_spanned!(span=> for _ in 0..#count { let __value: #ty = #value; #to.0.push(__value); })
                }
            };
        }
        match (fallback, self.column.is_alternative) {
            (Some(_), _) => {
                let absent = read::absent(input, member);
                quote_spanned! {span=>
                    #private::DefaultReader::read_columns::<#ty>(
                        &mut __reader.#ident, #count, &mut #to, || #absent,
                    )?;
                }
            }
            (None, true) => quote_spanned! {span=>
                #private::DefaultReader::read_alternative::<#ty>(&mut __reader.#ident, #count, &mut #to)?;
            },
            (None, false) => quote_spanned! {span=>
                <#ty as #private::ReadColumnar>::read_columns(&mut __reader.#ident, #count, &mut #to)?;
            },
        }
    }

    /// Whether values are kept as they are, and read so.
    fn is_read_as_rows(&self, input: &Input<'_>) -> bool {
        let member = self.member();
        member.is_rows()
            && member.has_columns(Side::Read)
            && matches!(member.form(Side::Read), Form::Own)
            && !self.column.is_optional(input)
    }

    /// An expression that lends the next `count` values, with the columns `spare` for what is not in pages.
    pub(super) fn lend(&self, input: &Input<'_>, count: &TokenStream, spare: &TokenStream) -> TokenStream {
        let (span, member, ident) = (self.span(), self.member(), &self.column.ident);
        let (private, ty) = (input.private_at(span), self.ty(input));
        if self.is_read_as_rows(input) {
            return quote_spanned!(span=> #private::Rows::lend(&mut #spare, &mut __reader.#ident, #count)?);
        }
        if member.is_rows() || !member.has_columns(Side::Read) {
            let read = self.read(input, count, spare);
            return quote_spanned! {span=> {
                #private::Columns::clear(&mut #spare);
                #read
                #private::Columns::as_slice(&#spare)
            }};
        }
        match (member.fallback(input), self.column.is_alternative) {
            (Some(_), _) => {
                let absent = read::absent(input, member);
                quote_spanned! {span=>
                    #private::DefaultReader::lend::<#ty>(
                        &mut __reader.#ident, #count, &mut #spare, || #absent,
                    )?
                }
            }
            (None, true) => quote_spanned! {span=>
                #private::DefaultReader::lend_alternative::<#ty>(&mut __reader.#ident, #count, &mut #spare)?
            },
            (None, false) => quote_spanned! {span=>
                <#ty as #private::ReadColumnar>::lend(&mut __reader.#ident, #count, &mut #spare)?
            },
        }
    }

    /// An expression that appends the slice `values` and is their length; `None` if the member is not written.
    pub(super) fn append(&self, input: &Input<'_>, values: &TokenStream) -> Option<TokenStream> {
        let (span, member, ident) = (self.span(), self.member(), &self.column.ident);
        if !member.has_columns(Side::Write) {
            return None;
        }
        let (private, ty) = (input.private_at(span), self.ty(input));
        if !member.is_rows() {
            return Some(quote_spanned! {span=>
                <#ty as #private::WriteColumnar>::append_columns(&mut __writer.#ident, #values)
            });
        }
        Some(match write::stored(input, self.column, &quote_spanned!(span=> __value)) {
            None => quote_spanned! {span=>
                #private::FieldWriter::<#ty>::append_slice(&mut __writer.#ident, #values.0)
            },
            Some(stored) => {
                let ty = member.stored_type(input, Side::Write);
                quote_spanned! {span=>
                    #private::append_converted::<#ty, _>(
                        &mut __writer.#ident,
                        #private::Iterator::map(#values.0.iter(), |__value| #stored),
                    )
                }
            }
        })
    }
}

/// The types of a member's values: in columns, in a slice, alone.
pub(super) struct Types {
    pub(super) columns: TokenStream,
    pub(super) slice: TokenStream,
    pub(super) one: TokenStream,
}

impl Types {
    /// With paths that begin with `runtime`.
    pub(super) fn of(input: &Input<'_>, member: &Member<'_>, runtime: &TokenStream) -> Self {
        let span = member.span();
        let runtime = types::at(runtime.clone(), span);
        let ty = placed(types::with_lifetime(member.tokens(input), "static"), span);
        if member.is_rows() {
            return Self {
                columns: quote_spanned!(span=> #runtime::RowsOf<#ty>),
                slice: quote_spanned!(span=> #runtime::RowSliceOf<'a, #ty>),
                one: quote_spanned!(span=> &'a #ty),
            };
        }
        Self {
            columns: quote_spanned!(span=> #runtime::ColumnsOf<#ty>),
            slice: quote_spanned!(span=> #runtime::SliceOf<'a, #ty>),
            one: quote_spanned!(span=> #runtime::RefOf<'a, #ty>),
        }
    }
}

/// The type parameters that a skipped member of an enum mentions and no stored one does. They are in its place in the
/// enum of one value, which has to use all parameters that it has.
pub(super) fn unstored<'a>(input: &'a Input<'_>, member: &Member<'_>) -> Vec<&'a Ident> {
    if member.is_stored() {
        return Vec::new();
    }
    let mut parameters = types::parameters_in(member.ty, &input.generics);
    for stored in input.members().filter(|member| member.is_stored()) {
        // To look at all members for each one takes its time.
        if parameters.is_empty() {
            break;
        }
        let mentioned = types::parameters_in(stored.ty, &input.generics);
        parameters.retain(|parameter| !mentioned.contains(parameter));
    }
    parameters
}

/// A type, all of it at one place: the compiler reports what is wrong with it at one place once.
fn placed(ty: TokenStream, span: Span) -> TokenStream {
    // What `$crate` is, only its own span says.
    if ty.to_string().contains('$') { types::at(ty, span) } else { moved(ty, span) }
}

/// The tokens, as if they were the macro's own and stood at that place.
fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = TokenTree::Group(Group::new(group.delimiter(), moved(group.stream(), span)));
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(token).collect()
}

/// Who may see a member's column: those who see the member, or the enum.
pub(super) fn visibility<'a>(input: &'a Input<'_>, member: &Member<'a>) -> &'a Visibility {
    match &input.data {
        Data::Enum(_) => input.vis,
        _ => member.vis,
    }
}

/// What is said about a member's column.
pub(super) fn doc(input: &Input<'_>, member: &Member<'_>) -> String {
    match &member.attrs.description {
        Some(text) => text.value.clone(),
        None => format!("`{}` of [`{}`].", member.column_name().unraw(), input.name()),
    }
}

/// Whether values of the member's type are known to count the memory that they take.
pub(super) fn is_counted(member: &Member<'_>) -> bool {
    is_certain(member) || !member.is_rows() && last_word(member.ty).is_some_and(|word| word == "Vec")
}

/// Whether the member's type is known to be columnar.
pub(super) fn is_certain(member: &Member<'_>) -> bool {
    let is_known = |word: &Ident| word == "String" || SCALARS.iter().any(|scalar| word == scalar);
    !member.is_rows() && last_word(member.ty).is_some_and(is_known)
}
