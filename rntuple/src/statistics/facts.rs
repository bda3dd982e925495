//! What is known of one column in one cluster, between what its pages say and what is stored of it.

use std::ops::Range;

use super::bounds::{Bounds, ElementStatistics, TextRange, extremes};
use super::row::Row;
use crate::encoding::{ColumnType, Observed, TextBlocks, text};
use crate::schema::ColumnDescriptor;

/// What the pages of a column in a cluster say, in their order.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pages: Vec<(u32, Option<Observed>)>,
    text: Option<TextBlocks>,
}

impl Observations {
    /// Takes in the next page, and the strings of the cluster if it is the last page of their offsets.
    pub(crate) fn push(&mut self, elements: u32, observed: Option<Observed>, text: Option<&TextBlocks>) {
        self.pages.push((elements, observed));
        self.text = text.cloned();
    }

    /// Returns what is to be stored of a column of this type; `None` if its pages do not say it, or are not these.
    pub(crate) fn into_row(self, column_type: ColumnType, page_count: usize) -> Option<Row> {
        let kind = extremes(column_type)?;
        if self.pages.len() != page_count {
            return None;
        }
        let mut row = Row::default();
        let mut end = 0;
        for (elements, observed) in &self.pages {
            let mut page = Page::of((*observed)?, &mut end)?;
            page.elements = *elements;
            page.append_to(&mut row, kind)?;
        }
        row.trim();
        let elements: u64 = row.elements.iter().copied().map(u64::from).sum();
        if let Some(text) = self.text.filter(|text| text.count() == elements) {
            row.text = text.into_bounds();
        }
        Some(row)
    }
}

impl Row {
    /// Removes lists that say nothing.
    fn trim(&mut self) {
        if self.nulls.iter().all(|nulls| *nulls == 0) {
            self.nulls.clear();
        }
        if self.nans.iter().all(|nans| *nans == 0) {
            self.nans.clear();
        }
    }
}

/// What a page says, in the widest types.
struct Page {
    elements: u32,
    nulls: u32,
    nans: u32,
    bounds: Bounds,
}

impl Page {
    /// `end` is where the collections of the page before end, and then where those of this page do.
    fn of(observed: Observed, end: &mut u64) -> Option<Self> {
        let (nulls, nans, bounds) = match observed {
            Observed::Signed { min, max } => (0, 0, Bounds::Signed { min, max }),
            Observed::Unsigned { min, max } => (0, 0, Bounds::Unsigned { min, max }),
            Observed::Tags { min, max, none } => {
                (none, 0, Bounds::Unsigned { min: min.into(), max: max.into() })
            }
            // Without a number, the extremes are the wrong way round.
            Observed::Real { min, max, nan } if min > max => {
                (0, nan, Bounds::Real { min: f64::NEG_INFINITY, max: f64::INFINITY })
            }
            Observed::Real { min, max, nan } => (0, nan, Bounds::real(min, max)),
            Observed::Ends { first, last, min, max, empty } => {
                // A falling offset is damage: what follows from it is not known.
                let size = first.checked_sub(std::mem::replace(end, last))?;
                let empty = empty.saturating_add((size == 0).into());
                (empty, 0, Bounds::Unsigned { min: size.min(min), max: size.max(max) })
            }
        };
        Some(Self { elements: 0, nulls, nans, bounds })
    }

    /// `None` if the bounds are not of the kind of the column.
    fn append_to(self, row: &mut Row, kind: Bounds) -> Option<()> {
        match (kind, self.bounds) {
            (Bounds::Signed { .. }, Bounds::Signed { min, max }) => row.signed.extend([min, max]),
            (Bounds::Unsigned { .. }, Bounds::Unsigned { min, max }) => row.unsigned.extend([min, max]),
            (Bounds::Real { .. }, Bounds::Real { min, max }) => row.real.extend([min, max]),
            // A type of Rust may be stored as one of the other signedness.
            (Bounds::Signed { .. }, Bounds::Unsigned { min, max }) => {
                row.signed.extend([i64::try_from(min).ok()?, i64::try_from(max).ok()?]);
            }
            (Bounds::Unsigned { .. }, Bounds::Signed { min, max }) => {
                row.unsigned.extend([u64::try_from(min).ok()?, u64::try_from(max).ok()?]);
            }
            _ => return None,
        }
        row.elements.push(self.elements);
        row.nulls.push(self.nulls);
        row.nans.push(self.nans);
        Some(())
    }
}

