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
use crate::schema::ClusterDescriptor;

/// Entries that are looked at together.
const BATCH: usize = 1 << 16;

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
        Self { plan, course, next: 0..0, file: None, group: Group::default(), reads }
    }
}

impl Finder for Matches {
    fn find(&mut self) -> Result<Option<EntryList>> {
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
                self.course.end();
                self.next = 0..0;
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

impl Matches {
    /// The matches of the next file or cluster.
    fn find_next(&mut self) -> Result<EntryList> {
        let Entered { entries, possible, ready } = self.enter()?;
        let Some(ready) = ready.filter(|_| outcome(possible) == Outcome::Read) else {
            return self.decide(entries.end, possible);
        };
        let start = ready.entries.start;
        if let Some(end) = self.skipped_group(&ready) {
            return self.decide(start.saturating_add(end), Possible::NEVER);
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
        if outcome(possible) != Outcome::Read {
            return self.decide(end, possible);
        }
        let schema = dataset.schema();
        let ranges = Ranges::of(&ready.bound, &known, &mut |field, scalars| {
            self.plan.scan.way(dataset, number, &schema.path(field), scalars)
        });
        let ranges = ranges.map_err(|error| place(error.in_cluster(number)))?;
        let within = self.take(end)?;
        self.look(&ready, &cluster, &ranges, first, &within)
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
    fn decide(&mut self, end: u64, possible: Possible) -> Result<EntryList> {
        let taken = self.take(end)?;
        self.plan.tally.entries.add(taken.entry_count(), outcome(possible));
        Ok(if possible.is_always() { taken } else { EntryList::from(0..0) })
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

    /// Looks at some entries of a cluster that begins with entry `first`.
    fn look(
        &self,
        ready: &Ready,
        cluster: &ClusterDescriptor,
        ranges: &Ranges,
        first: u64,
        within: &EntryList,
    ) -> Result<EntryList> {
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
        let own: Vec<_> = open.ranges().iter().map(|range| range.start - first..range.end - first).collect();
        count_pages(&ready.bound, ready.dataset.schema(), cluster, ranges, &own, tally);

        let mut found = certain.ranges().to_vec();
        if open.ranges().is_empty() {
            return Ok(certain);
        }
        if !self.reads {
            return Ok(certain.union(&open));
        }
        let mut batches = ready.columns.batches(&open, BATCH);
        while let Some(entries) = batches.lend()? {
            let truths = ready.bound.evaluate(entries)?;
            let lent = batches.lent();
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
