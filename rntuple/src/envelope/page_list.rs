//! The page list envelope: the clusters of one cluster group, and where their pages are
//! (format, section 7.2).
//!
//! ```text
//! list of cluster summaries       first entry, number of entries
//! list of clusters                as many, in the same order
//!   list of columns               by physical id; may stop before the last one
//!     list of pages               number of elements, locator
//!     + first element, compression settings    in the frame, behind the counted pages
//! ```

use super::dialect::Summaries;
use super::{Dialect, Kind, frame, locator};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::message::counted;
use crate::schema::{ClusterDescriptor, ColumnRange, PageLocation};

const SUMMARY: usize = 16;
/// Behind the frame of its pages.
const COLUMN: usize = 8;
const PAGE: usize = 4 + locator::LOCATOR;

/// The number of entries shares its word with eight flags.
const ENTRY_COUNT_BITS: u32 = 56;
/// The cluster holds only some of the columns. Nobody writes such clusters.
const SHARDED: u64 = 0x01;

/// Which entries a cluster has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClusterSummary {
    pub(crate) first_entry: u64,
    pub(crate) entry_count: u64,
}

/// Where a page list envelope has its clusters, whose pages are parsed one cluster at a time.
#[derive(Debug)]
pub(crate) struct PageIndex {
    /// As in [`PageList`].
    pub(crate) header_checksum: u64,
    pub(crate) summaries: Vec<ClusterSummary>,
    /// By cluster: where in the envelope the list of its columns begins.
    places: Vec<u64>,
    dialect: Dialect,
}

impl PageIndex {
    /// Reads a page list envelope without its pages. `summaries` are the clusters of its group, where the footer sums
    /// them up.
    pub(crate) fn read(bytes: &[u8], dialect: Dialect, summaries: Vec<ClusterSummary>) -> Result<Self> {
        let (index, _) = Kind::PageList.read(bytes, dialect, |items| {
            let (header_checksum, summaries) = match dialect.summaries {
                Summaries::InFooter => (0, summaries),
                Summaries::InPageLists => (dialect.width.unsigned(items)?, read_summaries(items, dialect)?),
            };
            let places = read_places(items, dialect, summaries.len())?;
            Ok(Self { header_checksum, summaries, places, dialect })
        })?;
        Ok(index)
    }

    /// Parses a cluster in the bytes of the envelope; `None` after the last one.
    pub(crate) fn cluster(&self, bytes: &[u8], index: usize) -> Result<Option<ClusterDescriptor>> {
        let (Some(summary), Some(&place)) = (self.summaries.get(index), self.places.get(index)) else {
            return Ok(None);
        };
        let rest = usize::try_from(place).ok().and_then(|place| bytes.get(place..));
        let mut items = Cursor::new(rest.unwrap_or_default(), place);
        let columns = read_columns(&mut items, self.dialect);
        let columns = columns.map_err(|error| error.in_envelope(Kind::PageList.name()))?;
        Ok(Some(ClusterDescriptor::new(summary.first_entry, summary.entry_count, columns)))
    }
}

/// A page list envelope, as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageList {
    /// Checksum of the header that this page list belongs to; 0 before rc2.0, where it does not say.
    pub(crate) header_checksum: u64,
    pub(crate) clusters: Vec<ClusterDescriptor>,
}

impl PageList {
    /// Reads a page list envelope as a whole; `summaries` as in [`PageIndex::read`].
    #[cfg(feature = "check")]
    pub(crate) fn read(bytes: &[u8], dialect: Dialect, summaries: Vec<ClusterSummary>) -> Result<Self> {
        let index = PageIndex::read(bytes, dialect, summaries)?;
        let clusters = (0..index.summaries.len()).map_while(|id| index.cluster(bytes, id).transpose());
        Ok(Self { header_checksum: index.header_checksum, clusters: clusters.collect::<Result<_>>()? })
    }

    pub(crate) fn write(&self) -> Result<Vec<u8>> {
        let (bytes, _) = Kind::PageList.write(|out| {
            out.put_u64_le(self.header_checksum);
            frame::put_list_of_records(out, &self.clusters, put_summary)?;
            frame::put_list(out, self.clusters.len(), |out| {
                self.clusters.iter().try_for_each(|cluster| {
                    frame::put_list(out, cluster.columns.len(), |out| {
                        cluster.columns.iter().try_for_each(|column| put_column(out, column))
                    })
                })
            })
        })?;
        Ok(bytes)
    }
}

