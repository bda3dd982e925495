//! Finding the entries that match, one cluster after the other.

use std::ops::Range;
use std::sync::Arc;

use super::counters::{Level, Outcome};
use super::known::{OfCluster, OfFile, OfNumber};
use super::plan::{Plan, Ready};
use super::ranges::{Ranges, count_pages};
use crate::error::{Error, Result};
use crate::predicate::{Possible, Truth};
use crate::reader::{Course, EntryList, Finder};
use crate::schema::{ClusterDescriptor, ColumnRange, Locator};

/// Entries that are looked at together.
const BATCH: usize = 1 << 16;

/// Of a file that is far away, clusters are looked at together that have this many bytes,
const FIRST_PORTION: u64 = 8 << 20;
/// and each time twice as many, up to this: the first entries come early, and later requests are large.
const MOST_OF_A_PORTION: u64 = 1 << 30;

/// In a file that is far away, offsets are searched for the pages of a field if these have this many bytes: a search waits for a
/// round trip, in which about as many bytes come.
const WORTH_A_SEARCH: u64 = 8 << 20;

/// Finds the entries that match among some.
pub(super) struct Matches {
    plan: Arc<Plan>,
    /// The entries that were not looked at.
    course: Course,
    /// Of these the first, which follow each other.
    next: Range<u64>,
    /// The file that they are in.
    file: Option<Entered>,
    group: Group,
    /// Whether entries are read where statistics do not decide. If not, these count as found.
    reads: bool,
    /// Bytes of the clusters that are looked at together next, if the file is far away.
    portion: u64,
    /// Why nothing comes after what was found last.
    failed: Option<Error>,
}

/// What is known of some entries of a file or a cluster before their values are read.
struct Known {
    /// These match.
    certain: EntryList,
    /// These have to be looked at.
    open: EntryList,
    /// `None`: it was decided for all of the file.
    ready: Option<Arc<Ready>>,
    /// Bytes of the cluster, if there are such entries and it is on storage that is far away.
    size: u64,
}

/// A file that was asked what is known of all of it.
#[derive(Clone)]
struct Entered {
    entries: Range<u64>,
    possible: Possible,
    /// `None`: it was decided before it was opened.
    ready: Option<Arc<Ready>>,
}

/// A cluster group of the file.
#[derive(Default)]
struct Group {
    number: usize,
    first_cluster: u64,
    /// Once it was, its clusters are asked one by one.
    is_entered: bool,
}

impl Matches {
    pub(super) fn find_in(plan: &Arc<Plan>, within: &EntryList) -> Box<dyn Finder> {
        Box::new(Self::among(plan, within, true))
    }

    /// Finds the entries that statistics do not exclude.
    pub(super) fn not_excluded(plan: &Arc<Plan>, within: &EntryList) -> impl Finder {
        Self::among(plan, within, false)
    }

    fn among(plan: &Arc<Plan>, within: &EntryList, reads: bool) -> Self {
        let (plan, course) = (plan.clone(), plan.scan.course(within));
        let (portion, failed) = (FIRST_PORTION, None);
        Self { plan, course, next: 0..0, file: None, group: Group::default(), reads, portion, failed }
    }
}

impl Finder for Matches {
    fn find(&mut self) -> Result<Option<EntryList>> {
        if let Some(error) = self.failed.take() {
            self.end();
            return Err(error);
        }
        if self.next.is_empty() {
            match self.course.next()? {
                Some(part) => self.next = part,
                None => return Ok(None),
            }
        }
        let found = self.find_next();
        match found {
            Ok(found) => {
                if self.reads {
                    self.plan.tally.matched(found.entry_count());
                }
                Ok(Some(found))
            }
            Err(error) => {
                self.end();
                Err(error)
            }
        }
    }

    fn hull(&self) -> Range<u64> {
        if self.next.is_empty() { self.course.hull() } else { self.next.start..self.course.hull().end }
    }

    fn most(&self) -> u64 {
        (self.next.end - self.next.start).saturating_add(self.course.most())
    }
}

fn outcome(possible: Possible) -> Outcome {
    match possible {
        _ if possible.is_never() => Outcome::Skipped,
        _ if possible.is_always() => Outcome::Certain,
        _ => Outcome::Read,
    }
}

/// The bytes of columns of a cluster.
fn size_of<'a>(columns: impl Iterator<Item = &'a ColumnRange>) -> u64 {
    let pages = columns.flat_map(|column| &column.pages);
    let sizes = pages.map(|page| match page.locator {
        Locator::File { size, .. } => size,
        Locator::Unknown { .. } => 0,
    });
    sizes.fold(0, u64::saturating_add)
}

