//! How the columns of an ntuple are compressed.

use std::collections::BTreeSet;

use rntuple::schema::{ClusterDescriptor, ColumnId};
use rntuple::{Compression, Dataset, Error};

/// The settings of every column, as the page lists have them.
#[derive(Debug, Default)]
pub(super) struct Codecs {
    /// By column: the codes of all clusters.
    columns: Vec<BTreeSet<u32>>,
    differs: bool,
}

impl Codecs {
    /// Looks at all clusters of an ntuple.
    pub(super) fn of(dataset: &Dataset) -> Result<Self, Error> {
        let mut columns = Vec::new();
        dataset.clusters().try_for_each(|cluster| cluster.map(|cluster| add(&mut columns, &cluster)))?;
        Ok(Self::new(columns))
    }

    /// By column: the codes of all clusters.
    fn new(columns: Vec<BTreeSet<u32>>) -> Self {
        let mut used = columns.iter().filter(|codes| !codes.is_empty());
        let differs = used.next().is_some_and(|first| used.any(|codes| codes != first));
        Self { columns, differs }
    }

    /// `lz4:4`; nothing where all columns are compressed alike.
    pub(super) fn of_column(&self, id: ColumnId) -> Option<String> {
        let codes = self.columns.get(id.index()).filter(|codes| self.differs && !codes.is_empty())?;
        // Files may hold codes that no writer here would use.
        let text = |&code: &u32| match Compression::from_code(code) {
            Ok(settings) if settings.is_none() => "uncompressed".to_owned(),
            Ok(settings) => settings.to_string(),
            Err(_) => format!("compression {code}"),
        };
        Some(codes.iter().map(text).collect::<Vec<_>>().join("/"))
    }
}

fn add(columns: &mut Vec<BTreeSet<u32>>, cluster: &ClusterDescriptor) {
    columns.resize_with(columns.len().max(cluster.columns.len()), BTreeSet::new);
    for (codes, range) in columns.iter_mut().zip(&cluster.columns) {
        // A suppressed column has no settings.
        if range.first_element.is_some() {
            codes.insert(range.compression);
        }
    }
}

#[cfg(test)]
mod tests {
    use rntuple::schema::ColumnRange;

    use super::*;

    fn cluster(codes: &[Option<u32>]) -> ClusterDescriptor {
        let range = |code: &Option<u32>| match code {
            Some(code) => ColumnRange::new(0, *code, vec![]),
            None => ColumnRange::suppressed(),
        };
        ClusterDescriptor::new(0, 1, codes.iter().map(range).collect())
    }

    fn texts(clusters: &[ClusterDescriptor]) -> Vec<Option<String>> {
        let mut columns = Vec::new();
        clusters.iter().for_each(|cluster| add(&mut columns, cluster));
        let compression = Codecs::new(columns);
        (0..3).map(|id| compression.of_column(ColumnId(id))).collect()
    }

    #[test]
    fn only_differences_are_told() {
        let same = [cluster(&[Some(505), None, Some(505)]), cluster(&[Some(505), Some(505)])];
        assert_eq!(texts(&same), [None, None, None]);
        assert_eq!(texts(&[]), [None, None, None]);
    }

    #[test]
    fn differences_are_told_of_every_column() {
        let differing = [cluster(&[Some(505), None, Some(0)]), cluster(&[Some(505), Some(404), Some(301)])];
        let wanted = ["zstd:5", "lz4:4", "uncompressed/compression 301"];
        assert_eq!(texts(&differing), wanted.map(|text| Some(text.to_owned())));
    }
}
