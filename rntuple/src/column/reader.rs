//! A column being read: one decoded page at a time.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::decoded::DecodedPages;
use super::means::Held;
use super::{Allowance, ItemLength, Means};
use crate::bytes::Block;
use crate::cluster::{Cluster, StoredPage};
use crate::encoding::{
    ColumnEncoding, ColumnType, Conversion, Element, Index, Misfit, Values, decode_fitting,
};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits, make_room};
use crate::message::counted;
use crate::page::append_values;
use crate::pool::Task;
use crate::schema::{ColumnId, FieldPlace, Locator, PageLocation};

/// One of the physical columns that may hold a field's values (format, section 7.4).
#[derive(Clone, Debug)]
pub(crate) struct Representation {
    pub(crate) id: ColumnId,
    pub(crate) packing: ColumnEncoding,
    /// Elements before the first written one read as zero (format, section 5.3).
    pub(crate) is_deferred: bool,
}

/// What a column reader needs to know of the file.
#[derive(Clone)]
pub(crate) struct ColumnSource {
    /// The field, for errors.
    pub(crate) place: FieldPlace,
    /// At least one.
    pub(crate) representations: Vec<Representation>,
    /// Elements per entry, where the schema fixes them: no collection or variant above.
    pub(crate) per_entry: Option<u64>,
    /// Whether any number is read as the nearest of the reader's type.
    pub(crate) lossy: bool,
    /// Whether these are end offsets, to be read as counts.
    pub(crate) as_counts: bool,
    pub(crate) means: Arc<Means>,
    pub(crate) allowance: Allowance,
}

/// The elements of one column in one cluster.
struct Extent {
    /// The representation that is used there.
    active: usize,
    /// Where each page begins, and where the last one ends.
    starts: Arc<[u64]>,
    /// Elements on storage.
    stored: u64,
    /// With the zeros before them.
    count: u64,
}

impl Extent {
    fn find(cluster: &Cluster, representations: &[Representation], per_entry: Option<u64>) -> Result<Self> {
        let mut known = representations
            .iter()
            .enumerate()
            .filter_map(|(index, representation)| {
                Some((index, representation.id, cluster.column(representation.id)?))
            })
            .peekable();
        let all_missing = known.peek().is_none();
        let active =
            known.find(|(_, _, column)| column.first_element.is_some()).map(|(index, id, _)| (index, id));
        let (active, starts) = match active {
            Some((index, id)) => (index, cluster.page_starts(id)?),
            // The cluster is older than the column, which then has nothing, or zeros, there.
            None if all_missing => (0, Arc::default()),
            None => return Err(Error::out_of_spec("every representation of the field is suppressed")),
        };
        let is_deferred = representations.get(active).is_some_and(|active| active.is_deferred);
        let stored = starts.last().copied().unwrap_or_default();
        let entries = cluster.descriptor().entry_count;
        let count = match per_entry {
            None => stored,
            Some(per_entry) => {
                let wanted = entries
                    .checked_mul(per_entry)
                    .ok_or_else(|| Error::out_of_spec("the cluster has over 2^64 elements"))?;
                let short = stored < wanted && !is_deferred;
                if stored > wanted || short {
                    return Err(Error::out_of_spec(format!(
                        "the pages hold {}, expected {wanted} for {}",
                        counted(stored, "element"),
                        counted(entries, "entry")
                    )));
                }
                wanted
            }
        };
        Ok(Self { active, starts, stored, count })
    }
}

/// A column being read.
pub struct ColumnReader<E> {
    window: Window<E>,
    /// Apart, so that structs of many columns stay small; `None` where it is attached to no file.
    cold: ManuallyDrop<Option<Box<dyn Turn<E>>>>,
}

/// The decoded values of a column.
struct Window<E> {
    /// The values of a page, decoded or where the file has them; or a part of a run of zeros.
    values: ManuallyDrop<Values<E>>,
    /// The next value in it.
    at: usize,
    /// Position in the cluster of `values[0]`.
    first: u64,
    /// Elements of this column in the attached cluster.
    count: u64,
}

impl<E> Window<E> {
    const EMPTY: Self = Self { values: ManuallyDrop::new(Values::EMPTY), at: 0, first: 0, count: 0 };

    /// Elements of the cluster that were not read yet.
    #[inline]
    fn remaining(&self) -> u64 {
        self.count.saturating_sub(self.position())
    }

    /// Position in the cluster of the next value.
    #[inline]
    fn position(&self) -> u64 {
        self.first + self.at as u64
    }
}

/// What a column needs once per page.
struct Cold<E> {
    /// Values of several pages, where a slice of them is lent.
    assembled: Vec<E>,
    /// A page that is being decoded by other threads, most likely the next one.
    ahead: Option<Ahead<E>>,
    /// The buffer of the page before, for the one after the next.
    spare: Vec<E>,
    /// Empty lists that values were read into, for those to come.
    lists: Vec<Vec<E>>,
    pages: Pages,
}

/// The pages of a column in the attached cluster: what is the same for all types of values, compiled once.
struct Pages {
    /// Elements at the front that were never written and are zero.
    zeros: u64,
    /// Where each page begins after them, and where the last one ends; shared by all readers of the column.
    starts: Arc<[u64]>,
    /// The page after the decoded one: where a walk continues.
    next_page: usize,
    decoded: DecodedPages,
    /// Whether no page of the cluster was decoded so far.
    is_new: bool,
    /// Of offsets that are read as counts: a position, and the offset before it.
    counted: (u64, u64),
    active: usize,
    cluster: Option<Cluster>,
    held: Held,
    source: ColumnSource,
}

/// A page that is decoded before it is asked for.
struct Ahead<E> {
    number: usize,
    task: Task<Decoded<E>>,
}

/// What came of decoding a page; told when the page is asked for, good or bad.
struct Decoded<E> {
    values: Values<E>,
    /// A buffer that was not needed.
    spare: Vec<E>,
    result: Result<Option<Misfit>>,
}

impl<E: Element> Decoded<E> {
    /// The values of page `number` of a column, as far as they fit; on any thread. With `gives`, another walk may need the
    /// page as well.
    fn new(
        means: &Means,
        cluster: &Cluster,
        active: &Representation,
        number: usize,
        how: Conversion,
        mut buffer: Vec<E>,
        gives: bool,
    ) -> Self {
        buffer.clear();
        let (page, content) = match content(cluster, active, number) {
            Ok(both) => both,
            Err(error) => return Self { values: buffer.into(), spare: Vec::new(), result: Err(error) },
        };
        let PageLocation { count, has_checksum, .. } = *page;
        let sharing = cluster.sharing().filter(|_| gives);
        let result = match content {
            Content::Stored(stored) => {
                let block = stored.lendable().filter(|_| how.skip == 0);
                let lent =
                    block.and_then(|block| means.unsealers.lend(&active.packing, block, has_checksum, count));
                match lent {
                    Some(Ok(values)) => return Self { values, spare: buffer, result: Ok(None) },
                    Some(Err(error)) => Err(error),
                    None => means.unsealers.with(|unsealer| {
                        let result =
                            unsealer.unseal(&active.packing, &stored, has_checksum, count, how, &mut buffer);
                        if let Some(sharing) = sharing.filter(|_| result.is_ok()) {
                            unsealer.give(|content| sharing.give(page, content));
                        }
                        result
                    }),
                }
            }
            Content::Shared(shared) => {
                let values = append_values(&active.packing, &shared, count, how, &mut buffer);
                if let Some(sharing) = sharing {
                    sharing.give(page, shared);
                }
                values
            }
        };
        let result = result.map_err(|error| locate(page, error));
        Self { values: buffer.into(), spare: Vec::new(), result }
    }
}

