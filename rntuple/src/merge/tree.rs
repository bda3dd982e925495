//! The fields of all inputs in one tree.

use std::collections::HashMap;

use super::differ::{Difference, differ};
use super::options::SchemaMode;
use super::type_info::TypeInfo;
use super::zeros;
use crate::dataset::Dataset;
use crate::encoding::{ColumnEncoding, ColumnType};
use crate::envelope::SchemaDescription;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{
    AliasColumn, ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, Role, Schema, joined_description,
    normalize,
};

/// A field that is the same in all inputs that have it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) field: FieldDescriptor,
    pub(super) path: String,
    pub(super) parent: Option<usize>,
    children: Vec<usize>,
    /// The path of the field that this one is a projection of.
    source: Option<String>,
    /// A projection has alias columns where the source has columns.
    has_aliases: bool,
    pub(super) representations: Vec<Vec<ColumnEncoding>>,
    /// Their numbers, by how their columns are packed.
    numbers: HashMap<Packed, usize>,
    /// The input that brought it.
    origin: usize,
    /// The last input that has it, and how many do.
    seen: usize,
    seen_count: usize,
}

/// Type, bits and range of each column: what two representations differ in.
type Packed = Vec<(u16, u16, Option<(u64, u64)>)>;

fn packed(packings: &[ColumnEncoding]) -> Packed {
    // Both zeros are the same bound.
    let bits = |bound: f64| (bound + 0.0).to_bits();
    let range = |packing: &ColumnEncoding| packing.range().map(|(min, max)| (bits(min), bits(max)));
    let key = |packing: &ColumnEncoding| (packing.column_type() as u16, packing.bits(), range(packing));
    packings.iter().map(key).collect()
}

impl Node {
    fn is_projected(&self) -> bool {
        self.source.is_some()
    }

    /// The number of the representation whose columns are packed like this.
    pub(super) fn representation(&self, packings: &[ColumnEncoding]) -> Option<usize> {
        self.numbers.get(&packed(packings)).copied()
    }

    fn add_representation(&mut self, packings: Vec<ColumnEncoding>) {
        self.numbers.insert(packed(&packings), self.representations.len());
        self.representations.push(packings);
    }
}

/// The merged schema under construction.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    roots: Vec<usize>,
    by_path: HashMap<String, usize>,
    pub(super) type_info: TypeInfo,
    /// What to call the inputs.
    names: Vec<String>,
}

/// What the elements of a field are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// The nearest collection or variant above, and, of it, the child that leads here; `None`: entries.
    pub(super) by: Option<(usize, usize)>,
    /// Elements for each of it; `None`: over 2^64.
    pub(super) repetitions: Option<u64>,
}

impl Tree {
    /// Adds the fields of the next input, as far as `mode` lets it.
    pub(super) fn join(&mut self, dataset: &Dataset, mode: SchemaMode, strict_encoding: bool) -> Result<()> {
        let number = self.names.len();
        self.names.push(dataset.file().name().to_owned());
        let schema = dataset.schema();
        let mut nodes: Vec<Option<usize>> = Vec::new();
        // Parents come before their children.
        for (id, field) in schema.fields() {
            let parent = match field.parent {
                None => None,
                Some(parent) => match nodes.get(parent.index()).copied().flatten() {
                    // What the parent is not, its children are not either.
                    None => {
                        nodes.push(None);
                        continue;
                    }
                    some => some,
                },
            };
            let path = schema.path(id);
            let joined = self.join_field(number, schema, id, field, parent, &path, mode);
            let node = joined.map_err(|error| error.in_field(&*path))?;
            nodes.push(node);
            if let Some(node) = node {
                let joined = self.join_columns(number, schema, id, node, strict_encoding);
                joined.map_err(|error| error.in_field(path))?;
            }
        }
        self.check_complete(number, mode)?;
        for info in schema.extra_type_info() {
            self.type_info.add(info);
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "where the field stands in the input and in the tree")]
    fn join_field(
        &mut self,
        number: usize,
        schema: &Schema,
        id: FieldId,
        field: &FieldDescriptor,
        parent: Option<usize>,
        path: &str,
        mode: SchemaMode,
    ) -> Result<Option<usize>> {
        let source = field.projection_source.map(|source| schema.path(source));
        // It would be listed before the projection that it belongs to.
        schema.check_projected(id)?;
        let known = self.by_path.get(path).copied();
        if known.is_none() && number > 0 {
            match mode {
                SchemaMode::Filter if self.may_lack(parent) => return Ok(None),
                SchemaMode::Union if self.may_lack(parent) || self.is_of(parent, number) => {}
                _ => {
                    let message = format!("a field that {} lacks", self.name(0));
                    return Err(Error::new(ErrorKind::SchemaMismatch, message));
                }
            }
        }
        if let Some(hidden) = schema.hidden().iter().find(|hidden| hidden.field == id) {
            return Err(Error::unsupported(format!("a field that cannot be merged: {}", hidden.reason)));
        }
        let Some(index) = known else {
            return Ok(Some(self.add(number, field, parent, path, source)));
        };
        let Some(node) = self.nodes.get(index) else { return Ok(None) };
        if node.seen == number {
            return Err(Error::out_of_spec("two fields have this name"));
        }
        if let Some(difference) = differ(&node.field, field) {
            return Err(self.differing(difference, node.origin));
        }
        if node.source != source {
            let [ours, theirs] = [&node.source, &source].map(|source| match source {
                Some(source) => format!("a projection of {source}"),
                None => "a field with columns".to_owned(),
            });
            return Err(self.differing(Difference { found: theirs, wanted: ours }, node.origin));
        }
        self.check_position(schema, id, field, parent, index)?;
        if let Some(node) = self.nodes.get_mut(index) {
            node.seen = number;
            node.seen_count += 1;
            if let Some(description) = joined_description(field, &node.field) {
                node.field.description = description;
            }
        }
        Ok(Some(index))
    }

