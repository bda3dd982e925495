//! What a file says about itself: plain data, no I/O.

mod cluster;
mod column;
mod field;
mod ids;
mod type_name;

pub use cluster::{ClusterDescriptor, ClusterGroup, ColumnRange, Locator, PageLocation};
pub use column::{AliasColumn, ColumnDescriptor};
pub use field::{ExtraTypeInfo, FieldDescriptor, Role};
pub use ids::{ClusterId, ColumnId, FieldId};
pub use type_name::{TypeName, normalize};