/// What there is of a page.
enum Content {
    /// The stored bytes.
    Stored(StoredPage),
    /// What they are when they are decompressed: another walk did that.
    Shared(Block),
}

/// Page `number` of a column, and what there is of it.
fn content<'a>(
    cluster: &'a Cluster,
    active: &Representation,
    number: usize,
) -> Result<(&'a PageLocation, Content)> {
    let page = page_at(cluster, active, number)?;
    let length = active.packing.page_length(page.count);
    match cluster.sharing().and_then(|sharing| sharing.take(page)) {
        // Another column may say that it has the same bytes.
        Some(shared) if shared.len() as u64 == length => Ok((page, Content::Shared(shared))),
        _ => Ok((page, Content::Stored(stored(cluster, active, page)?))),
    }
}

/// Page `number` of a column.
fn page_at<'a>(cluster: &'a Cluster, active: &Representation, number: usize) -> Result<&'a PageLocation> {
    let page = cluster.column(active.id).and_then(|column| column.pages.get(number));
    page.ok_or_else(|| Error::out_of_spec("the cluster has no such page"))
}

/// The stored bytes of a page of a column.
fn stored(cluster: &Cluster, active: &Representation, page: &PageLocation) -> Result<StoredPage> {
    // The length has a limit, so the size has it too, before anything is read.
    let length = active.packing.page_length(page.count);
    match page.locator {
        Locator::File { size, .. } if size > length => {
            let message = format!("{size} bytes are stored for {length} bytes of content");
            Err(locate(page, Error::out_of_spec(message)))
        }
        _ => cluster.page(page),
    }
}

#[cold]
fn locate(page: &PageLocation, error: Error) -> Error {
    match page.locator {
        Locator::File { offset, .. } => error.at_offset(offset),
        Locator::Unknown { .. } => error,
    }
}

/// So many empty lists are kept, of so many elements each: those of short collections, which are read most often.
const KEPT_LISTS: usize = 16;
const KEPT_LENGTH: usize = 128;

/// Where several values are that were passed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    InPage {
        start: usize,
        end: usize,
    },
    /// They were copied from several pages.
    Assembled,
}

/// Zeros are made in portions of this many.
const ZEROS: u64 = 1024;

/// Up to this many values are copied without a check that there is memory for them.
const SHORT: usize = 1 << 16;

/// The allowance of columns without a file. They have no values, so nothing is taken from it.
static NOTHING: LazyLock<Allowance> = LazyLock::new(|| Allowance::new(&Limits::new()));

#[cold]
fn detached() -> Error {
    Error::invalid_argument("the column is attached to no file")
}

impl<E: Element> ColumnReader<E> {
    pub(crate) fn new(source: ColumnSource) -> Self {
        let cold = Cold {
            assembled: Vec::new(),
            ahead: None,
            spare: Vec::new(),
            lists: Vec::new(),
            pages: Pages::new(source),
        };
        Self { window: Window::EMPTY, cold: ManuallyDrop::new(Some(Box::new(cold))) }
    }

    /// The next value.
    ///
    /// # Errors
    /// No value is left in the cluster, or its page is damaged.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "a value is always there to be read or an error")]
    pub fn next(&mut self) -> Result<E> {
        match self.window.values.get(self.window.at) {
            Some(&value) => {
                self.window.at += 1;
                Ok(value)
            }
            None => self.next_of_page(),
        }
    }

    #[cold]
    #[inline(never)]
    fn next_of_page(&mut self) -> Result<E> {
        let (cold, window) = self.cold()?;
        cold.next(window)
    }

    /// Fills `out` with the next values.
    ///
    /// # Errors
    /// As [`next`](Self::next); how much of `out` was filled is then unknown.
    #[inline]
    pub(crate) fn copy_to(&mut self, out: &mut [E]) -> Result<()> {
        let mut rest = out;
        while !rest.is_empty() {
            let values = self.window.values.get(self.window.at..).unwrap_or_default();
            let (now, later) = rest.split_at_mut(rest.len().min(values.len()));
            if let Some(values) = values.get(..now.len()) {
                now.copy_from_slice(values);
            }
            self.window.at += now.len();
            rest = later;
            if !rest.is_empty() {
                self.turn()?;
            }
        }
        Ok(())
    }

    /// Appends the next `count` values to `out`.
    ///
    /// # Errors
    /// As [`next`](Self::next); nothing is allocated for values that the cluster does not have.
    #[inline]
    pub fn append_to(&mut self, count: usize, out: &mut Vec<E>) -> Result<()> {
        if count <= SHORT
            && let Some(values) = self.window.values.get(self.window.at..).and_then(|rest| rest.get(..count))
        {
            out.extend_from_slice(values);
            self.window.at += count;
            return Ok(());
        }
        self.append_more(count, out)
    }

    #[inline(never)]
    fn append_more(&mut self, count: usize, out: &mut Vec<E>) -> Result<()> {
        let (cold, window) = self.cold()?;
        cold.append(window, count, out)
    }

    /// An empty list, with an allocation that was kept, if there is one.
    #[inline]
    pub(crate) fn spare_list(&mut self) -> Vec<E> {
        self.cold.as_mut().map_or_else(Vec::new, |cold| cold.spare_list())
    }

    /// Keeps the allocation of a list for the next one, if it is short and few others are kept.
    #[inline]
    pub(crate) fn keep_list(&mut self, list: Vec<E>) {
        if let Some(cold) = &mut *self.cold {
            cold.keep_list(list);
        }
    }

    /// The next values where they lie decoded: at least one and at most `limit`, which is not 0.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    #[inline]
    pub fn next_chunk(&mut self, limit: usize) -> Result<&[E]> {
        self.decode_next()?;
        let rest = self.window.values.get(self.window.at..).unwrap_or_default();
        let chunk = rest.get(..limit).unwrap_or(rest);
        self.window.at += chunk.len();
        Ok(chunk)
    }

    /// Decodes the page of the next value, if that was not done.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    #[inline]
    pub(crate) fn decode_next(&mut self) -> Result<()> {
        if self.window.at < self.window.values.len() { Ok(()) } else { self.turn() }
    }

    /// The next `count` values: a part of the decoded page, or, where a page ends among them, copies.
    ///
    /// # Errors
    /// As [`next`](Self::next); nothing is allocated for values that the cluster does not have.
    #[inline]
    pub fn slice(&mut self, count: usize) -> Result<&[E]> {
        let passed = self.pass(count)?;
        Ok(self.passed(passed))
    }

    /// Passes the next `count` values; returns where they are until others are read.
    #[inline]
    pub(crate) fn pass(&mut self, count: usize) -> Result<Passed> {
        let start = self.window.at;
        if count <= self.window.values.len().saturating_sub(start) {
            self.window.at = start + count;
            return Ok(Passed::InPage { start, end: start + count });
        }
        self.gather(count)
    }