/// The clusters, without their pages.
pub(super) fn read_summaries(items: &mut Cursor<'_>, dialect: Dialect) -> Result<Vec<ClusterSummary>> {
    frame::list_of_records(items, dialect.width, "cluster summaries", SUMMARY, read_summary)
}

fn read_summary(record: &mut Cursor<'_>) -> Result<ClusterSummary> {
    let offset = record.offset();
    let first_entry = record.u64_le()?;
    let word = record.u64_le()?;
    if word >> ENTRY_COUNT_BITS & SHARDED != 0 {
        return Err(Error::unsupported("a cluster is sharded (flag 0x01)").at_offset(offset));
    }
    let entry_count = word & ((1 << ENTRY_COUNT_BITS) - 1);
    if first_entry.checked_add(entry_count).is_none() {
        return Err(Error::out_of_spec(format!(
            "a cluster of {entry_count} entries from entry {first_entry} on passes 64 bits"
        ))
        .at_offset(offset));
    }
    Ok(ClusterSummary { first_entry, entry_count })
}

fn put_summary(out: &mut Vec<u8>, cluster: &ClusterDescriptor) -> Result<()> {
    if cluster.entry_count >> ENTRY_COUNT_BITS != 0 {
        return Err(Error::limit(format!(
            "a cluster has {} entries, the format counts them in 56 bits",
            cluster.entry_count
        )));
    }
    out.put_u64_le(cluster.first_entry);
    out.put_u64_le(cluster.entry_count);
    Ok(())
}

/// The offsets of the clusters' columns, for as many clusters as have summaries.
fn read_places(items: &mut Cursor<'_>, dialect: Dialect, wanted: usize) -> Result<Vec<u64>> {
    let (offset, width) = (items.offset(), dialect.width);
    let (mut lists, count) = frame::list(items, width, "clusters", width.list())?;
    if count != wanted {
        return Err(Error::out_of_spec(format!(
            "the page list has pages of {}, but summaries of {wanted}",
            counted(count as u64, "cluster")
        ))
        .at_offset(offset));
    }
    let mut places = Vec::with_capacity(count);
    for _ in 0..count {
        places.push(lists.offset());
        frame::list(&mut lists, width, "columns of a cluster", width.list() + COLUMN)?;
    }
    Ok(places)
}

fn read_columns(clusters: &mut Cursor<'_>, dialect: Dialect) -> Result<Vec<ColumnRange>> {
    let width = dialect.width;
    let (mut items, count) = frame::list(clusters, width, "columns of a cluster", width.list() + COLUMN)?;
    let mut columns = Vec::with_capacity(count);
    for _ in 0..count {
        columns.push(read_column(&mut items, dialect)?);
    }
    Ok(columns)
}

fn read_column(columns: &mut Cursor<'_>, dialect: Dialect) -> Result<ColumnRange> {
    let (mut items, count) = frame::list(columns, dialect.width, "pages of a column", PAGE)?;
    let mut pages = Vec::with_capacity(count);
    for _ in 0..count {
        pages.push(read_page(&mut items, dialect)?);
    }
    let offset = items.offset();
    match u64::try_from(items.i64_le()?) {
        Ok(first_element) => Ok(ColumnRange::new(first_element, items.u32_le()?, pages)),
        Err(_) if !dialect.is_released => {
            Err(Error::limit("the first element is beyond 63 bits").at_offset(offset))
        }
        Err(_) if pages.is_empty() => Ok(ColumnRange::suppressed()),
        Err(_) => Err(Error::out_of_spec("a suppressed column has pages").at_offset(offset)),
    }
}

fn put_column(out: &mut Vec<u8>, column: &ColumnRange) -> Result<()> {
    frame::put_list(out, column.pages.len(), |out| {
        column.pages.iter().try_for_each(|page| put_page(out, page))?;
        match column.first_element.map(i64::try_from) {
            Some(Ok(first_element)) => {
                out.put_i64_le(first_element);
                out.put_u32_le(column.compression);
                Ok(())
            }
            Some(Err(_)) => Err(Error::limit("a column has more elements than 63 bits can count")),
            None if column.pages.is_empty() => {
                out.put_i64_le(i64::MIN);
                Ok(())
            }
            None => Err(Error::invalid_argument("a suppressed column has pages")),
        }
    })
}

