//! Numbers that must not be mixed up.

use std::fmt;

use serde::Serialize;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The id as a position in a list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// Position of a field in the header's list, continued in the footer's (format, section 5.1).
    FieldId(u32);
    /// Position of a physical column in the header's list, continued in the footer's (format, section 5.2).
    ColumnId(u32);
    /// Position of a cluster, counted over all cluster groups (format, section 7.1).
    ClusterId(u32);
}
