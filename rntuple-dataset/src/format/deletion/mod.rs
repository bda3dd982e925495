//! The deleted rows of a fragment.

mod arrow;

use roaring::RoaringBitmap;

use super::{DeletionFile, DeletionFileType};
use crate::error::{Error, Result};

/// From this count of rows on, offsets are written as a bitmap, as Lance does.
const FEWEST_FOR_BITMAP: u64 = 5000;

/// Offsets of the deleted rows in a fragment.
///
/// ```
/// use rntuple_dataset::format::{DeletionFile, DeletionVector};
///
/// let deleted: DeletionVector = [3, 5].into_iter().collect();
/// let (file_type, bytes) = deleted.to_bytes()?;
/// let file = DeletionFile { file_type: file_type.into(), num_deleted_rows: 2, ..Default::default() };
/// assert_eq!(DeletionVector::read(&bytes, &file, 1000)?, deleted);
/// # Ok::<(), rntuple_dataset::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeletionVector(RoaringBitmap);

impl DeletionVector {
    /// Creates a vector without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the count of rows.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the row at `offset` is deleted.
    pub fn contains(&self, offset: u32) -> bool {
        self.0.contains(offset)
    }

    /// Adds the row at `offset`; returns whether it was not deleted before.
    pub fn insert(&mut self, offset: u32) -> bool {
        self.0.insert(offset)
    }

    /// Adds the rows from `start` to `end`, the latter excluded; returns how many were not deleted before.
    pub fn insert_range(&mut self, start: u32, end: u32) -> u64 {
        self.0.insert_range(start..end)
    }

    /// Adds the rows of `other`.
    pub fn union(&mut self, other: &Self) {
        self.0 |= &other.0;
    }

    /// Returns the rows that both have.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(&self.0 & &other.0)
    }

    /// Returns the rows that `other` does not have.
    pub fn difference(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    /// Returns the offsets, the smallest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter()
    }

    /// Returns the offsets from `start` to `end`, the latter excluded, the smallest first.
    pub fn iter_range(&self, start: u32, end: u32) -> impl Iterator<Item = u32> + '_ {
        // The standard iterator seeks, so that what is before the range costs nothing.
        let mut offsets = self.0.iter();
        offsets.advance_to(start);
        offsets.take_while(move |&offset| offset < end)
    }

    /// Returns the count of deleted rows in front of `offset`.
    pub fn count_before(&self, offset: u32) -> u64 {
        self.0.rank(offset) - u64::from(self.0.contains(offset))
    }

    /// Reads the file that `file` describes, for a fragment with `physical_rows`.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where the bytes are not such a file, where a row is not in the
    /// fragment, and where their count is not the stated one. Old versions of Lance state 0 for a count that is not
    /// known.
    pub fn read(bytes: &[u8], file: &DeletionFile, physical_rows: u64) -> Result<Self> {
        let bitmap = match DeletionFileType::try_from(file.file_type) {
            Ok(DeletionFileType::ArrowArray) => arrow::read(bytes, physical_rows)?,
            Ok(DeletionFileType::Bitmap) => read_bitmap(bytes)?,
            Err(_) => {
                return Err(Error::unsupported(format!("a deletion file of type {}", file.file_type)));
            }
        };
        if let Some(last) = bitmap.max().filter(|&last| u64::from(last) >= physical_rows) {
            return Err(Error::out_of_spec(format!(
                "row {last} is deleted, and the fragment has {physical_rows} rows"
            )));
        }
        let stated = file.num_deleted_rows;
        if stated != 0 && stated != bitmap.len() {
            return Err(Error::out_of_spec(format!(
                "{} rows are deleted, expected the {stated} of the manifest",
                bitmap.len()
            )));
        }
        Ok(Self(bitmap))
    }

    /// Returns the bytes of the file, and how the offsets are stored there: an array for few, a bitmap for many.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) where a file cannot hold that many.
    pub fn to_bytes(&self) -> Result<(DeletionFileType, Vec<u8>)> {
        match self.count() >= FEWEST_FOR_BITMAP {
            true => Ok((DeletionFileType::Bitmap, self.bitmap_bytes()?)),
            false => Ok((DeletionFileType::ArrowArray, arrow::to_bytes(self.iter())?)),
        }
    }

    fn bitmap_bytes(&self) -> Result<Vec<u8>> {
        let mut bitmap = self.0.clone();
        bitmap.optimize();
        let mut bytes = Vec::with_capacity(bitmap.serialized_size());
        bitmap.serialize_into(&mut bytes)?;
        Ok(bytes)
    }
}

impl FromIterator<u32> for DeletionVector {
    fn from_iter<I: IntoIterator<Item = u32>>(offsets: I) -> Self {
        Self(offsets.into_iter().collect())
    }
}

impl Extend<u32> for DeletionVector {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, offsets: I) {
        self.0.extend(offsets);
    }
}

