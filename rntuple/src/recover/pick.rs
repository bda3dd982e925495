//! Which clusters an ntuple of a damaged file may have, before any page is looked at.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::scan::{Found, FoundHeader, FoundList};
use crate::envelope::Footer;
use crate::error::Error;
use crate::root::EnvelopeSpan;
use crate::schema::{ClusterDescriptor, ClusterGroup, Locator};

/// A cluster that may be whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) entry_count: u64,
    pub(super) description: Description,
}

/// Where it is said what a cluster has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Description {
    /// In a page list, as the cluster of this number.
    Listed(EnvelopeSpan, usize),
    /// Nowhere: the cluster of this number of those that were deduced.
    Deduced(usize),
}

/// The clusters of one ntuple.
pub(super) struct Picked {
    /// By first entry; no two have an entry in common.
    pub(super) clusters: BTreeMap<u64, Candidate>,
    /// Entries that the footer counts, if there is one.
    pub(super) counted: Option<u64>,
    /// Page lists that the footer names and that are not whole, in the order of their entries.
    missing: Vec<MissingLists>,
}

/// Page lists that are not whole: one, or several that are about the same entries.
struct MissingLists {
    entries: Range<u64>,
    /// Where the first ones are.
    offsets: Vec<u64>,
    /// How many there are.
    count: u64,
}

/// Page lists that are named in a loss.
const MOST_LISTS: usize = 10;

/// Picks the clusters of an ntuple: those that its footer leads to, and where it leads to none, those of other page
/// lists that name its header. Of two that have an entry in common, that of the later page list counts.
pub(super) fn pick(found: &Found, header: &FoundHeader, footer: Option<&Footer>) -> Picked {
    let none = Vec::new();
    let lists = found.lists.get(&header.checksum).unwrap_or(&none);
    let groups = footer.map(|footer| &*footer.cluster_groups).unwrap_or_default();
    let mut picked = Picked { clusters: BTreeMap::new(), counted: None, missing: Vec::new() };
    let mut missing = Vec::new();
    // Those without clusters do not say how many entries come before them.
    if let Some(last) = groups.iter().rev().find(|group| !group.is_empty()).or(groups.last()) {
        picked.counted = Some(last.first_entry.saturating_add(last.entry_count));
    }
    let mut added = HashSet::new();
    for group in groups {
        let Locator::File { offset, .. } = group.page_list else { continue };
        match found.list_at(offset, header).filter(|list| is_of(group, list)) {
            // A footer may name one list any number of times.
            Some(list) if added.insert(offset) => picked.add(list),
            Some(_) => {}
            None => {
                let end = group.first_entry.saturating_add(group.entry_count);
                missing.push((group.first_entry..end, offset));
            }
        }
    }
    picked.missing = joined(missing);
    // Other ntuples may have the very same header: then their page lists cannot be told apart.
    if found.is_unique(header) {
        lists.iter().rev().for_each(|list| picked.add(list));
    }
    picked
}

fn is_of(group: &ClusterGroup, list: &FoundList) -> bool {
    let first = list.clusters.first().map(|cluster| cluster.first_entry);
    let count = list.clusters.len() as u64;
    count == u64::from(group.cluster_count) && first.is_none_or(|first| first == group.first_entry)
}

/// Joins those that have an entry in common, which no writer makes: each loss would otherwise be compared with each of
/// them.
fn joined(mut lists: Vec<(Range<u64>, u64)>) -> Vec<MissingLists> {
    lists.sort_by_key(|(entries, _)| (entries.start, entries.end));
    let mut joined: Vec<MissingLists> = Vec::new();
    for (entries, offset) in lists {
        match joined.last_mut().filter(|last| entries.start < last.entries.end) {
            Some(last) => {
                last.entries.end = last.entries.end.max(entries.end);
                last.count += 1;
                if last.offsets.len() < MOST_LISTS {
                    last.offsets.push(offset);
                }
            }
            None => joined.push(MissingLists { entries, offsets: vec![offset], count: 1 }),
        }
    }
    joined
}

impl Picked {
    /// Why nothing describes the clusters of these entries: the first page lists that are not whole, and how many
    /// others are not.
    pub(super) fn missing_in(&self, entries: &Range<u64>) -> (Vec<Error>, u64) {
        let first = self.missing.partition_point(|lists| lists.entries.end <= entries.start);
        let rest = self.missing.get(first..).unwrap_or_default();
        let (mut faults, mut count) = (Vec::new(), 0);
        for lists in rest.iter().take_while(|lists| lists.entries.start < entries.end) {
            count += lists.count;
            for offset in lists.offsets.iter().take(MOST_LISTS - faults.len()) {
                let error = Error::out_of_spec("the page list of the entries is damaged");
                faults.push(error.at_offset(*offset));
            }
        }
        let others = count - faults.len() as u64;
        if faults.is_empty() {
            faults.push(Error::out_of_spec("no whole page list describes the entries"));
        }
        (faults, others)
    }

