//! The values of attributes: flags, strings, paths, lists of arguments.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, ExprCall, ExprLit, ExprRange, ExprUnary, Lit, Meta, MetaNameValue, Path, RangeLimits,
    Token, Type, UnOp, WherePredicate,
};

use super::form::{Columnar, Fallback, Projection, Spanned, Upgrade, When};
use super::rename::Rule;
use super::word::listed;
use crate::ctxt::Ctxt;
use crate::types::spelled;

/// `kind` is what the value should be: "a string".
fn usage(meta: &Meta, kind: &str, example: &str) -> syn::Error {
    let word = meta.path().to_token_stream();
    syn::Error::new_spanned(meta, format!("`{word}` needs {kind}\nhelp: write it as `{word} = {example}`"))
}

/// The words inside `#[rntuple(..)]`.
pub(super) fn words(attribute: &Attribute) -> syn::Result<Vec<Meta>> {
    let Meta::List(list) = &attribute.meta else {
        let message = "`rntuple` needs a list of attributes in parentheses\nhelp: write it as `#[rntuple(rename = \"pt\")]`";
        return Err(syn::Error::new_spanned(&attribute.meta, message));
    };
    let (mut words, mut rest) = (Vec::new(), list.tokens.clone().into_iter().peekable());
    while rest.peek().is_some() {
        let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
        let word: TokenStream = rest.by_ref().take_while(|token| !is_comma(token)).collect();
        let meta = syn::parse2(word.clone()).map_err(|_| no_word(&word, &list.path))?;
        // `flatten(prefix = "jet_")` is `flatten, prefix = "jet_"`.
        match inside(&meta, "flatten") {
            Some(prefix) if prefix.path().is_ident("prefix") => {
                words.extend([Meta::Path(meta.path().clone()), prefix]);
            }
            _ => words.push(meta),
        }
    }
    Ok(words)
}

/// The one argument of a word.
fn inside(meta: &Meta, word: &str) -> Option<Meta> {
    let Meta::List(list) = meta else { return None };
    if list.path.is_ident(word) { list.parse_args().ok() } else { None }
}

fn no_word(word: &TokenStream, path: &Path) -> syn::Error {
    let has_angle = |token: TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '<');
    let help = if word.clone().into_iter().any(has_angle) {
        "write types with `<` in quotes: `from = \"Vec<u8>\"`"
    } else {
        "an attribute is a word, with or without a value: `f16`, `rename = \"pt\"`, `truncate(bits = 18)`"
    };
    let written = spelled(word.clone());
    match word.is_empty() {
        true => {
            syn::Error::new_spanned(path, format!("an attribute is missing between commas\nhelp: {help}"))
        }
        false => syn::Error::new_spanned(word, format!("`{written}` cannot be understood\nhelp: {help}")),
    }
}

/// The span of a word without a value.
pub(super) fn flag(meta: &Meta) -> syn::Result<Span> {
    match meta {
        Meta::Path(path) => Ok(path.span()),
        _ => {
            let word = meta.path().to_token_stream();
            Err(syn::Error::new_spanned(meta, format!("`{word}` takes no value\nhelp: write `{word}` alone")))
        }
    }
}

/// `flatten`, of which [`words`] took the prefix.
pub(super) fn flatten(meta: &Meta) -> syn::Result<Span> {
    let Some(argument) = inside(meta, "flatten") else { return flag(meta) };
    let message = "no such argument\nhelp: there is `prefix = \"jet_\"`";
    Err(syn::Error::new_spanned(argument.path(), message))
}

/// Whether a word is true: alone, or with `true` or `false`.
pub(super) fn truth(meta: &Meta) -> syn::Result<Spanned<bool>> {
    let span = meta.path().span();
    match (meta, value(meta)) {
        (Meta::Path(_), _) => Ok(Spanned { value: true, span }),
        (_, Some(Expr::Lit(ExprLit { lit: Lit::Bool(truth), .. }))) => {
            Ok(Spanned { value: truth.value, span })
        }
        _ => {
            let word = meta.path().to_token_stream();
            let message =
                format!("`{word}` is `true` or `false`\nhelp: write `{word}` alone, or `{word} = false`");
            Err(syn::Error::new_spanned(meta, message))
        }
    }
}