impl Matches {
    fn end(&mut self) {
        self.course.end();
        self.next = 0..0;
    }

    /// The matches of the next file or cluster; of a file that is far away, those of several clusters.
    fn find_next(&mut self) -> Result<EntryList> {
        let Known { certain, open, ready, mut size } = self.weigh()?;
        let Some(ready) = ready else { return Ok(certain) };
        let mut certain = certain.ranges().to_vec();
        let mut open = open.ranges().to_vec();
        if ready.dataset.file().is_remote() {
            let is_next =
                |matches: &Self| !matches.next.is_empty() && ready.entries.contains(&matches.next.start);
            while size < self.portion && is_next(self) {
                match self.weigh() {
                    Ok(known) => {
                        certain.extend_from_slice(known.certain.ranges());
                        open.extend_from_slice(known.open.ranges());
                        size = size.saturating_add(known.size);
                    }
                    // What comes before it is found.
                    Err(error) => {
                        self.failed = Some(error);
                        break;
                    }
                }
            }
            self.portion = self.portion.saturating_mul(2).min(MOST_OF_A_PORTION);
        }
        self.look(&ready, certain, &open.into_iter().collect())
    }

    /// What is known of the next file or cluster.
    fn weigh(&mut self) -> Result<Known> {
        let Entered { entries, possible, ready } = self.enter()?;
        let Some(ready) = ready.filter(|_| outcome(possible) == Outcome::Read) else {
            return self.decide(entries.end, possible);
        };
        let start = ready.entries.start;
        if let Some(end) = self.skipped_group(&ready) {
            let known = self.decide(start.saturating_add(end), Possible::NEVER)?;
            return Ok(Known { ready: Some(ready), ..known });
        }
        let own = self.next.start - start;
        let dataset = &ready.dataset;
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        let missing = || place(Error::out_of_spec(format!("no cluster has entry {own}")));
        let number = dataset.cluster_of(own)?.ok_or_else(missing)?;
        let cluster = dataset.cluster(number)?;
        let known = OfCluster { schema: dataset.schema(), source: &*ready.source, number, cluster: &cluster };
        let first = start.saturating_add(cluster.first_entry);
        let end = first.saturating_add(cluster.entry_count);
        let possible = ready.bound.possible(&known);
        self.plan.tally.clusters.add(1, outcome(possible));
        let is_remote = dataset.file().is_remote();
        let size = if is_remote && !possible.is_never() { size_of(cluster.columns.iter()) } else { 0 };
        if outcome(possible) != Outcome::Read {
            let known = self.decide(end, possible)?;
            return Ok(Known { ready: Some(ready), size, ..known });
        }
        let schema = dataset.schema();
        let ranges = Ranges::of(&ready.bound, &known, &mut |field, scalars| {
            let ids = schema.representations(field).iter().flatten();
            let columns = ids.filter_map(|id| cluster.columns.get(id.index()));
            if is_remote && size_of(columns) < WORTH_A_SEARCH {
                return Ok(None);
            }
            self.plan.scan.way(dataset, number, &schema.path(field), scalars).map(Some)
        });
        let ranges = ranges.map_err(|error| place(error.in_cluster(number)))?;
        let within = self.take(end)?;
        let (certain, open) = self.count(&ready, &cluster, &ranges, first, &within);
        Ok(Known { certain, open, ready: Some(ready), size })
    }

    /// Goes to the file that has the next entry.
    fn enter(&mut self) -> Result<Entered> {
        if let Some(file) = &self.file
            && file.entries.contains(&self.next.start)
        {
            return Ok(file.clone());
        }
        let index = self.plan.scan.position(self.next.start)?;
        let file = self.ask(index)?;
        self.plan.tally.files.add(1, outcome(file.possible));
        self.file = Some(file.clone());
        self.group = Group::default();
        Ok(file)
    }

    /// Asks what is known of a file, before it is opened if that decides.
    fn ask(&self, index: usize) -> Result<Entered> {
        if let Some(possible) = self.plan.foreseen(index).filter(|it| outcome(*it) != Outcome::Read) {
            return Ok(Entered { entries: self.plan.scan.entries(index), possible, ready: None });
        }
        let ready = self.plan.ready(index)?;
        let known = OfFile { schema: ready.dataset.schema(), source: &*ready.source };
        let possible = ready.bound.possible(&known);
        if outcome(possible) != Outcome::Read {
            self.plan.tally.clusters.add(ready.dataset.cluster_count(), outcome(possible));
        }
        Ok(Entered { entries: ready.entries.clone(), possible, ready: Some(ready) })
    }

