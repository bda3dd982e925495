//! Names of enums' variants, which the format has no place for: descriptions keep them.

use super::FieldNode;
use crate::error::{Mismatch, Result};
use crate::schema::FieldDescriptor;

impl FieldNode<'_> {
    /// Keeps a difference for each alternative that the file knows by the name of another one of the type's: the
    /// variants were reordered, and values would change places.
    pub(in crate::field) fn check_alternatives(self, names: &[&str]) -> Result<()> {
        let mut result = Ok(());
        for (number, child) in self.children().enumerate() {
            let description = child.descriptor().map(|field| &*field.description).unwrap_or_default();
            let kept = description.split_once(':').map_or(description, |(name, _)| name);
            let own = names.get(number);
            if own.is_some_and(|own| *own != kept) && names.contains(&kept) {
                let own = own.copied().unwrap_or_default();
                let (found, wanted) = (format!("the alternative `{kept}`"), format!("`{own}`"));
                let mismatch = Mismatch::new(child.path(), found, wanted);
                result = Err(child.keep(mismatch.with_help("variants that move keep their number by `tag`")));
            }
        }
        result
    }

    /// Keeps a difference for each name of an enum's variant that stands for another integer in the file.
    pub(in crate::field) fn check_variants(self, variants: &[(&str, i128)]) -> Result<()> {
        let integers = self.find("_0").unwrap_or(self);
        let kept = integers.descriptor().map(FieldDescriptor::enumerators).unwrap_or_default();
        let mut result = Ok(());
        for (name, value) in kept {
            let own = variants.iter().find(|(own, _)| *own == name);
            if let Some((_, own)) = own.filter(|(_, own)| *own != value) {
                let mismatch = Mismatch::new(self.path(), format!("`{name}` as {value}"), own.to_string());
                let help = format!("variants keep their integers by `{name} = {value}`");
                result = Err(self.keep(mismatch.with_help(help)));
            }
        }
        result
    }
}