/// The value after `=`, without the groups around arguments of macros.
fn value(meta: &Meta) -> Option<&Expr> {
    match meta {
        Meta::NameValue(MetaNameValue { value, .. }) => Some(ungrouped(value)),
        _ => None,
    }
}

fn ungrouped(mut value: &Expr) -> &Expr {
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    value
}

pub(super) fn literal(meta: &Meta, example: &str) -> syn::Result<syn::LitStr> {
    match value(meta) {
        Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
        _ => Err(usage(meta, "a string", example)),
    }
}

pub(super) fn string(meta: &Meta, example: &str) -> syn::Result<Spanned<String>> {
    let text = literal(meta, example)?;
    Ok(Spanned { value: text.value(), span: text.span() })
}

/// The path of something, as serde writes it (a string) or as it is.
pub(super) fn path(meta: &Meta, of: &str, example: &str) -> syn::Result<Path> {
    let path = match value(meta) {
        Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
        Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => text.parse().ok(),
        _ => None,
    };
    path.ok_or_else(|| usage(meta, &format!("the path of {of}"), example))
}

/// A name that something new gets.
pub(super) fn ident(meta: &Meta, example: &str) -> syn::Result<syn::Ident> {
    let usage = || usage(meta, "a name", example);
    let path = path(meta, "a type", example).map_err(|_| usage())?;
    path.get_ident().cloned().ok_or_else(usage)
}

/// A type, as serde writes it (a string) or as it is, where the grammar of attributes has room for it.
pub(super) fn ty(meta: &Meta) -> syn::Result<Spanned<Type>> {
    let span = meta.path().span();
    let ty = match value(meta) {
        Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => text.parse().ok(),
        Some(value) => syn::parse2(value.to_token_stream()).ok(),
        None => None,
    };
    Ok(Spanned { value: ty.ok_or_else(|| usage(meta, "a type", "\"Vec<u8>\""))?, span })
}

/// A number that counts something.
pub(super) fn integer(meta: &Meta, example: &str) -> syn::Result<Spanned<u32>> {
    let Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) = value(meta) else {
        return Err(usage(meta, "a number", example));
    };
    let value = number.base10_parse().map_err(|_| {
        let help = format!("help: write a number from 0 to {}", u32::MAX);
        syn::Error::new_spanned(number, format!("this number is too large or too small\n{help}"))
    })?;
    Ok(Spanned { value, span: number.span() })
}

pub(super) type Bounds = Punctuated<WherePredicate, Token![,]>;

/// `bound = "T: Clone"`
pub(super) fn bounds(meta: &Meta) -> syn::Result<Bounds> {
    let text = literal(meta, "\"T: Clone\"")?;
    text.parse_with(Punctuated::parse_terminated).map_err(|_| {
        let found = text.value();
        let help = "help: write it as `bound = \"T: Clone, U: Copy\"`";
        let message = format!("`bound` needs a comma-separated list of bounds, found `{found}`\n{help}");
        syn::Error::new(text.span(), message)
    })
}

/// `convert = "lossy"`
pub(super) fn lossy(meta: &Meta) -> syn::Result<Span> {
    let text = string(meta, "\"lossy\"")?;
    if text.value != "lossy" {
        let message = "conversions are exact unless they are `\"lossy\"`";
        let help = "help: write `convert = \"lossy\"`, or remove it";
        return Err(syn::Error::new(text.span, format!("{message}\n{help}")));
    }
    Ok(meta.path().span())
}

