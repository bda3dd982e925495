//! The types that views of fields can have.

use super::{FieldBuilder, WriteField};

/// A type that a view of a field can have: one that can be written, or the size of a collection,
/// [`Cardinality`](crate::cxx::Cardinality).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a projected field",
    label = "not a type that can be written, nor `Cardinality`"
)]
pub trait Projected {
    /// Says what the field is. No values go into it.
    #[doc(hidden)]
    fn declare_view(field: &mut FieldBuilder<'_>);
}

impl<T: WriteField + ?Sized> Projected for T {
    fn declare_view(field: &mut FieldBuilder<'_>) {
        drop(T::declare(field));
    }
}

impl FieldBuilder<'_> {
    /// A projected field: another name for the values of the field at the path `source`, which takes no room. `T` is
    /// what they are seen as, and `spelled` how errors call it. Members of entries come first, whatever the order
    /// of the calls.
    ///
    /// Only entries have projected fields: where the type is a member of another, this does nothing. Whether `T` and
    /// the source are alike is found out when the writer is made.
    pub fn project<T: Projected + ?Sized>(&mut self, name: &str, spelled: &str, source: &str) {
        let text = format!("project({name}: {spelled} = \"{source}\")");
        self.project_as(name, text, source, T::declare_view);
    }
}
