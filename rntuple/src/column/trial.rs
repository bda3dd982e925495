//! A column in which values are tried out before they go into the column that keeps them.

use super::writer::{Alternatives, Close, ColumnWriter, Open};
use crate::cluster::{Gathered, LaneId};
use crate::encoding::{ColumnEncoding, Element};
use crate::error::Error;
use crate::page::OpenPage;

/// The page has room for this many values at first.
const SHORTEST: usize = 16;
/// A page of this many values is looked at and emptied: it stays small and in the cache, whatever is appended.
const LONGEST: usize = 64;

/// Looks at values and forgets them.
///
/// A commit of full pages reports the first value that the column cannot pack; one at the end of a cluster reports
/// nothing, and begins the next cluster.
struct Trial {
    lane: LaneId,
    packing: ColumnEncoding,
    alternatives: Option<Box<Alternatives>>,
    refused: Option<Error>,
}

impl<E: Element> ColumnWriter<E> {
    /// A column for trials of what is meant for the column of this number.
    pub(crate) fn trial(lane: LaneId, packing: ColumnEncoding, alternatives: Option<Alternatives>) -> Self {
        let alternatives = alternatives.map(Box::new);
        Self::with(Trial { lane, packing, alternatives, refused: None })
    }
}

impl Trial {
    fn look<E: Element>(&mut self, open: &mut Open<E>) {
        let values = open.page.get(..std::mem::take(&mut open.filled)).unwrap_or_default();
        if self.refused.is_none() {
            // Which element it is says nothing here, as the values before are gone.
            let fault = E::misfit(&self.packing, values);
            self.refused = fault.map(|fault| Error::invalid_argument(fault.to_string()));
        }
    }
}

impl<E: Element> Close<E> for Trial {
    fn close(&mut self, open: &mut Open<E>) {
        match open.page.len() {
            length if length < LONGEST => open.grow((2 * length).max(SHORTEST)),
            _ => self.look(open),
        }
    }

    fn commit(&mut self, open: &mut Open<E>, cluster: &mut Gathered<'_>) {
        if cluster.is_for_items() {
            return;
        }
        self.look(open);
        let refused = self.refused.take();
        if !cluster.cluster_ends() {
            refused.into_iter().for_each(|error| cluster.fail(self.lane, error));
        } else if let Some(packing) = self.alternatives.as_deref().and_then(Alternatives::chosen) {
            self.packing = *packing;
        }
    }

    fn end(self: Box<Self>, page: OpenPage<E>) {
        drop(page);
    }

    fn lane(&self) -> LaneId {
        self.lane
    }

    fn cold(&self) -> Option<&super::writer::Cold> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Append = fn(&mut ColumnWriter<f32>, &[f32]) -> usize;

    fn refused(column: &mut ColumnWriter<f32>, cluster_ends: bool) -> Option<String> {
        let mut gathered = Gathered::new(cluster_ends);
        column.commit(&mut gathered);
        let fault = gathered.into_pages().into_sealed().err()?;
        assert_eq!(fault.lane, LaneId(3));
        Some(fault.error.to_string())
    }

    #[test]
    fn values_are_reported_once_wherever_they_are() {
        let packing = ColumnEncoding::quantized(8, 0.0, 1.0).unwrap();
        let mut column = ColumnWriter::<f32>::trial(LaneId(3), packing, None);
        let mut values = vec![0.5; 5 * LONGEST];
        let ways: [Append; 3] = [
            |column, values| column.extend_from_slice(values),
            |column, values| column.extend(values.iter().copied()),
            |column, values| values.iter().map(|value| column.push(*value)).sum(),
        ];
        for position in [0, 15, 16, LONGEST - 1, LONGEST, 5 * LONGEST - 1] {
            values[position] = 7.0;
            for append in ways {
                assert_eq!(append(&mut column, &values), 20 * LONGEST);
                let said = "the value 7 is outside the range of the column, 0 to 1";
                assert_eq!(refused(&mut column, false).as_deref(), Some(said));
                column.push(0.5);
                assert_eq!(refused(&mut column, false), None);
            }
            values[position] = 0.5;
        }
        column.push(2.0);
        assert_eq!(refused(&mut column, true), None, "nothing is left of it at the end of a cluster");
        assert_eq!(refused(&mut column, false), None);
    }
}