    #[inline(never)]
    fn gather(&mut self, count: usize) -> Result<Passed> {
        let (cold, window) = self.cold()?;
        cold.gather(window, count)
    }

    /// The next `count` values, and what `check` finds of them; an error of it is placed.
    #[inline]
    pub(crate) fn slice_if<V>(
        &mut self,
        count: usize,
        check: impl FnOnce(&[E]) -> Result<V>,
    ) -> Result<(&[E], V)> {
        let passed = self.pass(count)?;
        match check(self.passed(passed)) {
            Ok(found) => Ok((self.passed(passed), found)),
            Err(error) => Err(self.place(error)),
        }
    }

    /// Values that were passed last.
    #[inline]
    pub(crate) fn passed(&self, passed: Passed) -> &[E] {
        match passed {
            Passed::InPage { start, end } => self.window.values.get(start..end).unwrap_or_default(),
            Passed::Assembled => self.cold.as_ref().map_or(&[], |cold| cold.assembled()),
        }
    }

    /// Takes memory for `count` values, if they are those of collections: of others, who reads says how many.
    #[inline]
    pub(crate) fn take_items(&self, count: usize) -> Result<()> {
        let Some(source) = self.source().filter(|source| source.per_entry.is_none()) else { return Ok(()) };
        let taken = source.allowance.take_values(count, ItemLength::exactly(size_of::<E>()));
        taken.map_err(|error| self.place(error))
    }

    /// What the entry may take.
    pub(crate) fn allowance(&self) -> &Allowance {
        self.source().map_or(&NOTHING, |source| &source.allowance)
    }

    /// Elements of the cluster that were not read yet.
    #[inline]
    pub fn remaining(&self) -> u64 {
        self.window.remaining()
    }

    /// Elements at the beginning of the cluster that are not on storage, and 0.
    pub(crate) fn zeros(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.pages().zeros)
    }

    /// Position in the cluster of the next value.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.window.position()
    }

    /// Goes to the element at `position` of the cluster; nothing is read before a value is asked for.
    ///
    /// # Errors
    /// The cluster has fewer elements.
    #[inline]
    pub fn seek(&mut self, position: u64) -> Result<()> {
        self.go_to(None, position)
    }

    /// Turns to another cluster, before its first element.
    ///
    /// # Errors
    /// The cluster has another number of elements than its entries need.
    #[inline]
    pub fn attach(&mut self, cluster: &Cluster) -> Result<()> {
        self.go_to(Some(cluster), 0)
    }

    /// Goes to an element, of another cluster if one is given.
    #[inline(never)]
    pub(crate) fn go_to(&mut self, cluster: Option<&Cluster>, position: u64) -> Result<()> {
        let Window { values, at, first, count } = &mut self.window;
        // Most jumps lead to a value of the decoded page.
        if cluster.is_none()
            && let Some(ahead) = position.checked_sub(*first)
            && ahead <= values.len() as u64
            && position <= *count
        {
            *at = usize::try_from(ahead).unwrap_or(values.len());
            return Ok(());
        }
        let (cold, window) = self.cold()?;
        cold.seek(window, cluster, position)
    }

    /// Decodes the page that holds the next value.
    fn turn(&mut self) -> Result<()> {
        let (cold, window) = self.cold()?;
        cold.turn(window)
    }

    /// What is done once per page, and for which values.
    fn cold(&mut self) -> Result<(&mut dyn Turn<E>, &mut Window<E>)> {
        match &mut *self.cold {
            Some(cold) => Ok((&mut **cold, &mut self.window)),
            None => Err(detached()),
        }
    }

    #[cold]
    pub(crate) fn place(&self, error: Error) -> Error {
        match &*self.cold {
            Some(cold) => cold.pages().place(error),
            None => error,
        }
    }
}

/// What a column does once per page. The set of elements is closed: all of it is compiled in this crate, and a program
/// that reads columns has none of it.
trait Turn<E>: Send + Sync {
    /// Decodes the page that holds the next value.
    fn turn(&mut self, window: &mut Window<E>) -> Result<()>;
    /// The next value, which is not in the decoded page.
    fn next(&mut self, window: &mut Window<E>) -> Result<E>;
    /// Appends the next `count` values, which are many or not all in the decoded page.
    fn append(&mut self, window: &mut Window<E>, count: usize, out: &mut Vec<E>) -> Result<()>;
    /// Passes the next `count` values, which are not all in the decoded page; returns where they are.
    fn gather(&mut self, window: &mut Window<E>, count: usize) -> Result<Passed>;
    /// Values of several pages that were passed last.
    fn assembled(&self) -> &[E];
    /// Goes to an element that is not in the decoded page, of another cluster if one is given.
    fn seek(&mut self, window: &mut Window<E>, cluster: Option<&Cluster>, position: u64) -> Result<()>;
    fn spare_list(&mut self) -> Vec<E>;
    fn keep_list(&mut self, list: Vec<E>);
    /// The column is not needed any more.
    fn end(self: Box<Self>, values: Values<E>);
    fn pages(&self) -> &Pages;
}

impl<E: Element> Turn<E> for Cold<E> {
    fn turn(&mut self, window: &mut Window<E>) -> Result<()> {
        let position = window.position();
        if position >= window.count {
            return Err(self.ended(window));
        }
        window.values.clear();
        window.at = 0;
        window.first = position;
        let Some(behind) = position.checked_sub(self.pages.zeros) else {
            let allowance = &self.pages.source.allowance;
            let zeros = (self.pages.zeros - position).min(allowance.portion(ZEROS));
            allowance.take(zeros).map_err(|error| self.pages.place(error))?;
            let mut values = window.values.take_buffer();
            values.resize(usize::try_from(zeros).unwrap_or_default(), E::default());
            *window.values = values.into();
            return Ok(());
        };
        let Some((number, Range { start, .. })) = self.pages.page_of(behind) else {
            return Err(self.ended(window));
        };
        let within = usize::try_from(behind - start).unwrap_or(usize::MAX);
        let taken = self.pages.take_page(number, size_of::<E>());
        match taken.and_then(|()| self.decode(window, number, within)) {
            Ok(skipped) => {
                window.first = self.pages.zeros + start + skipped as u64;
                window.at = within - skipped;
                self.pages.next_page = number + 1;
                self.pages.decoded.add(number);
                self.pages.is_new = false;
                Ok(())
            }
            Err(error) => {
                window.values.clear();
                Err(self.pages.place(error.in_page(number as u64)))
            }
        }
    }

    fn next(&mut self, window: &mut Window<E>) -> Result<E> {
        self.turn(window)?;
        let value = window.values.get(window.at).copied();
        window.at += 1;
        value.ok_or_else(|| self.ended(window))
    }

    fn append(&mut self, window: &mut Window<E>, count: usize, out: &mut Vec<E>) -> Result<()> {
        if window.remaining() < count as u64 {
            return Err(self.ended(window));
        }
        let mut wanted = count;
        // Page by page: what a page list claims is no reason to allocate.
        while wanted > 0 {
            let appended = self.append_page(window, wanted, out)?;
            if appended > 0 {
                wanted -= appended;
                continue;
            }
            if window.at >= window.values.len() {
                self.turn(window)?;
            }
            let room = make_room(out, wanted).map_err(|error| self.pages.place(error))?;
            let values = window.values.get(window.at..).unwrap_or_default();
            let values = values.get(..room).unwrap_or(values);
            out.extend_from_slice(values);
            window.at += values.len();
            wanted -= values.len();
        }
        Ok(())
    }

