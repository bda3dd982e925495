//! Types as C++ source.
use crate::{Cxx, Options};
use rntuple::schema::Schema;
pub(crate) fn generate(_schema: &Schema, _options: &Options) -> Cxx {
    Cxx { header: String::new(), link_def: String::new() }
}