/// `default`, `default = path`
pub(super) fn fallback(meta: &Meta) -> syn::Result<Spanned<Fallback>> {
    let value = match meta {
        Meta::Path(_) => Fallback::Trait,
        _ => Fallback::Function(path(meta, "a function", "\"path::to::function\"")?),
    };
    Ok(Spanned { value, span: meta.path().span() })
}

/// `with = module`
pub(super) fn module(meta: &Meta) -> syn::Result<Spanned<Path>> {
    Ok(Spanned { value: path(meta, "a module", "module")?, span: meta.path().span() })
}

/// `rename_all = "camelCase"`
pub(super) fn rule(meta: &Meta) -> syn::Result<Spanned<Rule>> {
    Rule::parse(&string(meta, "\"camelCase\"")?)
}

/// `rows`, also where it has a value, else one mistake would become many.
pub(super) fn rows(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Span> {
    ctxt.ok(flag(meta));
    Ok(meta.path().span())
}

/// `columnar`, or `columnar(columns = EventColumns, slice = EventSlice, one = EventRef)`
pub(super) fn columnar(meta: &Meta) -> syn::Result<Columnar> {
    let usage = || {
        let help =
            "help: write it as `columnar`, or as `columnar(columns = Columns, slice = Slice, one = Ref)`";
        syn::Error::new_spanned(meta, format!("`columnar` may name the types that it makes\n{help}"))
    };
    let mut names = Columnar::default();
    let list = match meta {
        Meta::Path(_) => return Ok(names),
        Meta::List(list) => list,
        Meta::NameValue(_) => return Err(usage()),
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).map_err(|_| usage())?;
    for part in parts {
        let (slot, example) = match part.path().get_ident().map(ToString::to_string).as_deref() {
            Some("columns") => (&mut names.columns, "EventColumns"),
            Some("slice") => (&mut names.slice, "EventSlice"),
            Some("one") => (&mut names.one, "EventRef"),
            _ => {
                let message = "no such argument\nhelp: there are `columns`, `slice` and `one`";
                return Err(syn::Error::new_spanned(part.path(), message));
            }
        };
        if slot.is_some() {
            let message = "this argument is given twice\nhelp: keep one of the two";
            return Err(syn::Error::new_spanned(part.path(), message));
        }
        *slot = Some(ident(&part, example)?);
    }
    Ok(names)
}

/// `at("_0._1", offsets = "Index32")`
pub(super) fn below(meta: &Meta) -> syn::Result<(String, Vec<Meta>)> {
    let usage = || {
        let help = "help: write it as `at(\"_0._1\", offsets = \"Index32\")`";
        syn::Error::new_spanned(
            meta,
            format!("`at` names a field below the member, and its encoding\n{help}"),
        )
    };
    let Meta::List(list) = meta else { return Err(usage()) };
    let parse = |input: ParseStream<'_>| {
        let path: syn::LitStr = input.parse()?;
        input.parse::<Token![,]>()?;
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
        Ok((path.value(), Vec::from_iter(metas)))
    };
    let (path, metas) = list.parse_args_with(parse).map_err(|_| usage())?;
    if path.is_empty() || metas.is_empty() { Err(usage()) } else { Ok((path, metas)) }
}