/// Whether all elements of a column in a cluster are in its pages, which begin with this element of the file. Those before
/// the first one of a column that came later read as zeros, and may be of the same cluster.
pub(crate) fn is_whole(column: &ColumnDescriptor, first_element: u64) -> bool {
    column.first_element.is_none_or(|first| first == 0 || first_element > first.unsigned_abs())
}

/// What is known of a column in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClusterFacts {
    pub(super) whole: ElementStatistics,
    pub(super) pages: Box<[ElementStatistics]>,
    /// Bounds of its strings, block by block, as they are stored.
    texts: Vec<String>,
}

impl ClusterFacts {
    /// Reads a row about a column of this type; `None` if it contradicts itself or the type, as that of a damaged file
    /// may.
    pub(super) fn of(row: Row, column_type: ColumnType) -> Option<Self> {
        let Row { elements, nulls, nans, signed, unsigned, real, text: texts, .. } = row;
        let mut whole = ElementStatistics::none_of(column_type)?;
        let bounds: Vec<Bounds> = match whole.bounds {
            Bounds::Signed { .. } => {
                pairs(&signed)?.iter().map(|&[min, max]| Bounds::Signed { min, max }).collect()
            }
            Bounds::Unsigned { .. } => {
                pairs(&unsigned)?.iter().map(|&[min, max]| Bounds::Unsigned { min, max }).collect()
            }
            Bounds::Real { .. } => pairs(&real)?.iter().map(|&[min, max]| Bounds::real(min, max)).collect(),
        };
        let is_for_each = |list: &[u32]| list.is_empty() || list.len() == elements.len();
        if bounds.len() != elements.len() || !is_for_each(&nulls) || !is_for_each(&nans) {
            return None;
        }
        let of_page = |list: &[u32], page: usize| list.get(page).copied().unwrap_or_default();
        let texts = Texts::of(texts, &elements);
        let mut end = 0;
        let mut pages = Vec::with_capacity(elements.len());
        for (number, (elements, bounds)) in elements.into_iter().zip(bounds).enumerate() {
            let (nulls, nans) = (of_page(&nulls, number), of_page(&nans, number));
            if nulls > elements || nans > elements {
                return None;
            }
            let (nulls, nan_count) = (nulls.into(), nans.into());
            let start = end;
            end += u64::from(elements);
            let text = texts.as_ref().and_then(|texts| texts.range(start..end));
            let page = ElementStatistics { elements: elements.into(), nulls, nan_count, bounds, text };
            whole.fold(&page);
            pages.push(page);
        }
        Some(Self { whole, pages: pages.into(), texts: texts.map(|texts| texts.0).unwrap_or_default() })
    }

    /// Returns what is to be stored of them, for a column of this type.
    pub(super) fn to_row(&self, column_type: ColumnType) -> Option<Row> {
        let kind = extremes(column_type)?;
        let mut row = Row::default();
        for page in &self.pages {
            let count = |count: u64| u32::try_from(count).ok();
            let (elements, nulls, nans) = (count(page.elements)?, count(page.nulls)?, count(page.nan_count)?);
            Page { elements, nulls, nans, bounds: page.bounds }.append_to(&mut row, kind)?;
        }
        row.trim();
        row.text.clone_from(&self.texts);
        Some(row)
    }
}

/// Bounds of the strings of a cluster: two of each block.
struct Texts(Vec<String>);

impl Texts {
    /// `None` if there are none, or not those of the elements of these pages.
    fn of(texts: Vec<String>, elements: &[u32]) -> Option<Self> {
        let count: u64 = elements.iter().copied().map(u64::from).sum();
        let (blocks, rest) = texts.as_chunks::<2>();
        let is_short = texts.iter().all(|text| text.len() <= text::LONGEST);
        let are_these = rest.is_empty() && blocks.len() as u64 == count.div_ceil(text::BLOCK);
        (are_these && is_short && !texts.is_empty()).then_some(Self(texts))
    }