/// A negative number of elements says that a checksum follows the page.
fn read_page(items: &mut Cursor<'_>, dialect: Dialect) -> Result<PageLocation> {
    let offset = items.offset();
    let count = items.i32_le()?;
    if count == i32::MIN {
        return Err(Error::out_of_spec("a page has 2^31 elements, one more than allowed").at_offset(offset));
    }
    if count < 0 && !dialect.has_page_checksums {
        let message = "a page has a checksum, in a format without them";
        return Err(Error::out_of_spec(message).at_offset(offset));
    }
    Ok(PageLocation::new(count.unsigned_abs(), count < 0, locator::read(items, dialect)?))
}

fn put_page(out: &mut Vec<u8>, page: &PageLocation) -> Result<()> {
    let count = match i32::try_from(page.count) {
        // The checksum of an empty page cannot be told: its number of elements has no sign.
        Ok(0) if page.has_checksum => Err(Error::invalid_argument("an empty page has a checksum")),
        Ok(count) => Ok(count),
        Err(_) => Err(Error::limit(format!(
            "a page has {} elements, the format counts them in 31 bits",
            page.count
        ))),
    }?;
    out.put_i32_le(if page.has_checksum { -count } else { count });
    locator::put(out, &page.locator)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format_version::FormatVersion;
    use crate::schema::Locator;

    fn page() -> impl Strategy<Value = PageLocation> {
        (1..=i32::MAX, any::<bool>(), any::<u64>(), any::<(u64, u8)>()).prop_map(
            |(count, has_checksum, offset, (size, shift))| {
                let locator = Locator::File { offset, size: size >> (shift % 64) };
                PageLocation::new(count.unsigned_abs(), has_checksum, locator)
            },
        )
    }

    fn column() -> impl Strategy<Value = ColumnRange> {
        prop_oneof![
            1 => Just(ColumnRange::suppressed()),
            4 => (0..=i64::MAX, any::<u32>(), vec(page(), 0..4))
                .prop_map(|(first, settings, pages)| ColumnRange::new(first.unsigned_abs(), settings, pages)),
        ]
    }

    prop_compose! {
        fn cluster()(
            first_entry in 0..1u64 << 63,
            entry_count in 0..1u64 << 56,
            columns in vec(column(), 0..5),
        ) -> ClusterDescriptor {
            ClusterDescriptor::new(first_entry, entry_count, columns)
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(header_checksum: u64, clusters in vec(cluster(), 0..5)) {
            let page_list = PageList { header_checksum, clusters };
            prop_assert_eq!(PageList::read(&page_list.write().unwrap(), Dialect::V1, Vec::new()).unwrap(), page_list);
        }
    }

    fn one_page() -> PageList {
        let page = PageLocation::new(22, true, Locator::File { offset: 620, size: 176 });
        let cluster = ClusterDescriptor::new(0, 22, vec![ColumnRange::new(0, 505, vec![page])]);
        PageList { header_checksum: 1, clusters: vec![cluster] }
    }

    /// Reads a page list of these items, whatever they are.
    fn read_items(items: &[u8]) -> Result<PageList> {
        let write = |out: &mut Vec<u8>| {
            out.put(items);
            Ok(())
        };
        PageList::read(&Kind::PageList.write(write).unwrap().0, Dialect::V1, Vec::new())
    }

    /// `page_list` with the bytes of `from` replaced by those of `to`, and a checksum that fits.
    fn patched(page_list: &PageList, from: &[u8], to: &[u8]) -> Result<PageList> {
        let bytes = page_list.write().unwrap();
        let mut bytes = bytes[8..bytes.len() - 8].to_vec();
        let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
        bytes.splice(at..at + from.len(), to.iter().copied());
        read_items(&bytes)
    }

    #[test]
    fn what_came_with_version_1_is_refused_before() {
        let read = |list: &PageList, format_version| {
            PageList::read(&list.write().unwrap(), Dialect::of(format_version), Vec::new())
        };
        assert_eq!(read(&one_page(), FormatVersion::Rc21).unwrap(), one_page());
        let error = read(&one_page(), FormatVersion::Rc20).unwrap_err();
        assert!(error.to_string().ends_with("a page has a checksum, in a format without them"), "{error}");
        let mut suppressed = one_page();
        suppressed.clusters[0].columns.push(ColumnRange::suppressed());
        assert_eq!(read(&suppressed, FormatVersion::V1).unwrap(), suppressed);
        assert!(read(&suppressed, FormatVersion::Rc21).is_err());
    }

    #[test]
    fn the_sign_of_the_count_is_the_checksum() {
        let page = |to: i32| {
            let page_list = patched(&one_page(), &(-22i32).to_le_bytes(), &to.to_le_bytes())?;
            let page = page_list.clusters[0].columns[0].pages[0];
            Ok::<_, Error>((page.count, page.has_checksum))
        };
        assert_eq!(page(-22).unwrap(), (22, true));
        assert_eq!(page(22).unwrap(), (22, false));
        assert_eq!(page(0).unwrap(), (0, false));
        assert_eq!(page(-i32::MAX).unwrap(), (i32::MAX.unsigned_abs(), true));
        assert_eq!(page(i32::MIN).unwrap_err().kind(), ErrorKind::OutOfSpec);
    }

    #[test]
    fn a_suppressed_column_has_twenty_bytes() {
        let mut bytes = Vec::new();
        put_column(&mut bytes, &ColumnRange::suppressed()).unwrap();
        let expected = [0xec, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
        assert_eq!(bytes, expected);
        let mut column = one_page().clusters.remove(0).columns.remove(0);
        column.first_element = None;
        assert!(put_column(&mut Vec::new(), &column).is_err());
    }

    #[test]
    fn sharded_clusters_are_refused_and_other_flags_ignored() {
        let words = |flags: u64| (22 | flags << 56).to_le_bytes();
        let error = patched(&one_page(), &words(0), &words(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("sharded"), "{error}");
        assert_eq!(patched(&one_page(), &words(0), &words(0xfe)).unwrap(), one_page());
    }

    #[test]
    fn entries_do_not_wrap() {
        let first = |entry: u64| [&entry.to_le_bytes()[..], &[22, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert!(patched(&one_page(), &first(0), &first(u64::MAX - 22)).is_ok());
        assert!(patched(&one_page(), &first(0), &first(u64::MAX - 21)).is_err());
    }

    #[test]
    fn both_lists_have_the_same_clusters() {
        let mut page_list = one_page();
        page_list.clusters.push(ClusterDescriptor::new(22, 1, Vec::new()));
        let bytes = page_list.write().unwrap();
        // Drop the second cluster of the second list: its frame is the last item.
        let mut bytes = bytes[8..bytes.len() - 20].to_vec();
        let width = Dialect::V1.width;
        let list = 8 + width.list() + 2 * (width.record() + SUMMARY);
        let size = i64::from_le_bytes(bytes[list..list + 8].try_into().unwrap()) + 12;
        bytes[list..list + 8].copy_from_slice(&size.to_le_bytes());
        bytes[list + 8] = 1;
        let error = read_items(&bytes).unwrap_err();
        assert!(error.to_string().contains("pages of 1 cluster, but summaries of 2"), "{error}");
    }

    #[test]
    fn what_the_format_cannot_say_is_not_written() {
        let with = |change: &dyn Fn(&mut PageList)| {
            let mut page_list = one_page();
            change(&mut page_list);
            page_list.write().map_err(|error| error.kind()).unwrap_err()
        };
        let page = |list: &mut PageList, count| list.clusters[0].columns[0].pages[0].count = count;
        assert_eq!(with(&|list| page(list, 1 << 31)), ErrorKind::LimitExceeded);
        assert_eq!(with(&|list| page(list, 0)), ErrorKind::InvalidArgument);
        assert_eq!(with(&|list| list.clusters[0].entry_count = 1 << 56), ErrorKind::LimitExceeded);
        let first = |list: &mut PageList| list.clusters[0].columns[0].first_element = Some(1 << 63);
        assert_eq!(with(&first), ErrorKind::LimitExceeded);
    }

    #[test]
    fn long_lists_take_linear_time() {
        let mut page_list = one_page();
        let time = |page_list: &PageList| {
            let bytes = page_list.write().unwrap();
            let start = Instant::now();
            assert_eq!(
                PageList::read(&bytes, Dialect::V1, Vec::new()).unwrap().clusters.len(),
                page_list.clusters.len()
            );
            start.elapsed()
        };
        page_list.clusters = vec![page_list.clusters[0].clone(); 100_000];
        let elapsed = time(&page_list);
        // 11 MB in a build without optimisation: far below what quadratic work would take.
        assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    }
}
