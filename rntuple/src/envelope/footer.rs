//! The footer envelope: what was added to the schema while writing, and where the page lists are
//! (format, sections 7.1 and 8).

use super::dialect::{Extension, LastList, Summaries};
use super::page_list::{self, ClusterSummary};
use super::{Dialect, Kind, SchemaDescription, frame, locator, put_feature_flags, read_feature_flags};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::message::counted;
use crate::schema::{ClusterGroup, LinkedAttributeSet};

/// The least that a group takes: before version 1 its length is narrow and its entries are counted elsewhere.
const CLUSTER_GROUP: usize = 4 + 4 + locator::LOCATOR;
const ATTRIBUTE_SET: usize = 8 + locator::LOCATOR + frame::STRING;

/// A footer envelope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Footer {
    /// As in the header.
    pub(crate) feature_flags: Vec<u64>,
    /// Checksum of the header that this footer belongs to.
    pub(crate) header_checksum: u64,
    /// Fields and columns added after the header was written; their ids continue the header's.
    pub(crate) extension: SchemaDescription,
    pub(crate) cluster_groups: Vec<ClusterGroup>,
    /// `None` before version 1.0.1.0: the footer ends without the list.
    pub(crate) attribute_sets: Option<Vec<LinkedAttributeSet>>,
    /// The clusters of each group, without their pages, where the page lists do not sum them up: before rc2.0.
    pub(crate) summaries: Vec<Vec<ClusterSummary>>,
}

impl Footer {
    /// The checksum of the header that a footer belongs to, which says how it is read.
    #[cfg(feature = "check")]
    pub(crate) fn header_of(bytes: &[u8], dialect: Dialect) -> Result<u64> {
        let (checksum, _) = Kind::Footer.read(bytes, dialect, |items| {
            read_feature_flags(items)?;
            dialect.width.unsigned(items)
        })?;
        Ok(checksum)
    }

    /// Reads a footer envelope. `header_fields` is the number of fields in the header, where the ids of
    /// the extension's fields begin.
    pub(crate) fn read(bytes: &[u8], dialect: Dialect, header_fields: u32) -> Result<Self> {
        let width = dialect.width;
        let (footer, _) = Kind::Footer.read(bytes, dialect, |items| {
            let mut footer = Self {
                feature_flags: read_feature_flags(items)?,
                header_checksum: width.unsigned(items)?,
                ..Self::default()
            };
            match dialect.extension {
                Extension::Record => footer.extension = read_extension(items, dialect, header_fields)?,
                Extension::Links => expect_none(items, dialect, "links to further headers")?,
            }
            if dialect.has_column_groups {
                expect_none(items, dialect, "column groups")?;
            }
            let summaries = match dialect.summaries {
                Summaries::InFooter => Some(page_list::read_summaries(items, dialect)?),
                Summaries::InPageLists => None,
            };
            let offset = items.offset();
            let group = |record: &mut Cursor<'_>| read_cluster_group(record, dialect);
            let what = "cluster groups";
            footer.cluster_groups = frame::list_of_records(items, width, what, CLUSTER_GROUP, group)?;
            if let Some(summaries) = summaries {
                footer.share(summaries).map_err(|error| error.at_offset(offset))?;
            }
            match dialect.last_list {
                _ if items.remaining() == 0 => {}
                // Metadata is about the data, and no part of it.
                LastList::Metadata => {
                    frame::list(items, width, "links to metadata", 1)?;
                }
                LastList::AttributeSets => {
                    let what = "linked attribute sets";
                    let sets = frame::list_of_records(items, width, what, ATTRIBUTE_SET, read_attribute_set)?;
                    footer.attribute_sets = Some(sets);
                }
            }
            Ok(footer)
        })?;
        Ok(footer)
    }

    /// Gives each group its clusters, and the entries of these.
    fn share(&mut self, summaries: Vec<ClusterSummary>) -> Result<()> {
        let (count, mut left) = (summaries.len(), summaries.into_iter());
        let mut entry = 0;
        for group in &mut self.cluster_groups {
            let clusters: Vec<_> = left.by_ref().take(group.cluster_count as usize).collect();
            group.first_entry = clusters.first().map_or(entry, |cluster| cluster.first_entry);
            entry = clusters.last().map_or(entry, |last| last.first_entry.saturating_add(last.entry_count));
            group.entry_count = entry.saturating_sub(group.first_entry);
            if clusters.len() as u64 != u64::from(group.cluster_count) {
                return Err(Error::out_of_spec(format!(
                    "the cluster groups have more than the {count} clusters"
                )));
            }
            self.summaries.push(clusters);
        }
        match left.len() {
            0 => Ok(()),
            left => Err(Error::out_of_spec(format!(
                "{left} of {} are not in a group",
                counted(count as u64, "cluster")
            ))),
        }
    }

    /// Checks type, length and checksum alone, for who has no header.
    #[cfg(feature = "check")]
    pub(crate) fn verify(bytes: &[u8], dialect: Dialect) -> Result<()> {
        Kind::Footer.read(bytes, dialect, |_| Ok(())).map(drop)
    }