    /// Bounds of some of the strings, which may be those of more.
    fn range(&self, strings: Range<u64>) -> Option<TextRange> {
        let (blocks, _) = self.0.as_chunks::<2>();
        let (first, end) = (strings.start / text::BLOCK, strings.end.div_ceil(text::BLOCK));
        let blocks = blocks.get(usize::try_from(first).ok()?..usize::try_from(end).ok()?)?;
        let bounds = |[min, max]: &[String; 2]| TextRange {
            min: Some(min.clone()),
            max: Some(max.clone()).filter(|max| !text::is_unbounded(max)),
        };
        blocks.iter().map(bounds).reduce(|all, more| all.and(&more))
    }
}

/// The least and the greatest of each page; `None` if one of them is greater than the other, or not a number.
fn pairs<T: PartialOrd>(list: &[T]) -> Option<&[[T; 2]]> {
    let (pairs, rest) = list.as_chunks::<2>();
    (rest.is_empty() && pairs.iter().all(|[min, max]| min <= max)).then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observations(pages: &[(u32, Option<Observed>)]) -> Observations {
        Observations { pages: pages.to_vec(), text: None }
    }

    fn facts(column_type: ColumnType, pages: &[(u32, Option<Observed>)]) -> Option<ClusterFacts> {
        let row = observations(pages).into_row(column_type, pages.len())?;
        Some(ClusterFacts::of(row, column_type).unwrap())
    }

    #[test]
    fn the_first_size_of_a_page_is_counted_from_the_page_before() {
        let ends = |first, last, min, max, empty| Some(Observed::Ends { first, last, min, max, empty });
        let facts = facts(ColumnType::Index64, &[(2, ends(3, 4, 1, 1, 0)), (1, ends(4, 4, u64::MAX, 0, 0))]);
        let facts = facts.unwrap();
        assert_eq!(facts.pages[0].bounds, Bounds::Unsigned { min: 1, max: 3 });
        assert_eq!((facts.pages[1].bounds, facts.pages[1].nulls), (Bounds::Unsigned { min: 0, max: 0 }, 1));
        assert_eq!(facts.whole.bounds, Bounds::Unsigned { min: 0, max: 3 });
    }

    #[test]
    fn what_a_page_does_not_say_is_not_known() {
        let one = Some(Observed::Signed { min: -1, max: 1 });
        assert!(facts(ColumnType::Int32, &[(1, one), (1, None)]).is_none());
        assert!(facts(ColumnType::UInt32, &[(1, one)]).is_none(), "a negative number");
        assert!(facts(ColumnType::Real32, &[(1, one)]).is_none());
        assert!(observations(&[(1, one)]).into_row(ColumnType::Int32, 2).is_none(), "a page more");
        let falling = Observed::Ends { first: 3, last: 3, min: u64::MAX, max: 0, empty: 0 };
        assert!(
            facts(
                ColumnType::Index64,
                &[
                    (1, Some(falling)),
                    (1, Some(Observed::Ends { first: 2, last: 2, min: u64::MAX, max: 0, empty: 0 }))
                ]
            )
            .is_none()
        );
    }

    #[test]
    fn rows_that_contradict_themselves_say_nothing() {
        let row = Row { elements: vec![3, 4], real: vec![1.0, 2.0, -1.0, 0.0], ..Row::default() };
        let of = |row: &Row| ClusterFacts::of(row.clone(), ColumnType::Real32);
        assert_eq!(of(&row).unwrap().whole.bounds, Bounds::real(-1.0, 2.0));
        assert!(ClusterFacts::of(row.clone(), ColumnType::Int32).is_none());
        assert!(ClusterFacts::of(row.clone(), ColumnType::Char).is_none());
        assert!(of(&Row { real: vec![1.0, 2.0, 3.0], ..row.clone() }).is_none());
        assert!(of(&Row { real: vec![1.0, 2.0], ..row.clone() }).is_none());
        assert!(of(&Row { real: vec![2.0, 1.0, 0.0, 0.0], ..row.clone() }).is_none());
        assert!(of(&Row { real: vec![f64::NAN, 1.0, 0.0, 0.0], ..row.clone() }).is_none());
        assert!(of(&Row { nans: vec![1], ..row.clone() }).is_none());
        assert!(of(&Row { nans: vec![1, 5], ..row.clone() }).is_none());
        assert!(of(&Row { nulls: vec![4, 0], ..row.clone() }).is_none());
    }
}