fn read_bitmap(bytes: &[u8]) -> Result<RoaringBitmap> {
    let mut rest = bytes;
    let bitmap = RoaringBitmap::deserialize_from(&mut rest)
        .map_err(|error| Error::out_of_spec(format!("the bytes are not a Roaring bitmap: {error}")))?;
    match rest.is_empty() {
        true => Ok(bitmap),
        false => Err(Error::out_of_spec(format!("{} bytes follow the bitmap, expected none", rest.len()))
            .at_offset((bytes.len() - rest.len()) as u64)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;

    fn described(vector: &DeletionVector, file_type: DeletionFileType) -> DeletionFile {
        DeletionFile { file_type: file_type.into(), num_deleted_rows: vector.count(), ..Default::default() }
    }

    #[test]
    fn few_rows_are_an_array_and_many_a_bitmap() {
        for (count, expected) in [
            (0, DeletionFileType::ArrowArray),
            (4999, DeletionFileType::ArrowArray),
            (5000, DeletionFileType::Bitmap),
        ] {
            let vector: DeletionVector = (10..10 + count).collect();
            let (file_type, bytes) = vector.to_bytes().unwrap();
            assert_eq!(file_type, expected, "{count}");
            let file = described(&vector, file_type);
            assert_eq!(DeletionVector::read(&bytes, &file, 10_000).unwrap(), vector);
        }
        // Runs take no space.
        let vector: DeletionVector = (0..1_000_000).collect();
        assert!(vector.to_bytes().unwrap().1.len() < 500);
    }

    #[test]
    fn rows_and_their_count_are_those_of_the_fragment() {
        let vector: DeletionVector = [3, 9].into_iter().collect();
        for (file_type, bytes) in
            [vector.to_bytes().unwrap(), (DeletionFileType::Bitmap, vector.bitmap_bytes().unwrap())]
        {
            let file = described(&vector, file_type);
            let error = DeletionVector::read(&bytes, &file, 9).unwrap_err();
            assert_eq!(error.to_string(), "row 9 is deleted, and the fragment has 9 rows");
            let error = DeletionVector::read(&bytes, &DeletionFile { num_deleted_rows: 3, ..file }, 10);
            assert_eq!(error.unwrap_err().to_string(), "2 rows are deleted, expected the 3 of the manifest");
            DeletionVector::read(&bytes, &DeletionFile { num_deleted_rows: 0, ..file }, 10).unwrap();
        }
        let error = DeletionVector::read(&[], &DeletionFile { file_type: 2, ..Default::default() }, 9);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn no_prefix_is_a_file_and_nothing_follows() {
        let vector: DeletionVector = (0..3000).map(|number| 7 * number).collect();
        for (file_type, bytes) in
            [vector.to_bytes().unwrap(), (DeletionFileType::Bitmap, vector.bitmap_bytes().unwrap())]
        {
            let file = described(&vector, file_type);
            for length in (0..bytes.len()).step_by(11).chain([bytes.len() - 1]) {
                let read = DeletionVector::read(&bytes[..length], &file, 21_000);
                assert!(read.is_err(), "{file_type:?} {length}");
            }
            let longer = [&*bytes, &[0]].concat();
            assert_eq!(
                DeletionVector::read(&longer, &file, 21_000).unwrap_err().kind(),
                ErrorKind::OutOfSpec
            );
        }
    }

    proptest! {
        #[test]
        fn it_is_a_set(a: BTreeSet<u16>, b: BTreeSet<u16>, start in 0..70_000u32, length in 0..70_000u32) {
            let vector = |set: &BTreeSet<u16>| set.iter().map(|&offset| u32::from(offset)).collect::<DeletionVector>();
            let (left, right) = (vector(&a), vector(&b));
            prop_assert_eq!(left.intersection(&right), vector(&(&a & &b)));
            prop_assert_eq!(left.difference(&right), vector(&(&a - &b)));
            let mut both = left.clone();
            both.union(&right);
            prop_assert_eq!(both, vector(&(&a | &b)));
            let end = start + length;
            let expected: Vec<u32> = left.iter().filter(|offset| (start..end).contains(offset)).collect();
            prop_assert_eq!(left.iter_range(start, end).collect::<Vec<_>>(), expected);
            let before = left.iter().filter(|&offset| offset < start).count() as u64;
            prop_assert_eq!(left.count_before(start), before);
        }

        #[test]
        fn flipped_bytes_are_read_or_refused(at in any::<proptest::sample::Index>(), value: u8, array: bool) {
            let vector: DeletionVector = (0..100).map(|number| 3 * number).collect();
            let (file_type, mut bytes) = match array {
                true => vector.to_bytes().unwrap(),
                false => (DeletionFileType::Bitmap, vector.bitmap_bytes().unwrap()),
            };
            *at.get_mut(&mut bytes) = value;
            if let Ok(read) = DeletionVector::read(&bytes, &described(&vector, file_type), 300) {
                prop_assert_eq!(read.count(), 100);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, file_type in 0..2) {
            let file = DeletionFile { file_type, ..Default::default() };
            if let Ok(read) = DeletionVector::read(&bytes, &file, 1000) {
                prop_assert!(read.iter().all(|offset| offset < 1000));
            }
        }
    }
}