    fn gather(&mut self, window: &mut Window<E>, count: usize) -> Result<Passed> {
        if window.remaining() < count as u64 {
            return Err(self.ended(window));
        }
        if count > 0 && window.at >= window.values.len() {
            self.turn(window)?;
        }
        let (start, end) = (window.at, window.at.saturating_add(count));
        if end <= window.values.len() {
            window.at = end;
            return Ok(Passed::InPage { start, end });
        }
        let length = (count as u64).saturating_mul(size_of::<E>() as u64);
        let taken = self.pages.source.allowance.take_values(count, ItemLength::exactly(size_of::<E>()));
        taken.map_err(|error| self.pages.place(error))?;
        if !self.pages.held.assembled.grow(length) {
            return Err(self.pages.place(self.pages.source.means.too_much(length)));
        }
        let mut assembled = std::mem::take(&mut self.assembled);
        assembled.clear();
        let result = self.append(window, count, &mut assembled);
        self.assembled = assembled;
        result.map(|()| Passed::Assembled)
    }

    fn assembled(&self) -> &[E] {
        &self.assembled
    }

    fn seek(&mut self, window: &mut Window<E>, cluster: Option<&Cluster>, position: u64) -> Result<()> {
        if let Some(cluster) = cluster {
            self.attach(window, cluster)?;
        }
        if position > window.count {
            return Err(self.pages.beyond(position, window.count));
        }
        window.values.clear();
        (window.at, window.first) = (0, position);
        Ok(())
    }

    #[inline]
    fn spare_list(&mut self) -> Vec<E> {
        self.lists.pop().unwrap_or_default()
    }

    fn keep_list(&mut self, mut list: Vec<E>) {
        let lists = &mut self.lists;
        if (1..=KEPT_LENGTH).contains(&list.capacity()) && lists.len() < KEPT_LISTS {
            list.clear();
            lists.push(list);
        }
    }

    fn end(self: Box<Self>, values: Values<E>) {
        drop(values);
    }

    fn pages(&self) -> &Pages {
        &self.pages
    }
}

impl<E: Element> Cold<E> {
    /// Decodes the next page where its values are wanted, if no more than `wanted` are on it; returns how many were.
    fn append_page(&mut self, window: &mut Window<E>, wanted: usize, out: &mut Vec<E>) -> Result<usize> {
        let (position, source) = (window.position(), &self.pages.source);
        if window.at < window.values.len() || source.as_counts || source.means.pool().is_some() {
            return Ok(0);
        }
        let behind = position.checked_sub(self.pages.zeros);
        let Some((number, range)) = behind.and_then(|behind| self.pages.page_of(behind)) else {
            return Ok(0);
        };
        let count = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        if behind != Some(range.start) || count > wanted {
            return Ok(0);
        }
        self.pages
            .take_page(number, size_of::<E>())
            .map_err(|error| self.pages.place(error.in_page(number as u64)))?;
        let (Some(cluster), Some(active)) = (&self.pages.cluster, self.pages.active()) else {
            return Ok(0);
        };
        let how = Conversion { skip: 0, lossy: self.pages.source.lossy };
        let before = out.len();
        let stored =
            page_at(cluster, active, number).and_then(|page| Ok((page, stored(cluster, active, page)?)));
        let result = stored.and_then(|(page, bytes)| {
            self.pages.source.means.unsealers.with(|unsealer| {
                unsealer.unseal(&active.packing, &bytes, page.has_checksum, page.count, how, out)
            })
        });
        match result {
            Ok(None) => {
                window.values.clear();
                (window.at, window.first) = (0, position + count as u64);
                self.pages.next_page = number + 1;
                self.pages.decoded.add(number);
                Ok(count)
            }
            // What is wrong with it is said by who decodes it for itself.
            Ok(Some(_)) | Err(_) => {
                out.truncate(before);
                Ok(0)
            }
        }
    }

    /// Decodes page `number` as far as its values fit, so that value `within` is among them; returns how many at
    /// its front are left out.
    fn decode(&mut self, window: &mut Window<E>, number: usize, within: usize) -> Result<usize> {
        let counts = if self.pages.source.as_counts { Some(self.pages.counts(number)?) } else { None };
        let gives = within > 0 && self.pages.begins_inside();
        match self.decode_from(window, number, 0, counts.as_deref(), gives)? {
            Some(misfit) if misfit.position < within => {
                match self.decode_from(window, number, within, counts.as_deref(), gives)? {
                    Some(misfit) if misfit.position == within => {
                        Err(Pages::misfit(window.position(), misfit, E::NAME))
                    }
                    _ => Ok(within),
                }
            }
            Some(misfit) if misfit.position == within => {
                Err(Pages::misfit(window.position(), misfit, E::NAME))
            }
            // What does not fit comes later.
            Some(_) => Ok(0),
            None => {
                self.look_ahead(number + 1);
                Ok(0)
            }
        }
    }

    /// Decodes page `number`, or takes it from those who did, without the first `skip` values.
    fn decode_from(
        &mut self,
        window: &mut Window<E>,
        number: usize,
        skip: usize,
        counts: Option<&[u8]>,
        gives: bool,
    ) -> Result<Option<Misfit>> {
        let how = Conversion { skip, lossy: self.pages.source.lossy };
        if let (Some(block), Some(cluster)) = (window.values.take_lent(), &self.pages.cluster) {
            cluster.recycle(block);
        }
        let mut buffer = window.values.take_buffer();
        let ahead = self.ahead.take().filter(|ahead| ahead.number == number && skip == 0);
        if ahead.is_none() && buffer.capacity() == 0 {
            // The values before were lent.
            buffer = std::mem::take(&mut self.spare);
        }
        let Decoded { values, spare, result } = match (ahead, counts) {
            (Some(ahead), _) => {
                let mut decoded = ahead.task.wait();
                if decoded.spare.capacity() < buffer.capacity() {
                    decoded.spare = buffer;
                }
                decoded
            }
            (None, None) => match (&self.pages.cluster, self.pages.active()) {
                (Some(cluster), Some(active)) => {
                    Decoded::new(&self.pages.source.means, cluster, active, number, how, buffer, gives)
                }
                _ => return Err(self.ended(window)),
            },
            (None, Some(bytes)) => {
                let mut values = buffer;
                let count = u32::try_from(bytes.len() / size_of::<u64>()).unwrap_or(u32::MAX);
                let packing = ColumnEncoding::of(ColumnType::UInt64);
                let result = decode_fitting(&packing, bytes, count, how, &mut values).map_err(Error::from);
                Decoded { values: values.into(), spare: Vec::new(), result }
            }
        };
        *window.values = values;
        if self.spare.capacity() < spare.capacity() {
            self.spare = spare;
        }
        result
    }