    /// Where the cluster group of the next entry ends, if no cluster of it can match: then its page list is not read.
    fn skipped_group(&mut self, ready: &Ready) -> Option<u64> {
        let own = self.next.start - ready.entries.start;
        let dataset = &ready.dataset;
        while let Some(group) = dataset.cluster_groups().get(self.group.number) {
            let clusters = u64::from(group.cluster_count);
            let first = self.group.first_cluster;
            let end = group.first_entry.saturating_add(group.entry_count);
            if own < end && self.group.is_entered {
                return None;
            }
            if own < end {
                self.group.is_entered = true;
                let mut numbers = first..first.saturating_add(clusters);
                let is_never = numbers.all(|cluster| {
                    let known = OfNumber { schema: dataset.schema(), source: &*ready.source, cluster };
                    ready.bound.possible(&known).is_never()
                });
                if is_never {
                    self.plan.tally.clusters.add(clusters, Outcome::Skipped);
                }
                return is_never.then_some(end);
            }
            let number = self.group.number + 1;
            self.group = Group { number, first_cluster: first.saturating_add(clusters), is_entered: false };
        }
        None
    }

    /// Takes the next entries before `end`, of which all match or none.
    fn decide(&mut self, end: u64, possible: Possible) -> Result<Known> {
        let taken = self.take(end)?;
        self.plan.tally.entries.add(taken.entry_count(), outcome(possible));
        let none = EntryList::from(0..0);
        let certain = if possible.is_always() { taken } else { none.clone() };
        Ok(Known { certain, open: none, ready: None, size: 0 })
    }

    /// Takes the next entries before `end`, which may be several runs.
    fn take(&mut self, end: u64) -> Result<EntryList> {
        let mut taken = Vec::new();
        while self.next.start < end.min(self.next.end) {
            let stop = end.min(self.next.end);
            taken.push(self.next.start..stop);
            self.next.start = stop;
            // What comes after `end` may be in another file, which is not opened before it is needed.
            if stop < end
                && let Some(part) = self.course.next()?
            {
                self.next = part;
            }
        }
        Ok(taken.into_iter().collect())
    }

    /// Of some entries of a cluster that begins with entry `first`, those that match, and those that have to be looked at.
    fn count(
        &self,
        ready: &Ready,
        cluster: &ClusterDescriptor,
        ranges: &Ranges,
        first: u64,
        within: &EntryList,
    ) -> (EntryList, EntryList) {
        let list = |ranges: &[Range<u64>]| {
            let all =
                ranges.iter().map(|range| first.saturating_add(range.start)..first.saturating_add(range.end));
            all.collect::<EntryList>().intersection(within)
        };
        let (certain, open) = (list(&ranges.certain), list(&ranges.open));
        let tally = &self.plan.tally;
        let count = |level: &Level, list: &EntryList, outcome| level.add(list.entry_count(), outcome);
        count(&tally.entries, &certain, Outcome::Certain);
        count(&tally.entries, &open, Outcome::Read);
        let skipped = within.difference(&certain).difference(&open);
        count(&tally.entries, &skipped, Outcome::Skipped);
        let [own_certain, own_open] = [&certain, &open].map(|list| -> Vec<_> {
            list.ranges().iter().map(|range| range.start - first..range.end - first).collect()
        });
        count_pages(&ready.bound, ready.dataset.schema(), cluster, ranges, &own_certain, &own_open, tally);
        (certain, open)
    }

    /// Looks at entries, and adds those that match to others.
    fn look(&mut self, ready: &Ready, mut found: Vec<Range<u64>>, open: &EntryList) -> Result<EntryList> {
        if !self.reads {
            found.extend_from_slice(open.ranges());
        }
        if !self.reads || open.ranges().is_empty() {
            return Ok(found.into_iter().collect());
        }
        let mut batches = ready.columns.batches(open, BATCH);
        let mut reached = 0;
        loop {
            let truths = match batches.lend() {
                Ok(Some(entries)) => ready.bound.evaluate(entries),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            let lent = batches.lent();
            let truths = match truths {
                Ok(truths) => truths,
                // What comes before it is found.
                Err(error) => {
                    self.failed = Some(error);
                    let before = EntryList::from(0..reached.max(lent.start));
                    return Ok(found.into_iter().collect::<EntryList>().intersection(&before));
                }
            };
            reached = lent.end;
            let mut run: Option<Range<u64>> = None;
            for (entry, truth) in lent.zip(truths) {
                match (&mut run, truth) {
                    (Some(run), Truth::True) => run.end = entry + 1,
                    (none @ None, Truth::True) => *none = Some(entry..entry + 1),
                    (run, _) => found.extend(run.take()),
                }
            }
            found.extend(run);
        }
        Ok(found.into_iter().collect())
    }
}
