//! What may be said of a struct or enum, of a variant, and of a member: a table each.
//!
//! A row is `member: type = words, places, value`. A new attribute is a new row.

use proc_macro2::Span;
use syn::{Path, Type};

use super::encodings::wishes;
use super::form::{Columnar, Fallback, Projection, Spanned, Upgrade};
use super::rename::Rule;
use super::value::{Bounds, bounds, columnar, fallback, flag, flatten, integer, lossy, module};
use super::value::{path, projections, rows, rule, string, truth, ty, upgrade};
use super::word::{Place, words};
use crate::encoding::Wish;

const STRUCT: &[Place] = &[Place::Struct];
const ENUM: &[Place] = &[Place::Enum];
const BOTH: &[Place] = &[Place::Struct, Place::Enum];
const VARIANT: &[Place] = &[Place::Variant];
const MEMBER: &[Place] = &[Place::Member];

/// How a description is written.
const TEXT: &str = "\"transverse momentum\"";

words! { |meta, ctxt|
    /// What is said of a struct or an enum.
    ContainerAttrs {
        /// Replaces the where-clauses that the derive would infer.
        bound: Option<Bounds> = "bound", BOTH, bounds(meta);
        /// There is a structure of arrays.
        columnar: Option<Columnar> = "columnar", BOTH, columnar(meta);
        /// Where this crate's macro finds `rntuple`.
        krate: Option<Path> = "crate", BOTH, path(meta, "the crate", "::physics::rntuple");
        default: Option<Spanned<Fallback>> = "default", STRUCT, fallback(meta);
        deny_unknown_fields: Option<Span> = "deny_unknown_fields", STRUCT, flag(meta);
        lock: Option<Spanned<String>> = "lock", STRUCT, string(meta, "\"event.rntlock\"");
        /// `#[repr(packed)]`.
        packed: Option<Span>;
        /// Predicates name the fields.
        predicates: Option<Span> = "predicates", BOTH, flag(meta);
        /// Fields that are views of others.
        projections: Vec<Projection> = "project", STRUCT, projections(meta);
        rename_all: Option<Spanned<Rule>> = "rename_all", BOTH, rule(meta);
        rename_all_fields: Option<Spanned<Rule>> = "rename_all_fields", ENUM, rule(meta);
        /// The integer type of `#[repr(..)]`.
        repr: Option<syn::Ident>;
        serde_compat: Option<Span> = "serde_compat", BOTH, flag(meta);
        /// Only what writing needs is derived.
        skip_reading: Option<Span> = "skip_reading", BOTH, flag(meta);
        /// Only what reading needs is derived.
        skip_writing: Option<Span> = "skip_writing", BOTH, flag(meta);
        transparent: Option<Span> = "transparent", STRUCT, flag(meta);
        type_name: Option<Spanned<String>> = "type_name", BOTH, string(meta, "\"ns::Muon\"");
        untyped: Option<Span> = "untyped", STRUCT, flag(meta);
        upgrades: Vec<Upgrade> = "upgrade_from", BOTH, upgrade(meta).map(Some);
        version: Option<Spanned<u32>> = "version", STRUCT, integer(meta, "2");
    }
}

words! { |meta, ctxt|
    /// What is said of a variant.
    VariantAttrs {
        /// The attribute, or else the doc comment.
        description: Option<Spanned<String>> = "description", VARIANT, string(meta, TEXT);
        /// The variant for values that are none of the others.
        other: Option<Span> = "other", VARIANT, flag(meta);
        rename: Option<Spanned<String>> = "rename", VARIANT, string(meta, "\"pt\"");
        rename_all: Option<Spanned<Rule>> = "rename_all", VARIANT, rule(meta);
        /// The number of the alternative.
        tag: Option<Spanned<u32>> = "tag", VARIANT, integer(meta, "3");
        type_name: Option<Spanned<String>> = "type_name", VARIANT, string(meta, "\"ns::Muon\"");
    }
}

words! { |meta, ctxt|
    /// What is said of a member.
    MemberAttrs {
        /// Other names under which a file may have the member.
        aliases: Vec<Spanned<String>> = "alias", MEMBER, string(meta, "\"pT\"").map(Some);
        /// The member is a base class.
        base: Option<Span> = "base", MEMBER, flag(meta);
        compression: Option<Spanned<String>> = "compression", MEMBER, string(meta, "\"lz4:4\"");
        default: Option<Spanned<Fallback>> = "default", MEMBER, fallback(meta);
        /// The attribute, or else the doc comment.
        description: Option<Spanned<String>> = "description", MEMBER, string(meta, TEXT);
        flatten: Option<Span> = "flatten", MEMBER, flatten(meta);
        from: Option<Spanned<Type>> = "from", MEMBER, ty(meta);
        into: Option<Spanned<Type>> = "into", MEMBER, ty(meta);
        /// Numbers may be rounded and cut when they are read.
        lossy: Option<Span> = "convert", MEMBER, lossy(meta);
        prefix: Option<Spanned<String>> = "prefix", MEMBER, string(meta, "\"jet_\"");
        rename: Option<Spanned<String>> = "rename", MEMBER, string(meta, "\"pt\"");
        /// Values are kept as they are among columns.
        rows: Option<Span> = "rows", MEMBER, rows(meta, ctxt);
        /// `false`: stored although serde skips it.
        skip: Option<Spanned<bool>> = "skip", MEMBER, truth(meta);
        skip_reading: Option<Span> = "skip_reading", MEMBER, flag(meta);
        skip_writing: Option<Span> = "skip_writing", MEMBER, flag(meta);
        try_from: Option<Spanned<Type>> = "try_from", MEMBER, ty(meta);
        unit: Option<Spanned<String>> = "unit", MEMBER, string(meta, "\"GeV\"");
        /// Encodings asked for, however they were spelled.
        wishes: Vec<Wish> =
            "at" | "double32" | "encoding" | "f16" | "offsets" | "quantize" | "representations" | "truncate",
            MEMBER, wishes(meta, ctxt);
        with: Option<Spanned<Path>> = "with", MEMBER, module(meta);
    }
}

impl MemberAttrs {
    /// Whether it is in no file.
    pub(crate) fn is_skipped(&self) -> bool {
        self.skip.as_ref().is_some_and(|skip| skip.value)
    }
}