/// `upgrade_from(EventV2, when = version(2), with = upgrade)`
pub(super) fn upgrade(meta: &Meta) -> syn::Result<Upgrade> {
    let usage = || {
        let help = "help: write it as `upgrade_from(EventV2, when = version(2), with = upgrade)`";
        syn::Error::new_spanned(meta, format!("`upgrade_from` names an older type\n{help}"))
    };
    let Meta::List(list) = meta else { return Err(usage()) };
    let parse = |input: ParseStream<'_>| {
        let ty: Type = input.parse().map_err(|_| usage())?;
        let (mut condition, mut with, mut is_fallible) = (None, None, false);
        while !input.is_empty() {
            input.parse::<Token![,]>().map_err(|_| usage())?;
            if input.is_empty() {
                break;
            }
            let part: Meta = input.parse().map_err(|_| usage())?;
            match part.path().get_ident().map(ToString::to_string).as_deref() {
                Some("when") if condition.is_none() => condition = Some(when(&part)?),
                Some(word @ ("with" | "try_with")) if with.is_none() => {
                    with = Some(path(&part, "a function", "upgrade")?);
                    is_fallible = word == "try_with";
                }
                Some("when" | "with" | "try_with") => {
                    let help = "help: give one condition and one function";
                    return Err(syn::Error::new_spanned(
                        part,
                        format!("this argument is given twice\n{help}"),
                    ));
                }
                word => {
                    let help = match word {
                        Some("version") => "help: write it as `when = version(2)`",
                        _ => "help: there are `when`, `with` and `try_with`",
                    };
                    let message = format!("no such argument\n{help}");
                    return Err(syn::Error::new_spanned(part.path(), message));
                }
            }
        }
        let span = ty.span();
        let Some(when) = condition else {
            let older = spelled(ty.to_token_stream());
            let message = format!("nothing says which files hold `{older}`\nhelp: add one of {CONDITIONS}");
            return Err(syn::Error::new_spanned(&ty, message));
        };
        Ok(Upgrade { ty, when, with, is_fallible, span })
    };
    list.parse_args_with(parse)
}

/// How conditions are written.
const CONDITIONS: &str = "`when = version(1)`, `when = version(1..=3)`, `when = has(\"field\")`, `when = lacks(\"field\")`, \
    `when = type_name(\"ns::Event\")` and `when = function`";

/// The value of `when`.
fn when(meta: &Meta) -> syn::Result<Spanned<When>> {
    let usage = || {
        let message = format!("this is not a condition\nhelp: write one of {CONDITIONS}");
        syn::Error::new_spanned(meta, message)
    };
    let value = value(meta).ok_or_else(usage)?;
    let span = value.span();
    let (name, argument) = match value {
        Expr::Call(ExprCall { func, args, .. }) => match (&**func, args.len(), args.first()) {
            (Expr::Path(path), 1, Some(argument)) => (path.path.get_ident().ok_or_else(usage)?, argument),
            _ => return Err(usage()),
        },
        // `has` alone lacks its argument; a function of such a name can be given by a longer path.
        Expr::Path(path) if !WHEN.iter().any(|word| path.path.is_ident(word)) => {
            let function = self::path(meta, "a function", "is_old")?;
            return Ok(Spanned { value: When::Function(function), span });
        }
        _ => return Err(usage()),
    };
    let text = || match ungrouped(argument) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if !text.value().is_empty() => Ok(text.value()),
        _ => Err(usage()),
    };
    let value = match name.to_string().as_str() {
        "version" => {
            let (first, last) = match ungrouped(argument) {
                Expr::Range(ExprRange {
                    start: Some(start),
                    limits: RangeLimits::Closed(_),
                    end: Some(end),
                    ..
                }) => (class_version(start)?, class_version(end)?),
                one => {
                    let one = class_version(one)?;
                    (one, one)
                }
            };
            if first > last {
                let help = "help: write the lesser version first";
                return Err(syn::Error::new_spanned(argument, format!("there is no such version\n{help}")));
            }
            When::Version(first, last)
        }
        "type_name" => When::TypeName(text()?),
        "has" => When::Has(text()?),
        "lacks" => When::Lacks(text()?),
        _ => return Err(usage()),
    };
    Ok(Spanned { value, span })
}

/// The words of conditions that take an argument.
const WHEN: [&str; 4] = ["version", "type_name", "has", "lacks"];

/// A version that a class may state.
fn class_version(value: &Expr) -> syn::Result<u32> {
    let number = match ungrouped(value) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    };
    number.filter(|number| (1..u32::MAX).contains(number)).ok_or_else(|| {
        let help = "help: write a number from 1, or two of them: `version(1..=3)`";
        syn::Error::new_spanned(value, format!("this is not the version of a class\n{help}"))
    })
}

