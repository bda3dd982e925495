//! What is known of the values of one field, in all fragments.

use rntuple::RNTuple;
use rntuple::statistics::{Bounds, ElementStatistics, TextRange};

/// What is known of the values of a field in many fragments, as it is stored.
///
/// Lists have an element for each fragment, but for those of bounds: one of them has two, the least and the greatest, and
/// the others are empty. A field has an entry for each kind of bounds that it has in any fragment.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Id of the field.
    pub(crate) field: i32,
    /// Ids of the fragments, in their order.
    fragments: Vec<u32>,
    /// What the data files with the field are recognised by.
    files: Vec<u64>,
    elements: Vec<u64>,
    nulls: Vec<u64>,
    nans: Vec<u64>,
    signed: Vec<i64>,
    unsigned: Vec<u64>,
    real: Vec<f64>,
    /// Bounds of strings: none, the lower one, or both. Empty where the field has no strings.
    text: Vec<Vec<String>>,
}

impl Record {
    /// How many fragments it is about.
    pub(crate) fn len(&self) -> usize {
        self.fragments.len()
    }

    /// Whether each list has its length. Those of a damaged file may not.
    fn is_sound(&self) -> bool {
        let count = self.len();
        let [signed, unsigned, real] = [self.signed.len(), self.unsigned.len(), self.real.len()];
        [self.files.len(), self.elements.len(), self.nulls.len(), self.nans.len()]
            .iter()
            .all(|it| *it == count)
            && signed + unsigned + real == 2 * count
            && [signed, unsigned, real].contains(&(2 * count))
            && (self.text.is_empty() || self.text.len() == count)
            && self.fragments.is_sorted_by(|one, next| one < next)
    }

    /// Whether it is about bounds of this kind.
    fn has_kind(&self, bounds: &Bounds) -> bool {
        match bounds {
            Bounds::Signed { .. } => !self.signed.is_empty(),
            Bounds::Unsigned { .. } => !self.unsigned.is_empty(),
            Bounds::Real { .. } => !self.real.is_empty(),
            _ => false,
        }
    }

    fn push(&mut self, fragment: u32, file: u64, known: &ElementStatistics) {
        match known.bounds {
            Bounds::Signed { min, max } => self.signed.extend([min, max]),
            Bounds::Unsigned { min, max } => self.unsigned.extend([min, max]),
            Bounds::Real { min, max } => self.real.extend([min, max]),
            _ => return,
        }
        self.fragments.push(fragment);
        self.files.push(file);
        self.elements.push(known.elements);
        self.nulls.push(known.nulls);
        self.nans.push(known.nan_count);
        if let Some(text) = &known.text {
            // Those before have none.
            self.text.resize(self.len().saturating_sub(1), Vec::new());
            self.text
                .push(text.min.iter().chain(text.min.as_ref().and(text.max.as_ref())).cloned().collect());
        } else if !self.text.is_empty() {
            self.text.push(Vec::new());
        }
    }

    /// What is known of a fragment, if it has the file; `None` also if that contradicts itself, as of a damaged file it may.
    fn get(&self, fragment: u32, file: u64) -> Option<ElementStatistics> {
        let place = self.fragments.binary_search(&fragment).ok()?;
        if *self.files.get(place)? != file {
            return None;
        }
        let bounds = if let Some(&[min, max]) = self.signed.as_chunks().0.get(place) {
            Bounds::Signed { min, max }
        } else if let Some(&[min, max]) = self.unsigned.as_chunks().0.get(place) {
            Bounds::Unsigned { min, max }
        } else {
            let &[min, max] = self.real.as_chunks().0.get(place)?;
            Bounds::Real { min, max }
        };
        let is_ordered = match bounds {
            Bounds::Signed { min, max } => min <= max,
            Bounds::Unsigned { min, max } => min <= max,
            Bounds::Real { min, max } => min <= max,
            _ => false,
        };
        let mut known = ElementStatistics::new(*self.elements.get(place)?, bounds);
        known.nulls = *self.nulls.get(place)?;
        known.nan_count = *self.nans.get(place)?;
        if !is_ordered || known.nulls > known.elements || known.nan_count > known.elements {
            return None;
        }
        if let Some([min, rest @ ..]) = self.text.get(place).map(Vec::as_slice) {
            let mut text = TextRange::default();
            (text.min, text.max) = (Some(min.clone()), rest.first().cloned());
            known.text = Some(text);
        }
        Some(known)
    }
}

