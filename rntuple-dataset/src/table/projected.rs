//! Fields that show the values of others, and cannot be without them.

use std::collections::{HashMap, HashSet};

use rntuple::schema::FieldId;
use rntuple::{Dataset, RootFile};

use super::Table;
use crate::error::{Error, Result};
use crate::format::{DataFile, Field, TOMBSTONE};
use crate::schema;
use crate::snapshot::Snapshot;

impl Table {
    /// Checks that no file keeps a projected field without its source, where these are all fields that are left. No
    /// reader could open the version.
    ///
    /// # Errors
    /// One does; or a file from which fields go cannot be opened.
    pub(super) fn check_projected(&self, snapshot: &Snapshot, left: &[Field]) -> Result<()> {
        let left: HashMap<i32, &Field> = left.iter().map(|field| (field.id, field)).collect();
        let loses = |file: &DataFile| file.fields.iter().any(|id| *id != TOMBSTONE && !left.contains_key(id));
        let mut known = HashSet::new();
        for file in snapshot.fragments().iter().flat_map(|fragment| &fragment.files) {
            // Most files have the same fields under the same numbers: one of them is opened.
            if !loses(file) || !known.insert((&file.fields, &file.column_indices)) {
                continue;
            }
            let seen: HashSet<FieldId> = schema::seen(&left, file)?.names.iter().map(|(id, _)| *id).collect();
            let path = snapshot.file(file);
            let dataset = Dataset::open(&RootFile::open(&path)?, snapshot.ntuple())?;
            if let Some((field, source)) = schema::without_source(dataset.schema(), &seen) {
                let message = format!("the field {field} shows the values of {source}: drop {field} first");
                return Err(Error::invalid_argument(message).in_file(path));
            }
        }
        Ok(())
    }
}