    /// The envelope's bytes; `header_fields` as in [`read`](Self::read).
    pub(crate) fn write(&self, header_fields: u32) -> Result<Vec<u8>> {
        let (bytes, _) = Kind::Footer.write(|out| {
            put_feature_flags(out, &self.feature_flags);
            out.put_u64_le(self.header_checksum);
            frame::put_record(out, |out| self.extension.put(out, header_fields))?;
            frame::put_list_of_records(out, &self.cluster_groups, put_cluster_group)?;
            match &self.attribute_sets {
                None => Ok(()),
                Some(sets) => frame::put_list_of_records(out, sets, put_attribute_set),
            }
        })?;
        Ok(bytes)
    }
}

/// The schema extension may also be a record without payload.
fn read_extension(items: &mut Cursor<'_>, dialect: Dialect, header_fields: u32) -> Result<SchemaDescription> {
    let mut record = frame::record(items, dialect.width, "schema extension")?;
    match record.remaining() {
        0 => Ok(SchemaDescription::default()),
        _ => SchemaDescription::read(&mut record, dialect, header_fields),
    }
}

/// Passes over a list that is empty in every file.
fn expect_none(items: &mut Cursor<'_>, dialect: Dialect, what: &str) -> Result<()> {
    let offset = items.offset();
    match frame::list(items, dialect.width, what, 1)?.1 {
        0 => Ok(()),
        count => Err(Error::unsupported(format!("{count} {what}")).at_offset(offset)),
    }
}

fn read_cluster_group(record: &mut Cursor<'_>, dialect: Dialect) -> Result<ClusterGroup> {
    let (first_entry, entry_count) = match dialect.summaries {
        Summaries::InFooter => (0, 0),
        Summaries::InPageLists => (record.u64_le()?, record.u64_le()?),
    };
    let cluster_count = record.u32_le()?;
    let page_list_length = dialect.width.unsigned(record)?;
    let page_list = locator::read(record, dialect)?;
    Ok(ClusterGroup::new(first_entry, entry_count, cluster_count, page_list_length, page_list))
}

fn put_cluster_group(out: &mut Vec<u8>, group: &ClusterGroup) -> Result<()> {
    out.put_u64_le(group.first_entry);
    out.put_u64_le(group.entry_count);
    out.put_u32_le(group.cluster_count);
    out.put_u64_le(group.page_list_length);
    locator::put(out, &group.page_list)
}

fn read_attribute_set(record: &mut Cursor<'_>) -> Result<LinkedAttributeSet> {
    let version = (record.u16_le()?, record.u16_le()?);
    let anchor_length = record.u32_le()?;
    let anchor = locator::read(record, Dialect::V1)?;
    Ok(LinkedAttributeSet::new(frame::name(record)?, version, anchor_length, anchor))
}

fn put_attribute_set(out: &mut Vec<u8>, set: &LinkedAttributeSet) -> Result<()> {
    out.put_u16_le(set.version.0);
    out.put_u16_le(set.version.1);
    out.put_u32_le(set.anchor_length);
    locator::put(out, &set.anchor)?;
    frame::put_string(out, &set.name)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::super::description::tests::description;
    use super::*;
    use crate::schema::Locator;

    fn place() -> impl Strategy<Value = Locator> {
        any::<(u64, u64, u8)>().prop_map(|(offset, size, shift)| {
            // Sizes on both sides of the border between standard and large.
            Locator::File { offset, size: size >> (shift % 64) }
        })
    }

    prop_compose! {
        fn footer()(
            header_checksum: u64,
            extension in description(),
            groups in vec((any::<(u64, u64, u32, u64)>(), place()), 0..5),
            sets in option::of(vec((any::<(String, (u16, u16), u32)>(), place()), 0..3)),
        ) -> Footer {
            let group = |((first, entries, clusters, length), place)| {
                ClusterGroup::new(first, entries, clusters, length, place)
            };
            let set = |((name, version, length), place)| LinkedAttributeSet::new(name, version, length, place);
            Footer {
                feature_flags: Vec::new(),
                header_checksum,
                extension,
                cluster_groups: groups.into_iter().map(group).collect(),
                attribute_sets: sets.map(|sets| sets.into_iter().map(set).collect()),
                summaries: Vec::new(),
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(footer in footer(), header_fields in 4u32..1000) {
            let bytes = footer.write(header_fields).unwrap();
            prop_assert_eq!(Footer::read(&bytes, Dialect::V1, header_fields).unwrap(), footer);
        }
    }

    #[test]
    fn an_extension_may_be_empty() {
        let write = |out: &mut Vec<u8>| {
            out.put_u64_le(0);
            out.put_u64_le(5);
            frame::put_record(out, |_| Ok(()))?;
            frame::put_list(out, 0, |_| Ok(()))
        };
        let (bytes, _) = Kind::Footer.write(write).unwrap();
        let footer = Footer { header_checksum: 5, ..Footer::default() };
        assert_eq!(Footer::read(&bytes, Dialect::V1, 3).unwrap(), footer);
    }

    #[test]
    fn the_attribute_list_is_there_if_bytes_are() {
        let without = Footer::default();
        let with = Footer { attribute_sets: Some(Vec::new()), ..Footer::default() };
        let (short, long) = (without.write(0).unwrap(), with.write(0).unwrap());
        assert_eq!((short.len(), long.len() - short.len()), (8 + 8 + 8 + 56 + 12 + 8, 12));
        assert_eq!(Footer::read(&short, Dialect::V1, 0).unwrap().attribute_sets, None);
        assert_eq!(Footer::read(&long, Dialect::V1, 0).unwrap().attribute_sets, Some(Vec::new()));
    }
}
