//! Clusters: which entries are where.

/// Where stored bytes are (format, section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Locator {
    /// `size` bytes from `offset` of the file on.
    File {
        /// Offset of the first byte in the file.
        offset: u64,
        /// Number of bytes on storage, without a page's checksum.
        size: u64,
    },
    /// A kind of storage that this crate cannot read; an error only once it is needed.
    Unknown {
        /// Its type number.
        kind: u8,
    },
}

/// One page of a column (format, section 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLocation {
    /// Number of elements.
    pub count: u32,
    /// Whether 8 bytes of checksum follow the page.
    pub has_checksum: bool,
    /// Where the page is.
    pub locator: Locator,
}

impl PageLocation {
    /// A page of `count` elements at `locator`.
    pub fn new(count: u32, has_checksum: bool, locator: Locator) -> Self {
        Self { count, has_checksum, locator }
    }
}

/// The part of one column that lies in one cluster (format, section 7.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnRange {
    /// Index of the first element, counted over all clusters. `None`: the column is suppressed here.
    pub first_element: Option<u64>,
    /// Compression settings as written (`100 * algorithm + level`); says nothing about single pages.
    pub compression: u32,
    /// Its pages in order.
    pub pages: Vec<PageLocation>,
}

impl ColumnRange {
    /// A column's part that begins with element `first_element`.
    pub fn new(first_element: u64, compression: u32, pages: Vec<PageLocation>) -> Self {
        Self { first_element: Some(first_element), compression, pages }
    }

    /// A column that another representation stands in for (format, section 7.4).
    pub fn suppressed() -> Self {
        Self::default()
    }

    /// Elements on storage: the sum over the pages.
    pub fn stored_count(&self) -> u64 {
        self.pages.iter().map(|page| u64::from(page.count)).sum()
    }
}

/// One cluster: a range of entries and the pages of every column (format, section 7.2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterDescriptor {
    /// Its first entry.
    pub first_entry: u64,
    /// Number of entries.
    pub entry_count: u64,
    /// By physical column id. May be shorter than the schema: later columns have no pages here.
    pub columns: Vec<ColumnRange>,
}

impl ClusterDescriptor {
    /// A cluster of `entry_count` entries from `first_entry` on.
    pub fn new(first_entry: u64, entry_count: u64, columns: Vec<ColumnRange>) -> Self {
        Self { first_entry, entry_count, columns }
    }
}

/// One cluster group record of the footer (format, section 7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterGroup {
    /// Its first entry.
    pub first_entry: u64,
    /// Number of entries that it spans.
    pub entry_count: u64,
    /// Number of clusters.
    pub cluster_count: u32,
    /// Uncompressed length of its page list envelope, in bytes.
    pub page_list_length: u64,
    /// Where its page list envelope is.
    pub page_list: Locator,
}

impl ClusterGroup {
    /// A group of `cluster_count` clusters whose page list is at `page_list`.
    pub fn new(
        first_entry: u64,
        entry_count: u64,
        cluster_count: u32,
        page_list_length: u64,
        page_list: Locator,
    ) -> Self {
        Self { first_entry, entry_count, cluster_count, page_list_length, page_list }
    }

    /// Whether it has neither clusters nor entries. Wherever it is, ROOT writes that it begins with entry 0.
    pub(crate) fn is_empty(&self) -> bool {
        self.cluster_count == 0 && self.entry_count == 0
    }
}
