//! Enums with data: a switch column says which alternative is active and where its value is.
//!
//! The derive adds the columns of the alternatives; what all enums share is here.

use super::{Attach, FieldNode, Position};
use crate::cluster::Gathered;
use crate::column::{ColumnReader, ColumnWriter};
use crate::encoding::Switch;
use crate::error::{Error, ErrorKind, Result};
use crate::field::FieldBuilder;
use crate::message::counted;
use crate::schema::{Role, TypeName};

/// The switch column of an enum, being filled; `P` has a place for each alternative.
#[derive(Debug)]
pub struct VariantWriter<P> {
    switch: ColumnWriter<Switch>,
    /// Values of each alternative in this cluster.
    counts: P,
}

impl<const N: usize> VariantWriter<[u64; N]> {
    /// Makes `field` a variant.
    pub fn declare(field: &mut FieldBuilder<'_>, name: &TypeName) -> Self {
        field.variant(name);
        Self { switch: field.column(), counts: [0; N] }
    }
}

impl VariantWriter<Vec<u64>> {
    /// Makes `field` a variant of this many alternatives.
    pub(super) fn declare_any(field: &mut FieldBuilder<'_>, name: &TypeName, count: usize) -> Self {
        field.variant(name);
        Self { switch: field.column(), counts: vec![0; count] }
    }
}

impl<P: AsMut<[u64]>> VariantWriter<P> {
    /// Appends a value of alternative `number`, counted from 0; returns its length in bytes.
    #[inline]
    pub fn append(&mut self, number: u8) -> usize {
        let number = usize::from(number);
        let Some(count) = self.counts.as_mut().get_mut(number) else { return 0 };
        let index = *count;
        *count += 1;
        #[expect(clippy::cast_possible_truncation, reason = "the number was a u8")]
        self.switch.push(Switch { index, tag: number as u32 + 1 })
    }

    /// Appends a value of none of the alternatives; returns its length in bytes.
    #[inline]
    pub fn append_none(&mut self) -> usize {
        self.switch.push(Switch { index: 0, tag: 0 })
    }

    /// Hands over the pages of the switch column.
    ///
    /// # Errors
    /// None of its own: every switch can be packed.
    pub fn commit(&mut self, cluster: &mut Gathered<'_>) {
        if cluster.cluster_ends() {
            self.counts.as_mut().fill(0);
        }
        self.switch.commit(cluster);
    }
}

/// The switch column of an enum, being read; `P` has a place for each alternative.
#[derive(Debug)]
pub struct VariantReader<P> {
    pub(super) switch: ColumnReader<Switch>,
    /// Where the reader of each alternative stands.
    pub(super) positions: P,
    /// Alternatives that the file has.
    pub(super) count: usize,
}

/// The active alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// Its number, counted from 0.
    pub number: usize,
    /// Where its reader must go first, if it does not stand there.
    pub jump: Option<u64>,
}

impl Active {
    /// None of the alternatives.
    const OTHER: Self = Self { number: usize::MAX, jump: None };
}

/// Where the reader of an alternative must go for value `index`, if it is not at this position; then it is after the
/// value.
#[inline]
pub(super) fn jump(position: &mut u64, index: u64, switch: &ColumnReader<Switch>) -> Option<u64> {
    let before = std::mem::replace(position, index.wrapping_add(1));
    if before == index {
        return None;
    }
    // The first value after a seek may be anywhere. A value after another one is elsewhere only where a file scatters
    // them: uproot writes unions as they are.
    if before != 0 && before != u64::MAX {
        switch.allowance().scatter();
    }
    Some(index)
}

impl<const N: usize> VariantReader<[u64; N]> {
    /// The switch before [`connect`](Self::connect).
    pub const DETACHED: Self = Self { switch: ColumnReader::DETACHED, positions: [0; N], count: 0 };