    /// Lets other threads decode the first page from `number` on that has values, where there are such threads.
    fn look_ahead(&mut self, number: usize) {
        let Cold { ahead, spare, pages, .. } = self;
        if ahead.is_some() {
            return;
        }
        let Some((number, cluster, active)) = pages.page_ahead(number, size_of::<E>()) else { return };
        let (means, how) = (pages.source.means.clone(), Conversion { skip: 0, lossy: pages.source.lossy });
        let Some(pool) = pages.source.means.pool() else { return };
        let buffer = std::mem::take(spare);
        let task =
            Task::spawn(pool, move || Decoded::new(&means, &cluster, &active, number, how, buffer, false));
        *ahead = Some(Ahead { number, task });
    }

    #[cold]
    #[inline(never)]
    fn attach(&mut self, window: &mut Window<E>, cluster: &Cluster) -> Result<()> {
        window.values.clear();
        (window.at, window.first, window.count) = (0, 0, 0);
        self.ahead = None;
        window.count = self.pages.attach(cluster)?;
        if cluster.begins_at_once() {
            self.look_ahead(0);
        }
        Ok(())
    }

    #[cold]
    fn ended(&self, window: &Window<E>) -> Error {
        self.pages.ended(window.position())
    }
}

impl Pages {
    fn new(source: ColumnSource) -> Self {
        Self {
            zeros: 0,
            starts: Arc::default(),
            next_page: 0,
            decoded: DecodedPages::default(),
            is_new: true,
            counted: (0, 0),
            active: 0,
            cluster: None,
            held: source.means.hold(),
            source,
        }
    }

    /// Turns to another cluster; returns the number of its elements.
    fn attach(&mut self, cluster: &Cluster) -> Result<u64> {
        self.starts = Arc::default();
        (self.zeros, self.next_page, self.is_new, self.counted) = (0, 0, true, (0, 0));
        self.decoded.clear();
        let count = self.plan(cluster);
        self.cluster = Some(cluster.clone());
        count.map_err(|error| self.place(error))
    }

    fn plan(&mut self, cluster: &Cluster) -> Result<u64> {
        let source = &self.source;
        let extent = Extent::find(cluster, &source.representations, source.per_entry)?;
        self.active = extent.active;
        self.zeros = extent.count - extent.stored;
        self.starts = extent.starts;
        let most = self.source.allowance.unstored_items();
        if let Some(items) = self.source.per_entry.filter(|items| self.zeros > 0 && *items > most) {
            let found = format_args!("an array that is not on storage has {items} items");
            return Err(limits::exceeded(found, most, "unstored_items"));
        }
        Ok(extent.count)
    }

    /// Whether the next page is the first one of a walk that begins inside the cluster.
    fn begins_inside(&self) -> bool {
        let sharing = self.cluster.as_ref().and_then(Cluster::sharing);
        self.is_new && sharing.is_some_and(|sharing| sharing.begins_inside)
    }

    fn active(&self) -> Option<&Representation> {
        self.source.representations.get(self.active)
    }

    /// The page that holds the element at `position` of those on storage, and which ones it has.
    fn page_of(&self, position: u64) -> Option<(usize, Range<u64>)> {
        let starts = &self.starts;
        let page = |number: usize| {
            let range = *starts.get(number)?..*starts.get(number + 1)?;
            range.contains(&position).then_some((number, range))
        };
        // Of pages that begin at one place, all but the last are empty.
        let find = || starts.partition_point(|start| *start <= position).saturating_sub(1);
        page(self.next_page).or_else(|| page(find()))
    }

    /// The memory of the values of page `number`, each of which takes `width` bytes.
    fn page_memory(&self, number: usize, width: usize) -> u64 {
        let count = match (self.starts.get(number), self.starts.get(number + 1)) {
            (Some(start), Some(end)) => end.saturating_sub(*start),
            _ => 0,
        };
        count.saturating_mul(width as u64)
    }

    /// Takes the memory for page `number`, which is read for the entry.
    fn take_page(&mut self, number: usize, width: usize) -> Result<()> {
        let length = self.page_memory(number, width);
        let means = &self.source.means;
        means.limits().check_page(length)?;
        if !self.held.page.grow(length) {
            return Err(means.too_much(length));
        }
        self.source.allowance.take_page(length, means.held())?;
        let again = if self.decoded.contains(number) { length } else { 0 };
        self.source.allowance.take_again(again)
    }

    /// The first page from `number` on that has values and may be decoded ahead, its cluster and its representation.
    fn page_ahead(&mut self, number: usize, width: usize) -> Option<(usize, Cluster, Representation)> {
        // Counts need the page before.
        if self.source.as_counts || self.source.means.pool().is_none() {
            return None;
        }
        let start = self.starts.get(number)?;
        // Of pages that begin at one place, all but the last are empty.
        let number = self.starts.partition_point(|other| other <= start).saturating_sub(1);
        let elements = *self.starts.get(number)?..*self.starts.get(number + 1)?;
        if !self.is_wanted(&elements) {
            return None;
        }
        // A page over a limit is refused when it is needed.
        let length = self.page_memory(number, width);
        let (cluster, active) = (self.cluster.clone()?, self.active()?.clone());
        let fits = self.source.means.limits().check_page(length).is_ok() && self.held.ahead.grow(length);
        fits.then_some((number, cluster, active))
    }

    /// Whether the walk comes to any of the elements at these positions of those on storage.
    fn is_wanted(&self, elements: &Range<u64>) -> bool {
        // As positions in the cluster, which begins with the zeros.
        let position = |element: u64| element.saturating_add(self.zeros);
        let total = self.starts.last().copied().unwrap_or_default();
        let elements = position(elements.start)..position(elements.end);
        self.cluster.as_ref().is_some_and(|cluster| cluster.comes_to(&elements, position(total)))
    }

    /// All end offsets of page `number`.
    fn ends(&self, number: usize) -> Result<Values<Index>> {
        let (Some(cluster), Some(active)) = (&self.cluster, self.active()) else {
            return Err(self.ended(self.starts.get(number).copied().unwrap_or_default()));
        };
        let all = Conversion::default();
        let Decoded { values, result, .. } =
            Decoded::new(&self.source.means, cluster, active, number, all, Vec::new(), false);
        result.map(|_| values)
    }

    /// Page `number` of a column of end offsets, as a page of counts.
    fn counts(&mut self, number: usize) -> Result<Vec<u8>> {
        let ends = self.ends(number)?;
        let start = self.starts.get(number).copied().unwrap_or_default();
        let mut before = match (start.checked_sub(1), self.counted) {
            (None, _) => 0,
            (Some(_), (position, end)) if position == start => end,
            (Some(last), _) => {
                // After a jump: the offset before is at the end of another page.
                let other = self.starts.partition_point(|start| *start <= last).saturating_sub(1);
                self.ends(other)?.last().ok_or_else(|| self.ended(last))?.0
            }
        };
        let mut bytes = Vec::new();
        let length = ends.len().saturating_mul(size_of::<u64>());
        bytes.try_reserve_exact(length).map_err(|_| limits::no_memory(length as u64))?;
        for Index(end) in ends.iter() {
            let count = end.checked_sub(before).ok_or_else(|| {
                Error::out_of_spec(format!("a collection that ends at item {end} begins at item {before}"))
            })?;
            bytes.extend_from_slice(&count.to_le_bytes());
            before = *end;
        }
        self.counted = (start + ends.len() as u64, before);
        Ok(bytes)
    }