/// What is known of the values of one field, in all fragments of which it is known.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// One for each kind of bounds.
    records: Vec<Record>,
}

impl Column {
    /// Takes in an entry of the file. One that is damaged, or about no fragment, says nothing.
    pub(crate) fn add(&mut self, record: Record) {
        if record.len() > 0 && record.is_sound() {
            self.records.push(record);
        }
    }

    /// Takes in what is known of a fragment, which comes after those before.
    pub(crate) fn push(&mut self, field: i32, fragment: u32, file: u64, known: &ElementStatistics) {
        match self.records.iter_mut().find(|record| record.has_kind(&known.bounds)) {
            Some(record) => record.push(fragment, file, known),
            None => {
                let mut record = Record { field, ..Record::default() };
                record.push(fragment, file, known);
                self.records.push(record);
            }
        }
    }

    /// Returns what is known of all values in a fragment, if it has them in the file that is recognised by `file`.
    pub(crate) fn get(&self, fragment: u32, file: u64) -> Option<ElementStatistics> {
        self.records.iter().find_map(|record| record.get(fragment, file))
    }

    /// What is stored of it.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.len() > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known() -> impl Strategy<Value = ElementStatistics> {
        let bounds = prop_oneof![
            (any::<i64>(), any::<i64>()).prop_map(|(a, b)| Bounds::Signed { min: a.min(b), max: a.max(b) }),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| Bounds::Unsigned { min: a.min(b), max: a.max(b) }),
            (-1e9..1e9, 0.0..1e9).prop_map(|(min, more)| Bounds::Real { min, max: min + more }),
        ];
        let text = prop::option::of(("[a-z]{0,3}", prop::option::of("[a-z]{0,3}")));
        (bounds, 0..9u64, 0..9u64, text).prop_map(|(bounds, nulls, nans, text)| {
            let mut known = ElementStatistics::new(9, bounds);
            (known.nulls, known.nan_count) = (nulls, nans);
            known.text = text.map(|(min, max)| {
                let mut text = TextRange::default();
                (text.min, text.max) = (Some(min), max);
                text
            });
            known
        })
    }

    proptest! {
        #[test]
        fn what_is_pushed_is_found_again(
            all in prop::collection::btree_map(0..40u32, (0..3u64, known()), 0..20),
            fragment in 0..40u32,
            file in 0..3u64,
        ) {
            let mut pushed = Column::default();
            for (fragment, (file, known)) in &all {
                pushed.push(7, *fragment, *file, known);
            }
            let mut read = Column::default();
            pushed.records().for_each(|record| read.add(record.clone()));
            prop_assert_eq!(read.records().map(Record::len).sum::<usize>(), all.len());
            let expected = all.get(&fragment).filter(|(found, _)| *found == file).map(|(_, known)| known.clone());
            prop_assert_eq!(read.get(fragment, file), expected);
        }
    }

    #[test]
    fn what_contradicts_itself_says_nothing() {
        let mut column = Column::default();
        for fragment in 1..4 {
            column.push(0, fragment, 5, &ElementStatistics::new(2, Bounds::Real { min: 1.0, max: 2.0 }));
        }
        let record = column.records().next().unwrap().clone();
        let found = |change: &dyn Fn(&mut Record)| {
            let (mut damaged, mut column) = (record.clone(), Column::default());
            change(&mut damaged);
            column.add(damaged);
            column.get(2, 5).is_some()
        };
        assert!(found(&|_| {}));
        assert!(!found(&|record| record.fragments.swap(0, 1)));
        assert!(!found(&|record| record.fragments[2] = 2));
        assert!(!found(&|record| record.files.truncate(2)));
        assert!(!found(&|record| record.real.truncate(5)));
        assert!(!found(&|record| record.signed.extend([0, 1])));
        assert!(!found(&|record| record.text.push(Vec::new())));
        assert!(!found(&|record| record.real[2] = f64::NAN));
        assert!(!found(&|record| record.real[3] = 0.5));
        assert!(!found(&|record| record.nans[1] = 3));
        assert!(!found(&|record| record.nulls[1] = 3));
        assert!(found(&|record| record.real[4] = f64::NAN), "it is that of another fragment");
        let mut column = Column::default();
        column.add(Record::default());
        assert!(column.records.is_empty());
    }
}
