//! Where a file under construction has room between its records: what checkpoints left.

use super::free_list::{SMALLEST_GAP, Segment};

/// The gaps of a file under construction, and the places of the last checkpoints of its ntuples.
///
/// A checkpoint takes a gap, or a region at the end with room for one that is twice as long. Its region becomes a gap
/// when the next checkpoint of the same ntuple counts, which is elsewhere. So two regions mostly do for an ntuple, and
/// all together are a few times as long as its last checkpoint.
#[derive(Debug, Default)]
pub(super) struct Space {
    gaps: Vec<Segment>,
    regions: Vec<Region>,
    /// Gaps into which a write was torn: the records in them do not lead to their ends.
    broken: Vec<Segment>,
    /// Bytes that the last checkpoint took.
    size: u64,
    /// What leads to a checkpoint takes two writes. Between them the free list counts already, and the checkpoint before
    /// still does: its region becomes a gap one checkpoint later.
    pub(super) is_late: bool,
    /// What leads to a checkpoint is not flushed at once, so that the one before may still count when the next one is
    /// written: its region, which the free list has, is used one checkpoint later.
    pub(super) is_held: bool,
}

/// The place of a checkpoint.
#[derive(Debug)]
struct Region {
    /// The path of the ntuple; empty if the place is kept.
    owner: String,
    segment: Segment,
    /// What is free in it.
    rest: Segment,
    /// The ntuple has another anchor, which counts from the next checkpoint on, whichever that is.
    is_leaving: bool,
    /// What counts does not lead here, once it is on the medium.
    is_left: bool,
}

impl Space {
    /// Notes that writes into gaps were torn.
    pub(super) fn break_gaps(&mut self, gaps: impl IntoIterator<Item = Segment>) {
        self.broken.extend(gaps);
    }

    /// A gap whose mark is to be written.
    pub(super) fn broken_gap(&self) -> Option<Segment> {
        self.broken.last().copied()
    }

    /// Its mark has been written.
    pub(super) fn mend_gap(&mut self) {
        self.broken.pop();
    }

    /// Adds a gap after all others.
    #[cfg(test)]
    pub(super) fn push(&mut self, gap: Segment) {
        self.gaps.push(gap);
    }

    /// A gap in which a checkpoint probably fits.
    pub(super) fn room(&self) -> Option<Segment> {
        let largest = self.gaps.iter().copied().max_by_key(Segment::size)?;
        (largest.size() >= self.size.saturating_add(SMALLEST_GAP)).then_some(largest)
    }

    /// The gaps that there are when a checkpoint of `owner` counts, which has `taken` one of them.
    pub(super) fn gaps_after(&self, owner: Option<&str>, taken: Option<Segment>) -> Vec<Segment> {
        let kept = self.gaps.iter().copied().filter(|gap| Some(*gap) != taken);
        let freed = self.regions.iter().map(|region| match region.is_free_after(self.freed_by(owner)) {
            true => region.segment,
            false => region.rest,
        });
        let mut gaps: Vec<Segment> = kept.chain(freed).collect();
        gaps.sort_unstable_by_key(|gap| gap.first);
        gaps
    }

    /// Nothing else is written to these bytes.
    pub(super) fn take(&mut self, region: Segment) {
        self.gaps.retain(|gap| *gap != region);
    }

    /// The checkpoint of `owner` in this region counts, of which it takes `size` bytes.
    pub(super) fn settle(&mut self, owner: &str, segment: Segment, size: u64) {
        let free_for = self.freed_by(Some(owner)).map(str::to_owned);
        let is_held = self.is_held;
        let freed = self.regions.extract_if(.., |region| match is_held {
            true => region.is_left,
            false => region.is_free_after(free_for.as_deref()),
        });
        self.gaps.extend(freed.map(|region| region.segment));
        self.gaps.sort_unstable_by_key(|gap| gap.first);
        for region in &mut self.regions {
            region.is_left |= region.is_leaving || region.owner == owner;
        }
        self.hold(owner, segment, size);
        self.size = size;
    }

    /// A checkpoint of `owner` is in this region, and may count: it is not overwritten before the next one counts.
    pub(super) fn hold(&mut self, owner: &str, segment: Segment, size: u64) {
        let rest = Segment { first: segment.first.saturating_add(size), last: segment.last };
        self.regions.push(Region {
            owner: owner.to_owned(),
            segment,
            rest,
            is_leaving: false,
            is_left: false,
        });
    }

    /// The ntuple is finished: nothing leads to its checkpoint once its anchor counts.
    pub(super) fn leave(&mut self, owner: &str) {
        if !self.is_late {
            let own = self.regions.iter_mut().filter(|region| region.owner == owner);
            own.for_each(|region| region.is_leaving = true);
        }
    }

    /// What counts later leads to checkpoints of `owner` as well: their places are never free.
    pub(super) fn keep(&mut self, owner: &str) {
        let own = self.regions.iter_mut().filter(|region| region.owner == owner);
        own.for_each(|region| region.owner.clear());
    }

    /// Whose checkpoint before is free when one of `owner` counts.
    fn freed_by<'a>(&self, owner: Option<&'a str>) -> Option<&'a str> {
        owner.filter(|_| !self.is_late)
    }

    /// Whether there was a checkpoint.
    pub(super) fn is_settled(&self) -> bool {
        !self.regions.is_empty()
    }
}

impl Region {
    fn is_free_after(&self, owner: Option<&str>) -> bool {
        self.is_left || self.is_leaving || owner == Some(&*self.owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(first: u64) -> Segment {
        Segment { first, last: first + 99 }
    }

    /// What leads to a held checkpoint may be lost, and what leads to the one before counts then.
    #[test]
    fn the_place_of_a_finished_ntuple_is_free_when_nothing_leads_there_for_certain() {
        for is_held in [false, true] {
            let mut space = Space { is_held, ..Space::default() };
            space.settle("one", segment(100), 50);
            space.settle("two", segment(200), 50);
            space.leave("one");
            assert!(space.gaps_after(Some("two"), None).contains(&segment(100)));
            space.settle("two", segment(300), 50);
            assert_eq!(space.gaps.contains(&segment(100)), !is_held);
            space.settle("two", segment(400), 50);
            assert!(space.gaps.contains(&segment(100)));
        }
    }

    #[test]
    fn what_is_kept_is_never_free() {
        let mut space = Space::default();
        space.settle("one", segment(100), 50);
        space.keep("one");
        space.settle("one", segment(200), 50);
        space.leave("one");
        assert_eq!(space.gaps_after(None, None), [Segment { first: 150, last: 199 }, segment(200)]);
    }
}