    #[cold]
    fn misfit(position: u64, misfit: Misfit, name: &str) -> Error {
        let value = misfit.value.map_or_else(|| "it".to_owned(), |value| format!("the value {value}"));
        let message = format!("element {position}: {value} does not fit into `{name}`");
        Error::new(ErrorKind::SchemaMismatch, message)
    }

    /// The error of a seek beyond the end.
    #[cold]
    fn beyond(&self, position: u64, count: u64) -> Error {
        let message = format!("element {position} is needed, but the cluster has {count}");
        self.place(Error::out_of_spec(message))
    }

    #[cold]
    fn ended(&self, position: u64) -> Error {
        self.place(Error::out_of_spec(format!("the cluster has no element {position}")))
    }

    #[cold]
    fn place(&self, error: Error) -> Error {
        let error = error.in_field(self.source.place.to_string());
        let error = match self.active() {
            Some(active) => error.in_column(active.id.0.into()),
            None => error,
        };
        match &self.cluster {
            Some(cluster) => error.in_cluster(cluster.id().0.into()),
            None => error,
        }
    }
}

impl<E> ColumnReader<E> {
    pub(crate) const DETACHED: Self = Self { window: Window::EMPTY, cold: ManuallyDrop::new(None) };

    /// What it knows of the file.
    fn source(&self) -> Option<&ColumnSource> {
        self.cold.as_ref().map(|cold| &cold.pages().source)
    }
}

impl<E> Drop for ColumnReader<E> {
    /// One call, for the same reason as in [`ColumnWriter`](super::ColumnWriter): a struct of many columns would repeat the
    /// code for each of them. The members are `ManuallyDrop`, so that the compiler adds no drop code of its own.
    #[inline(never)]
    fn drop(&mut self) {
        let values = std::mem::take(&mut *self.window.values);
        // A column without a file has no values.
        if let Some(cold) = self.cold.take() {
            cold.end(values);
        }
    }
}

