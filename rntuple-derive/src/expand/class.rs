//! The C++ class of an item.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ast::Input;
use crate::{bound, types};

/// The C++ class of an item.
pub(super) struct ClassName {
    pub(super) name: String,
    is_given: bool,
    /// It may stand only where no class is needed.
    is_untyped: bool,
    version: Option<u32>,
    /// Expressions of type `TypeName`.
    arguments: Vec<TokenStream>,
}

impl ClassName {
    pub(super) fn of(input: &Input<'_>) -> Self {
        let given = input.attrs.type_name.as_ref();
        let name = given.map_or_else(|| input.name(), |name| name.value.clone());
        let arguments = if name.contains('<') { Vec::new() } else { Self::arguments(input) };
        Self {
            name,
            is_given: given.is_some(),
            is_untyped: input.attrs.untyped.is_some(),
            version: input.attrs.version.as_ref().map(|version| version.value),
            arguments,
        }
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

    /// The same, where it was given.
    pub(super) fn given(&self, private: &TokenStream) -> Option<TokenStream> {
        self.is_given.then(|| self.typed(private))
    }

    /// An expression of type `TypeName` with all arguments.
    pub(super) fn typed(&self, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        if arguments.is_empty() {
            quote!(#private::TypeName::known(#name))
        } else {
            quote!(#private::TypeName::template(#name, [#(&#arguments),*]))
        }
    }

    /// As [`typed`](Self::typed), but a class that was not given may be left out on storage.
    pub(super) fn optional(&self, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        let class = if self.is_given {
            self.typed(private)
        } else if arguments.is_empty() {
            quote!(#private::TypeName::known_untyped(#name))
        } else {
            let typed = self.typed(private);
            quote!(#private::TypeName::untyped(#private::TypeName::spelling(&#typed)))
        };
        match self.version {
            _ if self.is_untyped => quote!(#private::TypeName::without_class(#class)),
            Some(version) => {
                let version = Literal::u32_unsuffixed(version);
                quote!(#private::TypeName::version(#class, #version))
            }
            None => class,
        }
    }

    /// The class of something inside it.
    pub(super) fn nested(&self, inner: &str, private: &TokenStream) -> TokenStream {
        let Self { name, arguments, .. } = self;
        if arguments.is_empty() {
            let name = format!("{name}::{inner}");
            quote!(#private::TypeName::known(#name))
        } else {
            let typed = self.typed(private);
            let inner = format!("::{inner}");
            quote!(#private::TypeName::typed(<[_]>::concat(&[#private::TypeName::spelling(&#typed), #inner])))
        }
    }
}
