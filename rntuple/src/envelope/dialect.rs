//! What the generations of the format spell differently in their envelopes (format: legacy, sections 3, 5 and 6).

use super::crc32::crc32;
use super::frame::Width;
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;
use crate::limits::Limits;
use crate::message::counted;

/// How the envelopes of one generation are spelled. There is one parser; this is what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Of the sizes of frames, the lengths in links to envelopes, and the checksums.
    pub(super) width: Width,
    pub(super) framing: Framing,
    /// Whether a number that tells release candidates apart follows the feature flags of the header.
    pub(super) has_candidate_tag: bool,
    pub(super) field_items: FieldItems,
    pub(super) column_flags: ColumnFlags,
    pub(super) extension: Extension,
    /// Whether the footer has a list of column groups, in which nothing was ever seen.
    pub(super) has_column_groups: bool,
    pub(super) summaries: Summaries,
    pub(super) last_list: LastList,
    /// Whether a checksum may follow a page. Earlier drafts of the format describe others, which no file has.
    pub(super) has_page_checksums: bool,
    /// Whether it is known what locators of other storage, extra type information and columns that another
    /// representation stands in for look like. No file of before version 1 has any of them, and the drafts differ.
    pub(super) is_released: bool,
    /// How many fields and columns there may be.
    pub(super) limits: Limits,
}

/// What stands around the items of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Two version numbers in front, CRC-32 behind.
    Versions,
    /// Type and length in front, XXH3-64 behind.
    Typed,
}

/// Which optional items a field record has, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldItems {
    /// The number of repetitions alone, before the strings.
    Repetitions,
    /// All, before the strings.
    BeforeStrings,
    /// All, after the strings.
    AfterStrings,
}

/// The flags of a column record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnFlags {
    /// 32 bits.
    Wide,
    /// 16 bits, and as many for the number of the representation.
    WithRepresentation,
}

/// How the footer adds to the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    /// By links to more headers, of which there never were any.
    Links,
    /// By a record of fields and columns.
    Record,
}

/// Where the clusters are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summaries {
    /// Those of all groups in the footer. The page lists are nothing but page locations.
    InFooter,
    /// In the page lists, behind the checksum of the header.
    InPageLists,
}

/// What the footer may end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastList {
    /// Links to metadata, of which there never was any.
    Metadata,
    AttributeSets,
}

impl Dialect {
    /// The released format, the only one that is written.
    pub(crate) const V1: Self = Self {
        width: Width::Wide,
        framing: Framing::Typed,
        has_candidate_tag: false,
        field_items: FieldItems::AfterStrings,
        column_flags: ColumnFlags::WithRepresentation,
        extension: Extension::Record,
        has_column_groups: false,
        summaries: Summaries::InPageLists,
        last_list: LastList::AttributeSets,
        has_page_checksums: true,
        is_released: true,
        limits: Limits::new(),
    };

    const RC21: Self = Self {
        field_items: FieldItems::BeforeStrings,
        column_flags: ColumnFlags::Wide,
        has_column_groups: true,
        last_list: LastList::Metadata,
        is_released: false,
        ..Self::V1
    };

    const RC20: Self = Self { field_items: FieldItems::Repetitions, has_page_checksums: false, ..Self::RC21 };

    const RC12: Self = Self {
        width: Width::Narrow,
        framing: Framing::Versions,
        has_candidate_tag: true,
        summaries: Summaries::InFooter,
        ..Self::RC20
    };

    /// rc1.0 and rc1.1 differ in the anchor, and in what the columns hold.
    const RC11: Self = Self { extension: Extension::Links, ..Self::RC12 };

    /// That of a generation.
    pub(crate) fn of(format_version: FormatVersion) -> Self {
        match format_version {
            FormatVersion::Rc10 | FormatVersion::Rc11 => Self::RC11,
            FormatVersion::Rc12 => Self::RC12,
            FormatVersion::Rc20 => Self::RC20,
            FormatVersion::Rc21 => Self::RC21,
            FormatVersion::V1 => Self::V1,
        }
    }

    /// The same, with the limits of a file.
    pub(crate) fn within(self, limits: &Limits) -> Self {
        Self { limits: *limits, ..self }
    }

    /// Whether page lists repeat the checksum of the header.
    pub(crate) fn page_lists_name_header(&self) -> bool {
        self.summaries == Summaries::InPageLists
    }
}

/// The only version that envelopes without a type ever had, and the only release candidate.
const VERSION: u16 = 1;
const CANDIDATE: u32 = 1;

/// The items of an envelope without a type, and its checksum. `name` is for errors.
pub(super) fn open_versioned<'a>(name: &str, bytes: &'a [u8]) -> Result<(Cursor<'a>, u64)> {
    let mut cursor = Cursor::new(bytes, 0);
    let (version, needed) = (cursor.u16_le()?, cursor.u16_le()?);
    if version == 0 || needed == 0 {
        let message = format!("a {name} envelope cannot begin with version {version}");
        return Err(Error::out_of_spec(message).at_offset(0));
    }
    if needed > VERSION {
        return Err(Error::unsupported(format!("the file needs version {needed}, supported is {VERSION}"))
            .at_offset(2));
    }
    let Some((hashed, stored)) = bytes.split_last_chunk::<4>().filter(|(hashed, _)| hashed.len() >= 4) else {
        return Err(Error::out_of_spec(format!(
            "an envelope has only {}",
            counted(bytes.len() as u64, "byte")
        )));
    };
    let (stored, computed) = (u32::from_le_bytes(*stored), crc32(hashed));
    if stored != computed {
        return Err(Error::out_of_spec(format!(
            "checksum differs: {stored:#010x} is stored, the bytes have {computed:#010x}"
        )));
    }
    let payload = cursor.split(hashed.len() - cursor.position())?;
    Ok((payload, stored.into()))
}

/// An envelope without a type.
#[cfg(feature = "internals")]
pub(super) fn sign_versioned(items: &[u8]) -> Vec<u8> {
    let version = VERSION.to_le_bytes();
    let mut bytes = [&version, &version, items].concat();
    let checksum = crc32(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Passes over the number of the release candidate.
pub(super) fn read_candidate_tag(cursor: &mut Cursor<'_>) -> Result<()> {
    let offset = cursor.offset();
    match cursor.u32_le()? {
        CANDIDATE => Ok(()),
        other => {
            let message = format!("the file is of release candidate {other}, supported is {CANDIDATE}");
            Err(Error::unsupported(message).at_offset(offset))
        }
    }
}