impl<E> fmt::Debug for ColumnReader<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnReader")
            .field("place", &self.source().map(|source| &source.place))
            .field("representations", &self.source().map(|source| &source.representations))
            .field("first", &self.window.first)
            .field("at", &self.window.at)
            .field("count", &self.window.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::bytes::Block;
    #[cfg(feature = "rayon")]
    use crate::cluster::Access;
    use crate::cluster::{Fetch, Merging};
    use crate::compression::Compression;
    use crate::encoding::ColumnType;
    use crate::limits::Limits;
    use crate::page::Sealer;
    use crate::schema::{
        ClusterDescriptor, ClusterId, ColumnRange, FieldDescriptor, FieldId, Locator, Role, Schema,
    };

    struct Bytes(Vec<u8>);

    impl Fetch for Bytes {
        fn fetch(&self, range: Range<u64>) -> Result<Block> {
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            self.0
                .get(range)
                .map(|bytes| Block::from(bytes.to_vec()))
                .ok_or_else(|| Error::out_of_spec("short"))
        }
    }

    /// A column type and the values of each page.
    type Column = (ColumnType, Vec<Vec<u32>>);

    /// A cluster of these columns; `None` is suppressed.
    fn cluster(entries: u64, columns: &[Option<Column>]) -> Cluster {
        let sealer = Sealer::new(true, None);
        let mut file = Vec::new();
        let mut range = |column: &Option<Column>| {
            let Some((column_type, pages)) = column else { return ColumnRange::suppressed() };
            let mut locations = Vec::new();
            for values in pages {
                let page = sealer.seal_copy(&ColumnEncoding::of(*column_type), Compression::NONE, values);
                let page = page.unwrap().wait().unwrap();
                let locator = Locator::File { offset: file.len() as u64, size: page.size() as u64 };
                locations.push(PageLocation::new(page.count(), true, locator));
                file.extend_from_slice(&page.to_stored());
            }
            ColumnRange::new(0, 0, locations)
        };
        let columns: Vec<ColumnRange> = columns.iter().map(&mut range).collect();
        let selected: BTreeSet<ColumnId> =
            (0..columns.len()).map(|id| ColumnId(u32::try_from(id).unwrap())).collect();
        let descriptor = ClusterDescriptor::new(0, entries, columns);
        let merging = Merging { gap: 0, size: 1 << 20, chunk: 1 << 30 };
        Cluster::new(ClusterId(0), Arc::new(descriptor), &selected, merging, Arc::new(Bytes(file)))
    }

    fn reader(types: &[ColumnType], per_entry: Option<u64>, is_deferred: bool) -> ColumnReader<u32> {
        ColumnReader::new(source(types, per_entry, is_deferred))
    }

    fn source(types: &[ColumnType], per_entry: Option<u64>, is_deferred: bool) -> ColumnSource {
        let representation = |(id, column_type): (usize, &ColumnType)| Representation {
            id: ColumnId(u32::try_from(id).unwrap()),
            packing: ColumnEncoding::of(*column_type),
            is_deferred,
        };
        let field = FieldDescriptor::new(None, Role::Plain, "value", "std::uint32_t");
        let schema = Schema::build(vec![field], vec![], vec![], vec![], &|_| Ok(true)).unwrap();
        ColumnSource {
            place: FieldPlace::new(Arc::new(schema), Some(FieldId(0))),
            representations: types.iter().enumerate().map(representation).collect(),
            per_entry,
            lossy: false,
            as_counts: false,
            means: Arc::new(Means::new(true, &Limits::new())),
            allowance: Allowance::new(&Limits::new()),
        }
    }

    fn drain(reader: &mut ColumnReader<u32>) -> Vec<u32> {
        let mut values = Vec::new();
        while reader.remaining() > 0 {
            values.push(reader.next().unwrap());
        }
        assert!(reader.next().is_err());
        values
    }

    const PLAIN: ColumnType = ColumnType::UInt32;
    const SPLIT: ColumnType = ColumnType::SplitUInt32;

    #[test]
    fn every_position_is_reached_from_every_other() {
        let cluster = cluster(7, &[Some((PLAIN, vec![vec![0, 1, 2], vec![], vec![3], vec![4, 5, 6]]))]);
        let mut reader = reader(&[PLAIN], Some(1), false);
        for from in 0..=7 {
            for to in 0..=7 {
                reader.attach(&cluster).unwrap();
                reader.seek(from).unwrap();
                if from % 2 == 0 && from < 7 {
                    assert_eq!(u64::from(reader.next().unwrap()), from);
                }
                reader.seek(to).unwrap();
                assert_eq!(reader.remaining(), 7 - to);
                let wanted: Vec<u32> = (u32::try_from(to).unwrap()..7).collect();
                assert_eq!(drain(&mut reader), wanted);
            }
        }
        assert!(reader.seek(8).is_err());
        reader.seek(1).unwrap();
        let mut many = vec![9];
        reader.append_to(5, &mut many).unwrap();
        assert_eq!(many, [9, 1, 2, 3, 4, 5]);
        assert!(reader.append_to(2, &mut many).is_err());
        let mut two = [0; 2];
        reader.seek(2).unwrap();
        reader.copy_to(&mut two).unwrap();
        assert_eq!(two, [2, 3]);
    }

    #[test]
    fn slices_are_parts_of_pages_or_put_together() {
        let pages = cluster(7, &[Some((PLAIN, vec![vec![0, 1, 2], vec![], vec![3], vec![4, 5, 6]]))]);
        let mut values = reader(&[PLAIN], Some(1), false);
        for from in 0..=7usize {
            for count in 0..=7 - from {
                values.attach(&pages).unwrap();
                values.seek(from as u64).unwrap();
                let wanted: Vec<u32> = (0..7).skip(from).take(count).collect();
                assert_eq!(values.slice(count).unwrap(), wanted);
                assert_eq!(values.remaining(), (7 - from - count) as u64);
                let page = values.window.values.as_ptr_range();
                values.seek(from as u64).unwrap();
                let is_part = page.contains(&values.slice(count).unwrap().as_ptr());
                let within =
                    [0..3, 3..4, 4..7].iter().any(|page| page.contains(&from) && from + count <= page.end);
                assert!(count == 0 || is_part == within, "{count} from {from}");
                assert!(values.slice(8 - from - count).is_err());
            }
        }
        // Zeros, and the claim of a page list.
        let mut late = reader(&[PLAIN], Some(1), true);
        late.attach(&cluster(2000, &[Some((PLAIN, vec![vec![7, 8]]))])).unwrap();
        late.seek(900).unwrap();
        assert_eq!(late.slice(1100).unwrap()[1097..], [0, 7, 8]);
        assert!(late.slice(usize::MAX).is_err());
        // An error has its place.
        late.seek(1998).unwrap();
        let error = late.slice_if(2, |_| Err::<(), _>(Error::out_of_spec("no"))).unwrap_err();
        assert_eq!(error.location().field.as_deref(), Some("value"));
    }

    #[test]
    fn whole_pages_are_decoded_where_they_are_wanted() {
        let plain = vec![vec![0, 1, 2], vec![3], vec![4, 5, 6]];
        let with_empty = vec![vec![0, 1, 2], vec![], vec![3], vec![4, 5, 6]];
        for pages in [plain, with_empty] {
            let pages = cluster(7, &[Some((SPLIT, pages))]);
            let mut values = reader(&[SPLIT], Some(1), false);
            for (from, count) in (0..=7).flat_map(|from| (0..=7 - from).map(move |count| (from, count))) {
                values.attach(&pages).unwrap();
                values.seek(from as u64).unwrap();
                let mut many = vec![9];
                values.append_to(count, &mut many).unwrap();
                let wanted: Vec<u32> = [9].into_iter().chain((0..7).skip(from).take(count)).collect();
                assert_eq!(many, wanted);
                // The column itself has no values of a page that went elsewhere.
                let mut pages = [0..3, 3..4, 4..7].into_iter();
                let was_whole = pages.any(|page| from <= page.start && from + count == page.end);
                assert_eq!(values.window.values.is_empty(), count == 0 || was_whole, "{count} from {from}");
                assert_eq!(drain(&mut values).len(), 7 - from - count);
            }
        }
        // A value that does not fit, and those before it.
        let mut narrow = ColumnReader::<u8>::new(source(&[PLAIN], Some(1), false));
        narrow.attach(&cluster(5, &[Some((PLAIN, vec![vec![1, 2], vec![3, 400, 5]]))])).unwrap();
        let mut many = Vec::new();
        let error = narrow.append_to(5, &mut many).unwrap_err();
        assert!(error.to_string().contains("element 3: the value 400 does not fit"), "{error}");
        assert_eq!(many, [1, 2, 3]);
    }

    #[test]
    fn a_deferred_column_begins_with_zeros() {
        let mut reader = reader(&[PLAIN], Some(2), true);
        reader.attach(&cluster(3, &[Some((PLAIN, vec![vec![7, 8]]))])).unwrap();
        assert_eq!(drain(&mut reader), [0, 0, 0, 0, 7, 8]);
        reader.seek(3).unwrap();
        assert_eq!(drain(&mut reader), [0, 7, 8]);
        // A cluster from before the column was there.
        reader.attach(&cluster(2000, &[])).unwrap();
        assert_eq!(reader.zeros(), 4000);
        assert_eq!(drain(&mut reader), [0; 4000]);
        reader.seek(3999).unwrap();
        assert_eq!(drain(&mut reader), [0]);
    }

    #[test]
    fn an_entry_turns_pages_within_its_limit_whatever_is_made_of_them() {
        let limits = Limits::new().entry_length(60);
        let (means, allowance) = (Arc::new(Means::new(true, &limits)), Allowance::new(&limits));
        let source = ColumnSource { means, allowance: allowance.clone(), ..source(&[PLAIN], None, false) };
        let mut reader = ColumnReader::<u32>::new(source);
        // Pages of 40 bytes: two that are shared with other entries, and one more.
        let pages: Vec<Vec<u32>> = (0..10).map(|page| (page * 10..(page + 1) * 10).collect()).collect();
        reader.attach(&cluster(100, &[Some((PLAIN, pages))])).unwrap();
        for value in 0..100 {
            if value % 25 == 0 {
                allowance.renew();
            }
            assert_eq!(reader.next().unwrap(), value);
        }
        reader.seek(0).unwrap();
        allowance.renew();
        let error = (0..100).find_map(|_| reader.next().err()).unwrap();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(
            error.to_string().starts_with("page 3 of column 0 (value), cluster 0: one entry has pages of"),
            "{error}"
        );
        // What is lent from several pages is copied, and counts too.
        reader.seek(5).unwrap();
        allowance.renew();
        assert_eq!(reader.slice(10).unwrap().len(), 10);
        assert!(reader.slice(10).unwrap_err().to_string().contains("`Limits::entry_length`"));
    }

    #[test]
    fn a_column_below_a_late_collection_has_nothing_in_old_clusters() {
        let mut reader = reader(&[PLAIN], None, false);
        reader.attach(&cluster(5, &[])).unwrap();
        assert_eq!(reader.remaining(), 0);
        assert!(reader.next().is_err());
    }

    #[test]
    fn the_representation_may_change_from_cluster_to_cluster() {
        let mut reader = reader(&[PLAIN, SPLIT], Some(1), false);
        reader.attach(&cluster(2, &[Some((PLAIN, vec![vec![1, 2]])), None])).unwrap();
        assert_eq!(drain(&mut reader), [1, 2]);
        reader.attach(&cluster(3, &[None, Some((SPLIT, vec![vec![3, 4], vec![5]]))])).unwrap();
        assert_eq!(drain(&mut reader), [3, 4, 5]);
        let error = reader.attach(&cluster(1, &[None, None])).unwrap_err();
        assert!(error.to_string().contains("suppressed"), "{error}");
    }

    #[test]
    fn entries_and_elements_must_agree() {
        for (entries, is_deferred) in [(2, false), (4, false), (2, true), (u64::MAX, false)] {
            let mut reader = reader(&[PLAIN], Some(2), is_deferred);
            let error =
                reader.attach(&cluster(entries, &[Some((PLAIN, vec![vec![1, 2, 3, 4, 5, 6]]))])).unwrap_err();
            assert_eq!(error.location().field.as_deref(), Some("value"));
            assert!(error.to_string().contains("elements"), "{error}");
        }
    }

    #[cfg(feature = "rayon")]
    const WALK: Access = Access { from_start: true, room: None, ahead: None, sharing: None, wanted: None };

    #[cfg(feature = "rayon")]
    fn with_pool(reader: ColumnReader<u32>, threads: usize) -> ColumnReader<u32> {
        reader.source().unwrap().means.decode_ahead(Some(&crate::pool::Pool::new(threads).unwrap()));
        reader
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn decoding_ahead_changes_no_value_from_any_position() {
        let pages = vec![vec![], vec![0, 1, 2], vec![], vec![], vec![3], vec![4, 5, 6], vec![]];
        let cluster = cluster(7, &[Some((PLAIN, pages))]).accessed(WALK);
        let mut reader = with_pool(reader(&[PLAIN], Some(1), false), 2);
        for from in 0..=7 {
            for to in 0..=7 {
                reader.attach(&cluster).unwrap();
                reader.seek(from).unwrap();
                if from < 7 {
                    assert_eq!(u64::from(reader.next().unwrap()), from);
                }
                reader.seek(to).unwrap();
                let wanted: Vec<u32> = (u32::try_from(to).unwrap()..7).collect();
                assert_eq!(drain(&mut reader), wanted);
            }
        }
        // Zeros in front, another representation.
        let mut reader = with_pool(self::reader(&[PLAIN, SPLIT], Some(1), true), 1);
        reader
            .attach(&self::cluster(4, &[Some((PLAIN, vec![vec![1], vec![2]])), None]).accessed(WALK))
            .unwrap();
        assert_eq!(drain(&mut reader), [0, 0, 1, 2]);
        reader
            .attach(&self::cluster(3, &[None, Some((SPLIT, vec![vec![3, 4], vec![5]]))]).accessed(WALK))
            .unwrap();
        assert_eq!(drain(&mut reader), [3, 4, 5]);
    }

    #[test]
    fn a_column_of_no_file_has_nothing_and_says_so() {
        let mut reader = ColumnReader::<u32>::DETACHED;
        assert_eq!((reader.remaining(), reader.position()), (0, 0));
        assert!(reader.spare_list().is_empty());
        reader.keep_list(vec![1]);
        reader.take_items(1 << 40).unwrap();
        assert!(reader.slice(0).unwrap().is_empty());
        let mut values = Vec::new();
        let errors = [
            reader.next().unwrap_err(),
            reader.slice(1).unwrap_err(),
            reader.next_chunk(1).unwrap_err(),
            reader.append_to(1, &mut values).unwrap_err(),
            reader.copy_to(&mut [0]).unwrap_err(),
            reader.seek(1).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert_eq!(error.message(), "the column is attached to no file");
        }
        assert!(values.is_empty());
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn buffers_swap_and_are_not_made_anew() {
        let pages: Vec<Vec<u32>> = (0..50).map(|page| (page * 100..(page + 1) * 100).collect()).collect();
        let cluster = cluster(5000, &[Some((SPLIT, pages))]).accessed(WALK);
        let mut reader = with_pool(reader(&[SPLIT], Some(1), false), 1);
        reader.attach(&cluster).unwrap();
        let mut places = BTreeSet::new();
        for value in 0..5000 {
            assert_eq!(reader.next().unwrap(), value);
            places.insert(reader.window.values.as_ptr());
        }
        assert!(places.len() <= 2, "{}", places.len());
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_fault_ahead_is_told_when_it_is_reached_and_not_before() {
        let mut narrow = ColumnReader::<u8>::new(source(&[PLAIN], Some(1), false));
        narrow.source().unwrap().means.decode_ahead(Some(&crate::pool::Pool::new(1).unwrap()));
        let pages = vec![vec![1, 2], vec![3, 400, 5], vec![600, 7]];
        let cluster = cluster(7, &[Some((PLAIN, pages))]).accessed(WALK);
        narrow.attach(&cluster).unwrap();
        let mut found = Vec::new();
        for position in 0..7 {
            found.push(narrow.next().map_err(|error| error.to_string()));
            // Behind a value that is refused.
            narrow.seek(position + 1).unwrap();
        }
        let fits: Vec<Option<u8>> = found.iter().map(|one| one.as_ref().ok().copied()).collect();
        assert_eq!(fits, [Some(1), Some(2), Some(3), None, Some(5), None, Some(7)]);
        assert!(found[3].as_ref().unwrap_err().contains("element 3: the value 400 does not fit"));
        assert!(found[5].as_ref().unwrap_err().contains("element 5: the value 600"), "{found:?}");
    }

    /// A file in memory.
    struct Loaded(Arc<Vec<u8>>);

    impl Fetch for Loaded {
        fn fetch(&self, range: Range<u64>) -> Result<Block> {
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            Block::new(self.0.clone()).slice(range).ok_or_else(|| Error::out_of_spec("short"))
        }
    }

    #[test]
    fn values_of_a_loaded_file_are_its_own_bytes() {
        // Three pages, the second where no `u32` may begin; the third is damaged.
        let sealer = Sealer::new(true, None);
        let (mut file, mut locations) = (Vec::new(), Vec::new());
        for (values, padding) in [([1u32, 2, 3], 0), ([4, 5, 6], 1), ([7, 8, 9], 3)] {
            file.resize(file.len() + padding, 0);
            let page = sealer
                .seal_copy(&ColumnEncoding::of(PLAIN), Compression::NONE, &values)
                .unwrap()
                .wait()
                .unwrap();
            let locator = Locator::File { offset: file.len() as u64, size: page.size() as u64 };
            locations.push(PageLocation::new(3, true, locator));
            file.extend_from_slice(&page.to_stored());
        }
        *file.last_mut().unwrap() ^= 1;
        let file = Arc::new(file);
        let descriptor = ClusterDescriptor::new(0, 9, vec![ColumnRange::new(0, 0, locations)]);
        let merging = Merging { gap: 0, size: 1 << 20, chunk: 1 << 30 };
        let selected = [ColumnId(0)].into();
        let fetch = Arc::new(Loaded(file.clone()));
        let cluster = Cluster::new(ClusterId(0), Arc::new(descriptor), &selected, merging, fetch);
        let mut reader = reader(&[PLAIN], Some(1), false);
        reader.attach(&cluster).unwrap();
        drop(cluster);
        assert_eq!(reader.next().unwrap(), 1);
        if cfg!(target_endian = "little") && file.as_ptr().cast::<u32>().is_aligned() {
            assert_eq!(reader.window.values.as_ptr().cast::<u8>(), file.as_ptr());
        }
        for value in 2..=6 {
            assert_eq!(reader.next().unwrap(), value);
        }
        let error = reader.next().unwrap_err();
        assert!(error.to_string().contains("checksum differs"), "{error}");
        reader.seek(0).unwrap();
        let mut all = Vec::new();
        reader.append_to(6, &mut all).unwrap();
        assert_eq!(all, [1, 2, 3, 4, 5, 6]);
        // A page that is lent, and all else that leads to the file, go with the reader.
        reader.seek(0).unwrap();
        assert_eq!(reader.next().unwrap(), 1);
        assert!(Arc::strong_count(&file) > 1);
        drop(reader);
        assert_eq!(Arc::strong_count(&file), 1);
    }
}