    fn add(&mut self, list: &FoundList) {
        for (number, cluster) in list.clusters.iter().enumerate() {
            let Some(end) = cluster.first_entry.checked_add(cluster.entry_count) else { continue };
            let before = self.clusters.range(..end).next_back();
            let is_free =
                before.is_none_or(|(first, known)| first + known.entry_count <= cluster.first_entry);
            if cluster.entry_count > 0 && is_free {
                let description = Description::Listed(list.span, number);
                let candidate = Candidate { entry_count: cluster.entry_count, description };
                self.clusters.insert(cluster.first_entry, candidate);
            }
        }
    }

    /// Adds clusters that no page list describes, in the order of the file: to gaps that they fill exactly, and at the end
    /// where the file does not say how many entries it has.
    pub(super) fn fill(&mut self, deduced: &[ClusterDescriptor]) {
        let mut rest = deduced.iter().enumerate().peekable();
        for gap in self.gaps() {
            let mut filled = Vec::new();
            let mut next = gap.start;
            while let Some((number, cluster)) = rest.next_if(|_| next < gap.end) {
                filled.push((next, number, cluster.entry_count));
                next = next.saturating_add(cluster.entry_count);
            }
            if next != gap.end {
                // From here on it is not known which entries they are.
                return;
            }
            filled.into_iter().for_each(|(first, number, count)| self.deduce(first, number, count));
        }
        if self.counted.is_none() {
            for (number, cluster) in rest {
                self.deduce(self.end(), number, cluster.entry_count);
            }
        }
    }

    fn deduce(&mut self, first: u64, number: usize, entry_count: u64) {
        if first.checked_add(entry_count).is_some() {
            let description = Description::Deduced(number);
            self.clusters.insert(first, Candidate { entry_count, description });
        }
    }

    /// Entries that no cluster has.
    fn gaps(&self) -> Vec<Range<u64>> {
        let mut next = 0;
        let mut gaps = Vec::new();
        let ends = self.clusters.iter().map(|(first, cluster)| (*first, first + cluster.entry_count));
        for (first, end) in ends.chain([(self.end(), self.end())]) {
            if next < first {
                gaps.push(next..first);
            }
            next = end;
        }
        gaps
    }

    /// The entry after the last one that is known of.
    pub(super) fn end(&self) -> u64 {
        let last = self.clusters.last_key_value().map_or(0, |(first, last)| first + last.entry_count);
        last.max(self.counted.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(lists: Vec<(Range<u64>, u64)>) -> Picked {
        Picked { clusters: BTreeMap::new(), counted: None, missing: joined(lists) }
    }

    fn offsets(picked: &Picked, entries: Range<u64>) -> Vec<Option<u64>> {
        let (faults, others) = picked.missing_in(&entries);
        assert_eq!(others, 0);
        faults.iter().map(|fault| fault.location().offset).collect()
    }

    #[test]
    fn a_loss_names_the_page_lists_of_its_entries() {
        // The fourth one has no clusters.
        let picked = picked(vec![(10..20, 100), (0..10, 200), (30..40, 300), (35..35, 400)]);
        assert_eq!(offsets(&picked, 0..15), [Some(200), Some(100)]);
        assert_eq!(offsets(&picked, 10..30), [Some(100)]);
        assert_eq!(offsets(&picked, 20..30), [None]);
        assert_eq!(offsets(&picked, 39..50), [Some(300), Some(400)]);
        assert_eq!(offsets(&picked, 40..50), [None]);
    }

    /// 48 bytes of a footer are a group: ten thousand of them, in each of as many losses, were errors of many
    /// gigabytes.
    #[test]
    fn the_page_lists_of_a_loss_are_counted_beyond_the_first() {
        let picked = picked((0..10_000).map(|offset| (0..1 << 60, offset)).collect());
        for first in [0, 1000, (1 << 60) - 1] {
            let (faults, others) = picked.missing_in(&(first..first + 1));
            assert_eq!((faults.len(), others), (MOST_LISTS, 10_000 - MOST_LISTS as u64));
            assert_eq!(faults[1].location().offset, Some(1));
        }
        let picked = self::picked((0..10_000).map(|number| (number..number + 1, number)).collect());
        let (faults, others) = picked.missing_in(&(5000..10_000));
        assert_eq!((faults.len() as u64 + others, faults[0].location().offset), (5000, Some(5000)));
    }
}