    /// Alternatives are known by their number, not by their name.
    fn check_position(
        &self,
        schema: &Schema,
        id: FieldId,
        field: &FieldDescriptor,
        parent: Option<usize>,
        index: usize,
    ) -> Result<()> {
        let Some(parent) = parent.and_then(|parent| self.nodes.get(parent)) else { return Ok(()) };
        if parent.field.role == Role::Record {
            return Ok(());
        }
        let siblings = field.parent.map_or(&[][..], |parent| schema.children(parent));
        let here = siblings.iter().position(|&sibling| sibling == id);
        if here == parent.children.iter().position(|&child| child == index) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::SchemaMismatch,
            format!("not in the same place as in {}", self.name(parent.origin)),
        ))
    }

    fn add(
        &mut self,
        number: usize,
        field: &FieldDescriptor,
        parent: Option<usize>,
        path: &str,
        source: Option<String>,
    ) -> usize {
        let index = self.nodes.len();
        // ROOT 6.34 left some names as they were spelled, which is of no consequence only in files of its version.
        let type_name = normalize(&field.type_name);
        self.nodes.push(Node {
            field: FieldDescriptor { type_name, ..field.clone() },
            path: path.to_owned(),
            parent,
            children: Vec::new(),
            source,
            has_aliases: false,
            representations: Vec::new(),
            numbers: HashMap::new(),
            origin: number,
            seen: number,
            seen_count: 1,
        });
        match parent.and_then(|parent| self.nodes.get_mut(parent)) {
            Some(parent) => parent.children.push(index),
            None => self.roots.push(index),
        }
        self.by_path.insert(path.to_owned(), index);
        index
    }

    fn join_columns(
        &mut self,
        number: usize,
        schema: &Schema,
        id: FieldId,
        index: usize,
        strict_encoding: bool,
    ) -> Result<()> {
        let Some(node) = self.nodes.get(index) else { return Ok(()) };
        let (is_new, origin) = (node.origin == number, node.origin);
        if node.is_projected() {
            let has_aliases = !schema.representations(id).is_empty();
            if !is_new && node.has_aliases != has_aliases {
                return Err(Error::out_of_spec("a projection has no alias columns"));
            }
            check_aliases(schema, id)?;
            if let Some(node) = self.nodes.get_mut(index) {
                node.has_aliases = has_aliases;
            }
            return Ok(());
        }
        let lists = schema.representations(id);
        if !is_new && node.representations.is_empty() != lists.is_empty() {
            let said = |is_empty: bool| if is_empty { "no columns" } else { "columns" }.to_owned();
            let difference =
                Difference { found: said(lists.is_empty()), wanted: said(node.representations.is_empty()) };
            return Err(self.differing(difference, origin));
        }
        for columns in lists {
            let packings = columns.iter().map(|&id| packing(schema, id)).collect::<Result<Vec<_>>>()?;
            let Some(node) = self.nodes.get(index) else { return Ok(()) };
            if node.representation(&packings).is_some() {
                continue;
            }
            if let Some(first) = node.representations.first() {
                let is_wide = first.len() != packings.len();
                // What one input mixes, its readers know to tell apart.
                let others = node.representations.iter().filter(|_| !is_new);
                let other_range = others.into_iter().find(|known| ranges_differ(known, &packings));
                if is_wide || other_range.is_some() || strict_encoding {
                    let [found, wanted] = [&packings, other_range.unwrap_or(first)].map(|list| named(list));
                    return Err(self.differing(Difference { found, wanted }, origin));
                }
                // Representations are numbered by 16 bits.
                if node.representations.len() > usize::from(u16::MAX) {
                    return Err(Error::limit("the field has over 65536 encodings"));
                }
            }
            if let Some(node) = self.nodes.get_mut(index) {
                node.add_representation(packings);
            }
        }
        Ok(())
    }

    /// Whether the input has everything that it must have.
    fn check_complete(&self, number: usize, mode: SchemaMode) -> Result<()> {
        if number == 0 {
            return Ok(());
        }
        let lacking = self.nodes.iter().filter(|node| node.seen != number).find(|node| match mode {
            SchemaMode::Strict => true,
            SchemaMode::Filter => !node.is_projected(),
            // Of a part that is missing as a whole, the top tells.
            SchemaMode::Union => {
                let parent = node.parent.and_then(|parent| self.nodes.get(parent));
                parent.is_some_and(|parent| parent.seen == number) && !self.may_lack(node.parent)
            }
        });
        match lacking {
            None => Ok(()),
            Some(node) => Err(Error::new(
                ErrorKind::SchemaMismatch,
                format!("missing, but {} has it", self.name(node.origin)),
            )
            .in_field(&*node.path)),
        }
    }

    /// Whether a child of this node can be missing.
    fn may_lack(&self, parent: Option<usize>) -> bool {
        parent.and_then(|parent| self.nodes.get(parent)).is_none_or(|node| node.field.role == Role::Record)
    }

    /// Whether the input brought this node.
    fn is_of(&self, node: Option<usize>, input: usize) -> bool {
        node.and_then(|node| self.nodes.get(node)).is_some_and(|node| node.origin == input)
    }

    pub(super) fn name(&self, input: usize) -> &str {
        self.names.get(input).map_or("", |name| name)
    }

    #[cold]
    fn differing(&self, Difference { found, wanted }: Difference, origin: usize) -> Error {
        let message = format!("{found} here, but {wanted} in {}", self.name(origin));
        Error::new(ErrorKind::SchemaMismatch, message)
    }

    /// The node of a field of an input that was joined.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// What the elements of a field's principal column are counted by.
    pub(super) fn counted(&self, index: usize) -> Counted {
        let mut repetitions = Some(1u64);
        let mut at = index;
        loop {
            let Some(node) = self.nodes.get(at) else { return Counted { by: None, repetitions: None } };
            let size = node.field.array_size.unwrap_or(1);
            repetitions = repetitions.and_then(|product| product.checked_mul(size));
            let Some(parent) = node.parent else { return Counted { by: None, repetitions } };
            let role = self.nodes.get(parent).map(|parent| parent.field.role);
            if matches!(role, Some(Role::Collection | Role::Variant)) {
                return Counted { by: Some((parent, at)), repetitions };
            }
            at = parent;
        }
    }

    /// All nodes as the header lists them: each before its children, projected ones behind all others
    /// (format, section 5.1).
    fn ordered(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        for projected in [false, true] {
            let mut stack: Vec<usize> = self.roots.iter().rev().copied().collect();
            while let Some(index) = stack.pop() {
                let Some(node) = self.nodes.get(index) else { continue };
                if node.is_projected() == projected {
                    order.push(index);
                }
                stack.extend(node.children.iter().rev());
            }
        }
        order
    }

    /// The schema, and where the columns of each node are in it.
    pub(super) fn describe(&self) -> Result<(SchemaDescription, Vec<Slot>)> {
        let order = self.ordered();
        let mut ids = vec![FieldId::default(); self.nodes.len()];
        for (id, &index) in (0..).map(FieldId).zip(&order) {
            if let Some(place) = ids.get_mut(index) {
                *place = id;
            }
        }
        let id_of = |index: usize| ids.get(index).copied().unwrap_or_default();
        let mut description = SchemaDescription::default();
        let mut slots = Vec::new();
        let mut first_columns: HashMap<usize, u32> = HashMap::new();
        for &index in &order {
            let Some(node) = self.nodes.get(index) else { continue };
            let mut field = node.field.clone();
            field.parent = node.parent.map(id_of);
            field.projection_source = None;
            if let Some(source) = &node.source {
                let source = self.find(source).ok_or_else(|| {
                    Error::out_of_spec(format!("a projection of {source}, which is not there"))
                        .in_field(&*node.path)
                })?;
                field.projection_source = Some(id_of(source));
            }
            description.fields.push(field);
            let too_many = |_| Error::limit("the output has over 2^32 columns");
            let first = u32::try_from(description.columns.len()).map_err(too_many)?;
            for (representation, packings) in (0..=u16::MAX).zip(&node.representations) {
                for packing in packings {
                    let code = packing.column_type() as u16;
                    let mut column = ColumnDescriptor::new(code, packing.bits(), id_of(index));
                    column.representation = representation;
                    column.range = packing.range();
                    description.columns.push(column);
                }
            }
            if let Some(width) = node.representations.first().map(Vec::len) {
                let is_lacked = node.seen_count < self.names.len();
                if let Some(principal) = node.representations.first().and_then(|list| list.first())
                    && is_lacked
                {
                    // Better now than behind a million entries.
                    zeros::check(principal).map_err(|error| error.in_field(&*node.path))?;
                }
                first_columns.insert(index, first);
                slots.push(Slot { node: index, first: first as usize, width });
            }
        }
        u32::try_from(description.columns.len())
            .map_err(|_| Error::limit("the output has over 2^32 columns"))?;
        for &index in &order {
            let Some(node) = self.nodes.get(index).filter(|node| node.has_aliases) else { continue };
            let source = node.source.as_ref().and_then(|source| self.find(source));
            let Some((first, source)) =
                source.and_then(|source| Some((*first_columns.get(&source)?, self.nodes.get(source)?)))
            else {
                let error = Error::out_of_spec("the field has alias columns, but its source has no columns");
                return Err(error.in_field(&*node.path));
            };
            let count: usize = source.representations.iter().map(Vec::len).sum();
            let columns = (first..).map(ColumnId).take(count);
            description.alias_columns.extend(columns.map(|column| AliasColumn::new(column, id_of(index))));
        }
        Ok((description, slots))
    }
}