/// What `parse` finds between commas.
fn each<T>(input: ParseStream<'_>, parse: impl Fn(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        all.push(parse(input)?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(all)
}

/// `project(n_muons: Cardinality = "muons", ..)`
pub(super) fn projections(meta: &Meta) -> syn::Result<Vec<Projection>> {
    let usage = |at: Span| {
        let help = "help: write it as `project(n_muons: Cardinality = \"muons\")`";
        let message = "a projected field has a name, a type, and the path of another field";
        syn::Error::new(at, format!("{message}\n{help}"))
    };
    let Meta::List(list) = meta else { return Err(usage(meta.span())) };
    let parse = |input: ParseStream<'_>| {
        // Where the input ends too early, it has no place of its own.
        let wrong = |_| usage(if input.is_empty() { meta.path().span() } else { input.span() });
        let (name, is_verbatim) = if input.peek(syn::LitStr) {
            let text: syn::LitStr = input.parse()?;
            (Spanned { value: text.value(), span: text.span() }, true)
        } else {
            let ident = input.call(syn::Ident::parse_any).map_err(wrong)?;
            (Spanned { value: ident.unraw().to_string(), span: ident.span() }, false)
        };
        input.parse::<Token![:]>().map_err(wrong)?;
        let ty: Type = input.parse().map_err(wrong)?;
        input.parse::<Token![=]>().map_err(wrong)?;
        let source: syn::LitStr = input.parse().map_err(wrong)?;
        let source = Spanned { value: source.value(), span: source.span() };
        Ok(Projection { name, is_verbatim, ty, source })
    };
    let all = list.parse_args_with(|input: ParseStream<'_>| each(input, parse))?;
    if all.is_empty() { Err(usage(meta.span())) } else { Ok(all) }
}

/// One of several encodings.
pub(super) enum Part {
    /// A column type.
    Name(Spanned<String>),
    /// One that has arguments, or a word of its own.
    Word(Meta),
}

/// `representations("SplitReal32", truncate(bits = 18))`
pub(super) fn representations(meta: &Meta) -> syn::Result<Vec<Part>> {
    let usage = |at: Span| {
        let help = "help: write it as `representations(\"SplitReal32\", \"Real16\")`";
        syn::Error::new(at, format!("`representations` needs two encodings or more\n{help}"))
    };
    let Meta::List(list) = meta else { return Err(usage(meta.span())) };
    let parse = |input: ParseStream<'_>| {
        if input.peek(syn::LitStr) {
            let text: syn::LitStr = input.parse()?;
            return Ok(Part::Name(Spanned { value: text.value(), span: text.span() }));
        }
        let at = input.span();
        input.parse().map(Part::Word).map_err(|_| usage(at))
    };
    let parts = list.parse_args_with(|input: ParseStream<'_>| each(input, parse))?;
    if parts.len() < 2 { Err(usage(meta.span())) } else { Ok(parts) }
}

/// The arguments of `quantize(bits = 12, min = -5.0, max = 5.0)`.
pub(super) struct Parts<'a> {
    parts: Vec<MetaNameValue>,
    missing: Vec<&'static str>,
    /// What is missing may be what is misspelled, which was told.
    is_misspelled: bool,
    /// How it is written.
    example: &'static str,
    ctxt: &'a Ctxt,
}