    /// Finds a variant of up to `N` alternatives, which are its subfields `_0`, `_1`, ...: those that were added
    /// since are never active. With `has_other` there may be more. `names` are those that files may keep of them.
    ///
    /// # Errors
    /// The variant has more alternatives, or one of these names at another number.
    pub fn connect(&mut self, variant: FieldNode<'_>, names: [&str; N], has_other: bool) -> Result<()> {
        let count = variant.child_count();
        if count > N && !has_other {
            return Err(variant.mismatch(&format!("a variant of {N} alternatives")));
        }
        variant.check_alternatives(&names)?;
        *self = Self { switch: variant.column(0)?, positions: [0; N], count };
        Ok(())
    }

    /// The next value's alternative, as [`next`](Self::next); for one that the type does not know, and for none,
    /// a number that no alternative has.
    ///
    /// # Errors
    /// No value is left, or the file names an alternative that it does not have.
    #[inline]
    pub fn next_or_other(&mut self) -> Result<Active> {
        let Switch { index, tag } = self.switch.next()?;
        if tag as usize > self.count {
            return Err(self.unknown(tag));
        }
        let number = (tag as usize).wrapping_sub(1);
        let Some(position) = self.positions.get_mut(number) else { return Ok(Active::OTHER) };
        Ok(Active { number, jump: jump(position, index, &self.switch) })
    }
}

impl VariantReader<Vec<u64>> {
    /// Finds a variant of however many alternatives.
    pub(super) fn connect_any(field: FieldNode<'_>) -> Result<Self> {
        let variant = field.expect(Role::Variant, "a variant")?;
        let count = variant.child_count();
        Ok(Self { switch: variant.column(0)?, positions: vec![0; count], count })
    }
}

impl<P: AsRef<[u64]> + AsMut<[u64]>> VariantReader<P> {
    /// The next value's alternative, and where its value is.
    ///
    /// # Errors
    /// No alternative is active, which Rust's enums cannot say, or the file names one that is not there.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "a value is always there to be read or an error")]
    pub fn next(&mut self) -> Result<Active> {
        match self.next_or_none()? {
            Some(active) => Ok(active),
            None => Err(self.without_value()),
        }
    }

    /// As [`next`](Self::next), with `None` for a variant without a value.
    #[inline]
    pub(super) fn next_or_none(&mut self) -> Result<Option<Active>> {
        let Switch { index, tag } = self.switch.next()?;
        let Some(number) = tag.checked_sub(1) else { return Ok(None) };
        let number = number as usize;
        let known = self.positions.as_mut().get_mut(number).filter(|_| number < self.count);
        let Some(position) = known else { return Err(self.unknown(tag)) };
        Ok(Some(Active { number, jump: jump(position, index, &self.switch) }))
    }

    #[cold]
    fn without_value(&self) -> Error {
        self.switch.place(Self::valueless())
    }

    #[cold]
    pub(super) fn valueless() -> Error {
        let message = "the variant holds no value, which a Rust enum cannot represent";
        Error::new(ErrorKind::SchemaMismatch, message)
    }

    #[cold]
    fn unknown(&self, tag: u32) -> Error {
        self.switch.place(Self::unknown_of(tag, self.count))
    }

    #[cold]
    pub(super) fn unknown_of(tag: u32, count: usize) -> Error {
        Error::out_of_spec(format!(
            "the variant has alternative {tag}, but its type has {}",
            counted(count as u64, "alternative")
        ))
    }

    /// Goes to a value; returns where the alternatives have to go, if they do. In the same cluster they go to their
    /// places when the switch says where these are.
    ///
    /// # Errors
    /// The cluster contradicts itself, or has fewer elements.
    pub fn seek<'a>(&mut self, to: Position<'a>) -> Result<Option<Position<'a>>> {
        Attach::seek(&mut self.switch, to)?;
        if let Some(cluster) = to.cluster() {
            self.switch.allowance().begin_cluster(cluster.id());
        }
        // In the same cluster, they are known only if the last value was read to its end: no value has the last number.
        self.positions.as_mut().fill(if to.cluster().is_some() { 0 } else { u64::MAX });
        Ok(to.cluster().map(Position::start_of))
    }

    /// Elements of the cluster that were not read yet.
    pub fn remaining(&self) -> Option<u64> {
        Some(self.switch.remaining())
    }
}