/// Where the columns of a field are in the merged schema: so many for each representation, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) node: usize,
    pub(super) first: usize,
    pub(super) width: usize,
}

/// The columns behind the aliases of a projection are those of its source.
fn check_aliases(schema: &Schema, id: FieldId) -> Result<()> {
    let source = schema.field(id).and_then(|field| field.projection_source);
    let columns = schema.representations(id).iter().flatten();
    if columns.copied().all(|column| schema.field_of(column) == source) {
        return Ok(());
    }
    Err(Error::out_of_spec("the alias columns are not those of the field that it is a projection of"))
}

/// How a column of a field that is not hidden is packed.
pub(super) fn packing(schema: &Schema, id: ColumnId) -> Result<ColumnEncoding> {
    let column = schema.column(id).ok_or_else(|| Error::out_of_spec("the ntuple has no such column"))?;
    let column_type = ColumnType::from_code(column.type_code).ok_or_else(|| {
        Error::unsupported(format!("a column has the unknown type {:#x}", column.type_code))
    })?;
    ColumnEncoding::checked(column_type, column.bits, column.range)
        .map_err(|error| Error::out_of_spec(error.to_string()).in_column(id.0.into()))
}

/// Whether both are quantised, and not in the same way: such fields have different values, not only different bytes.
fn ranges_differ(a: &[ColumnEncoding], b: &[ColumnEncoding]) -> bool {
    let mut pairs = a.iter().zip(b);
    pairs.any(|(a, b)| matches!((a.range(), b.range()), (Some(a), Some(b)) if a != b))
}

