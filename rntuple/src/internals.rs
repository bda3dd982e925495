//! Records of a file without the file around them, for the fuzzer of this repository. Not part of the API: this needs the
//! feature `internals`.

use crate::bytes::Block;
use crate::compression::{Compression, Compressor, Decompressor};
use crate::dataset::build_schema;
use crate::encoding::{ColumnEncoding, Conversion, Element};
use crate::envelope::{self, ClusterSummary, Dialect, Footer, Header, PageIndex, PageList};
use crate::error::Result;
use crate::format_version::FormatVersion;
use crate::limits::Limits;
use crate::page::Unsealers;
use crate::schema::{ClusterDescriptor, Schema};

/// What an envelope is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeKind {
    /// The schema.
    Header = 1,
    /// What was added to the schema, and where the page lists are.
    Footer = 2,
    /// Where the pages are.
    PageList = 3,
}

/// Returns the envelope with these items, its type, length and checksum included.
#[must_use]
pub fn sign(version: FormatVersion, kind: EnvelopeKind, items: &[u8]) -> Vec<u8> {
    envelope::sign(Dialect::of(version), kind as u64, items)
}

/// Reads a header and a footer, and returns the schema that they describe together.
///
/// # Errors
/// One of them is damaged or over a limit, or there is no such schema.
pub fn read_schema(version: FormatVersion, limits: &Limits, header: &[u8], footer: &[u8]) -> Result<Schema> {
    let dialect = Dialect::of(version).within(limits);
    let (header, _) = Header::read(header, dialect)?;
    let footer = Footer::read(footer, dialect, field_count(&header))?;
    build_schema(version, limits, header.schema, footer.extension).map(|(schema, _)| schema)
}

fn field_count(header: &Header) -> u32 {
    u32::try_from(header.schema.fields.len()).unwrap_or(u32::MAX)
}

/// Reads a header and a footer of version 1, and writes what was read.
///
/// # Errors
/// One of them is damaged, or has what cannot be written.
pub fn rewrite(header: &[u8], footer: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let (header, _) = Header::read(header, Dialect::V1)?;
    let fields = field_count(&header);
    let footer = Footer::read(footer, Dialect::V1, fields)?;
    Ok((header.write()?.0, footer.write(fields)?))
}

/// Reads a page list. Before release candidate 2 the footer says how many clusters it has.
///
/// # Errors
/// It is damaged.
pub fn read_page_list(
    version: FormatVersion,
    bytes: &[u8],
    clusters: usize,
) -> Result<Vec<ClusterDescriptor>> {
    read_clusters(version, bytes, clusters).map(|list| list.clusters)
}

/// Reads a page list of version 1, and writes what was read.
///
/// # Errors
/// It is damaged, or has what cannot be written.
pub fn rewrite_page_list(bytes: &[u8]) -> Result<Vec<u8>> {
    read_clusters(FormatVersion::V1, bytes, 0)?.write()
}

fn read_clusters(version: FormatVersion, bytes: &[u8], clusters: usize) -> Result<PageList> {
    let summaries = vec![ClusterSummary { first_entry: 0, entry_count: 1 }; clusters];
    let index = PageIndex::read(bytes, Dialect::of(version), summaries)?;
    let clusters = (0..index.summaries.len()).map_while(|id| index.cluster(bytes, id).transpose());
    Ok(PageList { header_checksum: index.header_checksum, clusters: clusters.collect::<Result<_>>()? })
}

/// Opens sealed pages, as the columns of a reader do.
#[allow(missing_debug_implementations, reason = "the fuzzer does not print it")]
pub struct Unsealer(Unsealers);

impl Unsealer {
    /// Checks checksums and limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self(Unsealers::new(true, limits))
    }

    /// Appends the values of a page to `out`, and returns whether all of them fit the type.
    ///
    /// # Errors
    /// The page is damaged or over a limit, or cannot be read as this type.
    pub fn unseal<E: Element>(
        &self,
        encoding: &ColumnEncoding,
        stored: &[u8],
        count: u32,
        how: Conversion,
        out: &mut Vec<E>,
    ) -> Result<bool> {
        let misfit = self.0.with(|unsealer| unsealer.unseal(encoding, stored, true, count, how, out))?;
        Ok(misfit.is_none())
    }

    /// Returns the values of a page where they need not be decoded.
    ///
    /// # Errors
    /// The checksum differs.
    pub fn lend<E: Element>(
        &self,
        encoding: &ColumnEncoding,
        stored: Vec<u8>,
        count: u32,
    ) -> Result<Option<Vec<E>>> {
        let lent = self.0.lend::<E>(encoding, &Block::from(stored), true, count);
        Ok(lent.transpose()?.map(|values| values.to_vec()))
    }
}

/// Returns the `length` bytes that are stored as `stored`, compressed or as they are.
///
/// # Errors
/// They are damaged.
pub fn decompress(stored: &[u8], length: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    Decompressor::new().restore(stored, length, &mut out)?;
    Ok(out)
}

/// Returns the bytes as they would be stored.
///
/// # Errors
/// The codec is missing in this build.
pub fn compress(settings: Compression, source: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let shrinks = Compressor::new().compress(settings, source, &mut out)?;
    Ok(if shrinks { out } else { source.to_vec() })
}
