//! An ntuple that is put together from what is left of a file: no footer leads to its clusters.

use std::sync::Arc;

use super::{Dataset, build_schema, pinned};
use crate::envelope::{Header, SchemaDescription};
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;
use crate::root::{Anchor, EnvelopeSpan, RootFile};
use crate::schema::{ClusterDescriptor, LinkedAttributeSet};

/// What is known of an ntuple whose file is damaged.
pub(crate) struct Assembled {
    pub(crate) path: String,
    pub(crate) header: Header,
    pub(crate) header_checksum: u64,
    /// Where the header is.
    pub(crate) span: EnvelopeSpan,
    pub(crate) max_key_size: u64,
    pub(crate) extension: SchemaDescription,
    /// One after the other, from entry 0 on.
    pub(crate) clusters: Vec<ClusterDescriptor>,
    pub(crate) attribute_sets: Vec<LinkedAttributeSet>,
}

impl Dataset {
    /// Takes what is left for the whole.
    pub(crate) fn assemble(file: &RootFile, parts: Assembled) -> Result<Self> {
        let Assembled { path, header, header_checksum, span, max_key_size, extension, .. } = parts;
        let header_field_count = u32::try_from(header.schema.fields.len())
            .map_err(|_| Error::limit("the header has over 2^32 fields"))?;
        let limits = *file.limits();
        let (schema, _) = build_schema(FormatVersion::V1, &limits, header.schema, extension.clone())?;
        let clusters = parts.clusters.into_iter().map(Ok);
        let groups = pinned::groups(file, &schema, header_checksum, max_key_size, clusters)?;
        let mut anchor = Anchor::new([1, 0, 1, 0], span, EnvelopeSpan { offset: 0, size: 0, length: 0 });
        anchor.max_key_size = max_key_size;
        Ok(Self {
            fingerprint: header_checksum,
            file: file.clone(),
            path,
            name: header.name,
            description: header.description,
            writer: header.writer,
            schema: Arc::new(schema),
            header_field_count,
            header_checksum,
            extension,
            groups: Arc::new(groups),
            attribute_sets: parts.attribute_sets,
            anchor,
            layers: None,
        })
    }

    /// Links an attribute set that the file has.
    pub(crate) fn with_attribute_set(mut self, link: LinkedAttributeSet) -> Self {
        self.attribute_sets.push(link);
        self
    }
}