fn named(packings: &[ColumnEncoding]) -> String {
    let names: Vec<_> = packings.iter().map(ColumnEncoding::to_string).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_normalised() {
        let mut tree = Tree::default();
        let field = |name: &str, type_name: &str| FieldDescriptor::new(None, Role::Record, name, type_name);
        for (name, type_name) in [("hit", "Hit<int,Hit<unsigned int> >"), ("plain", "Hit<float>")] {
            tree.add(0, &field(name, type_name), None, name, None);
        }
        let (schema, _) = tree.describe().unwrap();
        let names: Vec<_> = schema.fields.iter().map(|field| &*field.type_name).collect();
        assert_eq!(names, ["Hit<std::int32_t,Hit<std::uint32_t>>", "Hit<float>"]);
    }

    #[test]
    fn as_many_representations_as_have_numbers_are_described() {
        let quantised = |number: u32| {
            let range = Some((-0.0, f64::from(number) + 1.0));
            vec![ColumnEncoding::checked(ColumnType::Real32Quant, 8, range).unwrap()]
        };
        let mut tree = Tree::default();
        let field = FieldDescriptor::new(None, Role::Plain, "x", "float");
        let index = tree.add(0, &field, None, "x", None);
        (0..1 << 16).for_each(|number| tree.nodes[index].add_representation(quantised(number)));
        let (schema, _) = tree.describe().unwrap();
        assert_eq!(schema.columns.last().map(|column| column.representation), Some(u16::MAX));
        let node = &tree.nodes[index];
        let zero = ColumnEncoding::checked(ColumnType::Real32Quant, 8, Some((0.0, 8.0))).unwrap();
        assert_eq!((node.representation(&[zero]), node.representation(&quantised(1 << 16))), (Some(7), None));
    }
}
