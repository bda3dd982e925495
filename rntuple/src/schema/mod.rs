//! What a file says about itself: plain data, no I/O.

mod attribute_set;
mod builder;
mod class;
mod cluster;
mod column;
pub(crate) mod enumerators;
mod field;
mod field_type;
mod groups;
mod hidden;
mod ids;
mod meaning;
mod name;
mod numbered;
mod place;
mod records;
mod representations;
mod serialize;
mod spelling;
mod tree;
mod type_name;
#[cfg(feature = "prerelease")]
mod upgrade;

pub use attribute_set::LinkedAttributeSet;
pub(crate) use attribute_set::{RANGE_LENGTH, RANGE_START, USER_DATA, check_set_name};
pub use builder::SchemaBuilder;
pub(crate) use class::{UNVERSIONED, is_class, seal_classes};
pub use cluster::{ClusterDescriptor, ClusterGroup, ColumnRange, Locator, PageLocation};
pub(crate) use column::is_known_column;
pub use column::{AliasColumn, ColumnDescriptor};
pub use field::{ExtraTypeInfo, FieldDescriptor, Role};
pub(crate) use field::{MOST_ALTERNATIVES, unit_in};
pub use field_type::{Field, FieldType, Scalar, Shape, type_includes};
pub use hidden::HiddenField;
pub use ids::{ClusterId, ColumnId, FieldId};
pub(crate) use meaning::contradiction;
#[cfg(feature = "merge")]
pub(crate) use meaning::joined_description;
#[cfg(feature = "check")]
pub(crate) use name::check_name;
pub(crate) use name::check_new_name;
pub(crate) use numbered::path;
pub(crate) use place::FieldPlace;
pub(crate) use records::Records;
pub(crate) use spelling::MAX_TEMPLATE_DEPTH;
pub use spelling::{normalize, split_template};
pub use tree::Schema;
pub use type_name::TypeName;
pub(crate) use type_name::{double32_alias, is_optional, takes_any_items};