impl<'a> Parts<'a> {
    pub(super) fn read(
        meta: &Meta,
        words: &[&'static str],
        example: &'static str,
        ctxt: &'a Ctxt,
    ) -> syn::Result<Self> {
        let parts: Vec<MetaNameValue> = match meta {
            Meta::Path(_) => Vec::new(),
            Meta::List(list) => {
                let parse = Punctuated::<_, Token![,]>::parse_terminated;
                let parts = list.parse_args_with(parse).map_err(|_| no_arguments(meta, example))?;
                parts.into_iter().collect()
            }
            Meta::NameValue(_) => return Err(no_arguments(meta, example)),
        };
        let mut is_misspelled = false;
        for (position, part) in parts.iter().enumerate() {
            let is = |word: &&str| part.path.is_ident(word);
            if !words.iter().any(is) {
                is_misspelled = true;
                let message = format!("no such argument\nhelp: there is {}", listed(words.iter().copied()));
                ctxt.error(&part.path, message);
            } else if parts.iter().take(position).any(|earlier| earlier.path == part.path) {
                ctxt.error(&part.path, "this argument is given twice\nhelp: keep one of the two");
            }
        }
        Ok(Self { parts, missing: Vec::new(), is_misspelled, example, ctxt })
    }

    fn find(&mut self, word: &'static str) -> Option<Expr> {
        let found = self.parts.iter().find(|part| part.path.is_ident(word)).map(|part| part.value.clone());
        if found.is_none() {
            self.missing.push(word);
        }
        found
    }

    /// The number of bits.
    pub(super) fn bits(&mut self) -> Option<Spanned<u16>> {
        let value = self.find("bits")?;
        let bits = match ungrouped(&value) {
            Expr::Lit(ExprLit { lit: Lit::Int(bits), .. }) => bits.base10_parse().ok(),
            _ => None,
        };
        if bits.is_none() {
            let help = format!("help: write it as `{}`", self.example);
            self.ctxt.error(&value, format!("this cannot be the number of bits\n{help}"));
        }
        bits.map(|bits| Spanned { value: bits, span: value.span() })
    }

    /// A number, or an expression that may be one.
    pub(super) fn number(&mut self, word: &'static str) -> Option<Expr> {
        let value = self.find(word)?;
        let is_other = |lit: &Lit| !matches!(lit, Lit::Int(_) | Lit::Float(_));
        if matches!(ungrouped(&value), Expr::Lit(ExprLit { lit, .. }) if is_other(lit)) {
            let help = format!("help: write it as `{}`", self.example);
            self.ctxt.error(value, format!("`{word}` is a number\n{help}"));
            return None;
        }
        Some(value)
    }

    /// Which of two words it is, if it is given.
    pub(super) fn choice(&mut self, word: &str, words: [&str; 2]) -> Option<usize> {
        let part = self.parts.iter().find(|part| part.path.is_ident(word))?;
        let given = match ungrouped(&part.value) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        };
        let choice = given.and_then(|given| words.iter().position(|word| *word == given));
        if choice.is_none() {
            let [one, other] = words;
            let message = format!("`{word}` must be \"{one}\" or \"{other}\"\nhelp: write one of the two");
            self.ctxt.error(&part.value, message);
        }
        choice
    }

    /// Refuses what is incomplete.
    pub(super) fn finish(self, meta: &Meta) -> syn::Result<()> {
        if self.missing.is_empty() || self.is_misspelled {
            return Ok(());
        }
        let (missing, example) = (listed(self.missing.iter().copied()), self.example);
        Err(syn::Error::new_spanned(meta, format!("{missing} must be given\nhelp: write it as `{example}`")))
    }
}

fn no_arguments(meta: &Meta, example: &str) -> syn::Error {
    let word = meta.path().to_token_stream();
    let message = format!("`{word}` needs arguments with their names\nhelp: write it as `{example}`");
    syn::Error::new_spanned(meta, message)
}

/// The value of a number, if it is written as one.
pub(crate) fn number(value: &Expr) -> Option<f64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(expr).map(|number| -number),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Group(inner) => number(&inner.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_negative_and_whole() {
        for (text, value) in [("-5.5", Some(-5.5)), ("(-5)", Some(-5.0)), ("1e3", Some(1e3)), ("PI", None)] {
            assert_eq!(number(&syn::parse_str(text).unwrap()), value, "{text}");
        }
    }
}
