//! The schema as a tree: header and extension together, checked and indexed.

use super::groups::Groups;
use super::numbered::{numbered, numbered_columns, path};
use super::{
    AliasColumn, ColumnDescriptor, ColumnId, ExtraTypeInfo, FieldDescriptor, FieldId, HiddenField, Role,
    hidden, representations,
};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
use crate::message::nearest;

/// Everything a file says about its fields and columns.
///
/// ```
/// # use rntuple::schema::{ColumnDescriptor, FieldDescriptor, FieldId, Role, Schema};
/// // struct Event { met: f32, muons: Vec<Muon> }, struct Muon { pt: f32 }
/// let fields = vec![
///     FieldDescriptor::new(None, Role::Plain, "met", "float"),
///     FieldDescriptor::new(None, Role::Collection, "muons", ""),
///     FieldDescriptor::new(Some(FieldId(1)), Role::Record, "_0", ""),
///     FieldDescriptor::new(Some(FieldId(2)), Role::Plain, "pt", "float"),
/// ];
/// let columns = vec![
///     ColumnDescriptor::new(0x18, 32, FieldId(0)),
///     ColumnDescriptor::new(0x1b, 64, FieldId(1)),
///     ColumnDescriptor::new(0x18, 32, FieldId(3)),
/// ];
/// let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true))?;
///
/// assert_eq!(schema.top_level(), [FieldId(0), FieldId(1)]);
/// let pt = schema.find("muons._0.pt").unwrap();
/// assert_eq!(schema.path(pt), "muons._0.pt");
/// assert_eq!(schema.representations(pt)[0].len(), 1);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Serialised, it is a tree: top-level fields, each with its columns and its children.
#[derive(Clone, Debug)]
pub struct Schema {
    fields: Vec<FieldDescriptor>,
    columns: Vec<ColumnDescriptor>,
    alias_columns: Vec<AliasColumn>,
    extra_type_info: Vec<ExtraTypeInfo>,
    /// Children by parent, in order; [`slot`] numbers the parents. Hidden fields are nobody's children.
    children: Groups<FieldId>,
    /// The same, sorted by name.
    children_by_name: Groups<FieldId>,
    /// By field id.
    representations: Vec<Vec<Vec<ColumnId>>>,
    hidden: Vec<HiddenField>,
}

/// Bytes of paths for each field that a file may have, in the mean. A name is a part of the path of each field below
/// it, so that a long one of a few bytes, once it is compressed, could take all memory where paths are compared.
const PATH_LENGTH: u64 = 1024;

/// Where the children of `parent` are in the groups; those of nobody, the top level, come first.
fn slot(parent: Option<FieldId>) -> usize {
    parent.map_or(0, |parent| parent.index().saturating_add(1))
}

impl Schema {
    /// Checks the records of header and extension, one after the other in each list, and indexes them.
    ///
    /// `is_known` tells whether the type of a column is known; a top-level field with a column of an
    /// unknown type is hidden. It fails for a known type that cannot have the column's width.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](ErrorKind::OutOfSpec) for ids that name nothing, parents that do not come before
    /// their children, empty names, alias columns of fields that are not projected, and representations
    /// that are not alike; [`LimitExceeded`](ErrorKind::LimitExceeded) for fields nested too deep, and for
    /// paths that are too long together.
    pub fn build(
        fields: Vec<FieldDescriptor>,
        columns: Vec<ColumnDescriptor>,
        alias_columns: Vec<AliasColumn>,
        extra_type_info: Vec<ExtraTypeInfo>,
        is_known: &dyn Fn(&ColumnDescriptor) -> Result<bool>,
    ) -> Result<Self> {
        Self::build_within(&Limits::new(), fields, columns, alias_columns, extra_type_info, is_known)
    }

    /// As [`build`](Self::build), with fields nested as deep as the limits allow.
    pub(crate) fn build_within(
        limits: &Limits,
        fields: Vec<FieldDescriptor>,
        columns: Vec<ColumnDescriptor>,
        alias_columns: Vec<AliasColumn>,
        extra_type_info: Vec<ExtraTypeInfo>,
        is_known: &dyn Fn(&ColumnDescriptor) -> Result<bool>,
    ) -> Result<Self> {
        check_fields(&fields, limits)?;
        check_columns(&fields, &columns, &alias_columns)?;
        let representations = representations::group(&fields, &columns, &alias_columns)?;
        let hidden = hidden::find(&fields, &columns, &alias_columns, is_known)?;

        let is_visible = |id: FieldId, field: &FieldDescriptor| {
            field.parent.is_some() || hidden.binary_search_by_key(&id, |hidden| hidden.field).is_err()
        };
        let pairs = numbered(&fields)
            .filter(|(id, field)| is_visible(*id, field))
            .map(|(id, field)| (slot(field.parent), id));
        let children = Groups::new(fields.len() + 1, pairs);
        let children_by_name =
            children.sorted_by_key(|id| fields.get(id.index()).map_or("", |field| &field.name));
        Ok(Self {
            children,
            children_by_name,
            representations,
            hidden,
            fields,
            columns,
            alias_columns,
            extra_type_info,
        })
    }

    /// The field of this id.
    pub fn field(&self, id: FieldId) -> Option<&FieldDescriptor> {
        self.fields.get(id.index())
    }

    /// All fields by id, hidden ones too.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &FieldDescriptor)> + Clone {
        numbered(&self.fields)
    }

    /// The physical column of this id.
    pub fn column(&self, id: ColumnId) -> Option<&ColumnDescriptor> {
        self.columns.get(id.index())
    }

    /// All physical columns by id.
    pub fn columns(&self) -> impl Iterator<Item = (ColumnId, &ColumnDescriptor)> + Clone {
        numbered_columns(&self.columns)
    }

    /// All alias columns in the order of their lists.
    pub fn alias_columns(&self) -> &[AliasColumn] {
        &self.alias_columns
    }

    /// All extra type information, as it was found.
    pub fn extra_type_info(&self) -> &[ExtraTypeInfo] {
        &self.extra_type_info
    }

    /// The top-level fields that can be read, in order.
    pub fn top_level(&self) -> &[FieldId] {
        self.children.get(slot(None))
    }

    /// The children of a field in order: for a class that is the order of its members.
    pub fn children(&self, id: FieldId) -> &[FieldId] {
        self.children.get(slot(Some(id)))
    }

    /// The top-level field of this name. The first one where, against the rules, several have it.
    pub fn top_level_named(&self, name: &str) -> Option<FieldId> {
        self.named(slot(None), name)
    }

    /// The child of this name. The first one where, against the rules, several have it.
    pub fn child_named(&self, parent: FieldId, name: &str) -> Option<FieldId> {
        self.named(slot(Some(parent)), name)
    }

    fn named(&self, slot: usize, name: &str) -> Option<FieldId> {
        let siblings = self.children_by_name.get(slot);
        let name_of = |id: &FieldId| self.field(*id).map_or("", |field| &field.name);
        let id = *siblings.get(siblings.partition_point(|id| name_of(id) < name))?;
        (name_of(&id) == name).then_some(id)
    }

    /// The field at a path, dots between the names: `muons._0.pt`.
    pub fn find(&self, path: &str) -> Option<FieldId> {
        let mut names = path.split('.');
        let top = self.top_level_named(names.next()?)?;
        names.try_fold(top, |parent, name| self.child_named(parent, name))
    }

    /// The error for a path, in which the `_0` of collections may be left out, that leads to no field.
    #[cold]
    pub(crate) fn no_field(&self, path: &str) -> Error {
        let mut message = format!("no field {path:?}");
        if let Some(near) = self.near_path(path) {
            message += &format!("; did you mean {near:?}?");
        }
        Error::invalid_argument(message)
    }

    /// The path that is meant by one in which one name is misspelled.
    fn near_path(&self, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('.').collect();
        let mut parent = None;
        for (number, part) in parts.iter().enumerate() {
            // Where the name is sought: the subfields of the parent, or of the only item in it. The depth is bounded.
            let places: Vec<Option<FieldId>> = std::iter::successors(Some(parent), |id| {
                let field = (*id).and_then(|id| self.field(id))?;
                let is_wrapper = matches!(field.role, Role::Collection | Role::Plain);
                match self.children_of(*id) {
                    &[item] if is_wrapper => Some(Some(item)),
                    _ => None,
                }
            })
            .collect();
            let found = places.iter().find_map(|&place| self.named(slot(place), part));
            if found.is_some() {
                parent = found;
                continue;
            }
            let near = places.iter().find_map(|&place| self.near_name(place, part))?;
            let (before, after) = (parts.get(..number)?, parts.get(number + 1..)?);
            return Some([before, &[near], after].concat().join("."));
        }
        None
    }

    /// The name of a subfield, or for `None` of a top-level field, that is meant by a misspelled one.
    pub(crate) fn near_name(&self, parent: Option<FieldId>, name: &str) -> Option<&str> {
        let siblings = self.children_of(parent).iter();
        nearest(name, siblings.filter_map(|&id| Some(&*self.field(id)?.name)))
    }

    fn children_of(&self, parent: Option<FieldId>) -> &[FieldId] {
        parent.map_or(self.top_level(), |id| self.children(id))
    }

    /// The path of a field, from its top-level field on, dots between the names.
    pub fn path(&self, id: FieldId) -> String {
        path(&self.fields, id)
    }

    /// The columns that may hold the values of a field: `[[principal, second], ..]`, one list for each
    /// representation.
    ///
    /// Those of a projected field are the columns behind its alias columns, cut as the columns of their
    /// own field are.
    pub fn representations(&self, id: FieldId) -> &[Vec<ColumnId>] {
        self.representations.get(id.index()).map_or(&[], Vec::as_slice)
    }

    /// The field that a physical column belongs to.
    pub fn field_of(&self, id: ColumnId) -> Option<FieldId> {
        self.column(id).map(|column| column.field)
    }

    /// How many elements a field has for each entry, where the schema fixes that: the product of the array sizes, if no
    /// collection or variant is above it.
    pub(crate) fn elements_per_entry(&self, id: FieldId) -> Option<u64> {
        let (mut product, mut at) = (1u64, self.field(id));
        while let Some(field) = at {
            product = product.checked_mul(field.array_size.unwrap_or(1))?;
            at = field.parent.and_then(|parent| self.field(parent));
            if at.is_some_and(|above| matches!(above.role, Role::Collection | Role::Variant)) {
                return None;
            }
        }
        Some(product)
    }

    /// Checks that a field is projected if the field around it is (format, section 5.5).
    #[cfg(any(feature = "check", feature = "merge"))]
    pub(crate) fn check_projected(&self, id: FieldId) -> Result<()> {
        let is_projected = |id| self.field(id).is_some_and(|field| field.projection_source.is_some());
        let parent = self.field(id).and_then(|field| field.parent);
        if is_projected(id) || !parent.is_some_and(is_projected) {
            return Ok(());
        }
        Err(Error::out_of_spec("it is not projected, but the field around it is"))
    }

    /// Top-level fields that this crate cannot read, and why. They are not in
    /// [`top_level`](Self::top_level).
    pub fn hidden(&self) -> &[HiddenField] {
        &self.hidden
    }
}

/// Ids, depth and names.
fn check_fields(fields: &[FieldDescriptor], limits: &Limits) -> Result<()> {
    if u32::try_from(fields.len()).map_or(true, |count| count == u32::MAX) {
        return Err(Error::limit(format!("{} fields, their ids have 32 bits", fields.len())));
    }
    let (nesting, most) = (limits.nesting, limits.field_count.saturating_mul(PATH_LENGTH));
    // How deep each field is, and how long its path.
    let mut places: Vec<(u32, u64)> = Vec::with_capacity(fields.len());
    let mut total = 0u64;
    for (id, field) in numbered(fields) {
        let fault = |kind, message: String| Err(Error::new(kind, message).in_field(path(fields, id)));
        let out_of_spec = |message| fault(ErrorKind::OutOfSpec, message);
        let (depth, above) = match field.parent.map(|parent| (parent, places.get(parent.index()))) {
            None => (0, 0),
            Some((_, Some((depth, length)))) => (depth + 1, length + 1),
            Some((parent, None)) => {
                return out_of_spec(format!("field {id} has parent {parent}, which does not come before it"));
            }
        };
        if u64::from(depth) >= nesting {
            let found = format_args!("the field is nested {} deep", u64::from(depth) + 1);
            return Err(limits::exceeded(found, nesting, "nesting").in_field(path(fields, id)));
        }
        let length = above.saturating_add(field.name.len() as u64);
        total = total.saturating_add(length);
        if total > most {
            let found = format_args!("the paths of the fields have {total} bytes together, or more");
            return Err(limits::exceeded(found, most, "field_count"));
        }
        places.push((depth, length));
        if field.name.is_empty() {
            return Err(Error::out_of_spec(format!("field {id} has no name")));
        }
        if let Some(source) = field.projection_source
            && (source == id || source.index() >= fields.len())
        {
            return out_of_spec(format!("field {id} is a projection of field {source}, which cannot be"));
        }
    }
    Ok(())
}

/// Ids of columns and alias columns, and what their fields must be.
fn check_columns(
    fields: &[FieldDescriptor],
    columns: &[ColumnDescriptor],
    alias_columns: &[AliasColumn],
) -> Result<()> {
    if u32::try_from(columns.len()).map_or(true, |count| count == u32::MAX) {
        return Err(Error::limit(format!("{} columns, their ids have 32 bits", columns.len())));
    }
    for (id, column) in numbered_columns(columns) {
        let fault = match fields.get(column.field.index()) {
            None => format!("a column of field {}, of {}", column.field, fields.len()),
            Some(field) if field.projection_source.is_some() => {
                format!("a physical column of field {}, which is projected", column.field)
            }
            Some(_) => continue,
        };
        return Err(Error::out_of_spec(fault).in_column(id.0.into()));
    }
    for alias in alias_columns {
        let fault = match fields.get(alias.field.index()) {
            None => format!("an alias column of field {}, of {}", alias.field, fields.len()),
            Some(field) if field.projection_source.is_none() => {
                format!("an alias column of field {}, which is not projected", alias.field)
            }
            Some(_) if alias.physical.index() < columns.len() => continue,
            Some(_) => format!("an alias of column {}, of {}", alias.physical, columns.len()),
        };
        return Err(Error::out_of_spec(fault));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn field(parent: Option<u32>, role: Role, name: &str) -> FieldDescriptor {
        FieldDescriptor::new(parent.map(FieldId), role, name, "")
    }

    fn projection(source: u32, name: &str) -> FieldDescriptor {
        let mut field = field(None, Role::Plain, name);
        field.projection_source = Some(FieldId(source));
        field
    }

    fn column(field: u32) -> ColumnDescriptor {
        ColumnDescriptor::new(0x18, 32, FieldId(field))
    }

    fn alias(physical: u32, field: u32) -> AliasColumn {
        AliasColumn::new(ColumnId(physical), FieldId(field))
    }

    fn build(
        fields: &[FieldDescriptor],
        columns: &[ColumnDescriptor],
        aliases: &[AliasColumn],
    ) -> Result<Schema> {
        Schema::build(fields.to_vec(), columns.to_vec(), aliases.to_vec(), vec![], &|column| match (
            column.type_code,
            column.bits,
        ) {
            (0x18, 32) => Ok(true),
            (0x18, _) => Err(Error::out_of_spec("a width that cannot be")),
            _ => Ok(false),
        })
    }

    /// Two muon collections whose members are called alike, and a member added by an extension.
    fn event() -> Vec<FieldDescriptor> {
        vec![
            field(None, Role::Collection, "muons"),
            field(Some(0), Role::Record, "_0"),
            field(Some(1), Role::Plain, "pt"),
            field(Some(1), Role::Plain, "eta"),
            field(None, Role::Record, "met"),
            field(Some(4), Role::Plain, "pt"),
            projection(2, "pt"),
            field(Some(4), Role::Plain, "phi"),
        ]
    }

    #[test]
    fn fields_are_found_by_path_and_name() {
        let schema = build(&event(), &[column(2), column(3)], &[alias(0, 6)]).unwrap();
        assert_eq!(schema.top_level(), [0, 4, 6].map(FieldId));
        assert_eq!(schema.children(FieldId(1)), [2, 3].map(FieldId));
        assert_eq!(schema.children(FieldId(4)), [5, 7].map(FieldId));
        assert!(schema.children(FieldId(7)).is_empty());
        for (id, field) in schema.fields() {
            assert_eq!(schema.find(&schema.path(id)), Some(id));
            assert_eq!(schema.field(id), Some(field));
        }
        assert_eq!(schema.path(FieldId(3)), "muons._0.eta");
        assert_eq!(schema.find("muons.eta"), None);
        assert_eq!(schema.find(""), None);
        assert_eq!(schema.find("muons."), None);
        assert_eq!(schema.top_level_named("pt"), Some(FieldId(6)));
        assert_eq!(schema.top_level_named("eta"), None);
        assert_eq!(schema.child_named(FieldId(4), "pt"), Some(FieldId(5)));
        assert_eq!(schema.field_of(ColumnId(1)), Some(FieldId(3)));
        assert_eq!(schema.representations(FieldId(6)), schema.representations(FieldId(2)));
    }

    #[test]
    fn ids_that_name_nothing_are_answered_with_nothing() {
        let schema = build(&event(), &[column(2)], &[]).unwrap();
        for id in [8, u32::MAX] {
            assert_eq!(schema.field(FieldId(id)), None);
            assert_eq!(schema.path(FieldId(id)), "");
            assert!(schema.children(FieldId(id)).is_empty());
            assert!(schema.representations(FieldId(id)).is_empty());
            assert_eq!(schema.child_named(FieldId(id), "pt"), None);
            assert_eq!(schema.field_of(ColumnId(id)), None);
        }
    }

    #[test]
    fn of_siblings_with_one_name_the_first_is_found() {
        let twins = ["b", "a", "b", "a", "c"].map(|name| field(None, Role::Plain, name));
        let schema = build(&twins, &[], &[]).unwrap();
        assert_eq!(schema.find("b"), Some(FieldId(0)));
        assert_eq!(schema.find("a"), Some(FieldId(1)));
        assert_eq!(schema.top_level().len(), 5);
    }

    #[test]
    fn broken_ids_are_refused() {
        let fault = |fields: &[FieldDescriptor], columns: &[ColumnDescriptor], aliases: &[AliasColumn]| {
            let error = build(fields, columns, aliases).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfSpec);
            error.to_string()
        };
        let x = field(None, Role::Record, "x");
        let below = |parent| field(Some(parent), Role::Plain, "y");
        assert_eq!(
            fault(&[below(1), x.clone()], &[], &[]),
            "y: field 0 has parent 1, which does not come before it"
        );
        assert!(fault(&[x.clone(), below(2)], &[], &[]).contains("parent 2"));
        assert!(fault(&[x.clone(), below(u32::MAX)], &[], &[]).contains("parent 4294967295"));
        assert_eq!(fault(&[x.clone(), field(Some(0), Role::Plain, "")], &[], &[]), "field 1 has no name");
        let only = std::slice::from_ref(&x);
        assert_eq!(fault(only, &[column(1)], &[]), "column 0: a column of field 1, of 1");
        assert!(fault(only, &[], &[alias(0, 1)]).contains("an alias column of field 1, of 1"));
        assert!(fault(only, &[column(0)], &[alias(0, 0)]).contains("not projected"));
        assert!(
            fault(&[x.clone(), projection(0, "p")], &[], &[alias(0, 1)]).contains("alias of column 0, of 0")
        );
        assert!(fault(&[x.clone(), projection(0, "p")], &[column(1)], &[]).contains("which is projected"));
        assert!(fault(&[x.clone(), projection(1, "p")], &[], &[]).contains("which cannot be"));
        assert!(fault(&[x.clone(), projection(2, "p")], &[], &[]).contains("which cannot be"));
    }

    #[test]
    fn the_depth_is_limited() {
        let chain = |length: u32| -> Vec<_> {
            (0..length).map(|id| field(id.checked_sub(1), Role::Record, "x")).collect()
        };
        assert!(build(&chain(256), &[], &[]).is_ok());
        let error = build(&chain(100_000), &[], &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn an_impossible_width_says_where() {
        let mut narrow = column(2);
        narrow.bits = 31;
        let error = build(&event(), &[narrow], &[]).unwrap_err();
        assert_eq!(error.to_string(), "column 0 (muons._0.pt): a width that cannot be");
    }

    #[test]
    fn one_unknown_column_hides_its_tree_and_every_projection_of_it() {
        let mut unknown = column(3);
        unknown.type_code = 0x42;
        let mut fields = event();
        // A projection of the projection, and one that reaches the tree through its alias column only.
        fields.push(projection(6, "again"));
        fields.push(projection(4, "sideways"));
        let schema = build(&fields, &[column(2), unknown], &[alias(0, 6), alias(0, 9)]).unwrap();
        assert_eq!(schema.top_level(), [FieldId(4)]);
        let hidden: Vec<_> = schema.hidden().iter().map(|h| (h.field.0, &*h.name, &*h.reason)).collect();
        assert_eq!(
            hidden,
            [
                (0, "muons", "column 1 (muons._0.eta) has the unknown type 0x42"),
                (6, "pt", "it is a projection of muons, which is hidden"),
                (8, "again", "it is a projection of pt, which is hidden"),
                (9, "sideways", "it is a projection of muons, which is hidden"),
            ]
        );
        assert_eq!(schema.top_level_named("pt"), None);
        assert_eq!(schema.find("muons._0.pt"), None);
        assert_eq!(schema.find("met.pt"), Some(FieldId(5)));
        assert_eq!(schema.path(FieldId(2)), "muons._0.pt");
    }

    #[test]
    fn unknown_roles_and_versions_hide_their_trees() {
        let mut fields = event();
        fields[5].field_version = 1;
        fields[1].role = Role::Unknown(5);
        let schema = build(&fields, &[], &[]).unwrap();
        let reasons: Vec<_> = schema.hidden().iter().map(|hidden| &*hidden.reason).collect();
        assert_eq!(
            reasons,
            [
                "muons._0 has the unknown role 5",
                "met.pt has version 1 of the layout, 0 is known",
                "it is a projection of muons, which is hidden",
            ]
        );
        assert!(schema.top_level().is_empty());
    }

    #[test]
    fn projections_in_a_circle_are_no_trouble() {
        let fields = [projection(1, "a"), projection(0, "b"), projection(2, "c")];
        assert!(build(&fields, &[], &[]).is_err());
        assert_eq!(build(&fields[..2], &[], &[]).unwrap().top_level().len(), 2);
    }

    prop_compose! {
        /// A field whose ids are yet to be made sound.
        fn any_field()(
            name in 0u32..4,
            parent in option::of(any::<u32>()),
            source in option::weighted(0.2, any::<u32>()),
            role in prop_oneof![19 => 0u16..5, 1 => Just(5)],
            version in prop_oneof![19 => Just(0), 1 => Just(1)],
        ) -> FieldDescriptor {
            let mut field = field(parent, Role::from_code(role), &format!("f{name}"));
            (field.field_version, field.projection_source) = (version, source.map(FieldId));
            field
        }
    }

    /// The id of one of the fields that are projected, or that are not.
    fn pick(fields: &[FieldDescriptor], is_projected: bool, number: u32) -> Option<u32> {
        let has_kind = |field: &FieldDescriptor| field.projection_source.is_some() == is_projected;
        let ids: Vec<u32> =
            (0..).zip(fields).filter(|(_, field)| has_kind(field)).map(|(id, _)| id).collect();
        ids.get(number as usize % ids.len().max(1)).copied()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn indexes_are_what_a_search_would_find(
            mut fields in vec(any_field(), 1..12),
            columns in vec((any::<u32>(), prop_oneof![9 => Just(0x18), 1 => Just(0x42)]), 0..12),
            aliases in vec(any::<(u32, u32)>(), 0..6),
            has_representations: bool,
        ) {
            let count = u32::try_from(fields.len()).unwrap();
            for (id, field) in (0..).zip(&mut fields) {
                field.parent = field.parent.filter(|_| id > 0).map(|parent| FieldId(parent.0 % id.max(1)));
                let source = field.projection_source.map(|source| FieldId(source.0 % count));
                field.projection_source = source.filter(|source| source.0 != id);
            }
            let mut own = vec![0; fields.len()];
            let sound = |(number, type_code)| {
                let mut column = column(pick(&fields, false, number)?);
                let seen: &mut u16 = &mut own[column.field.index()];
                column.representation = if has_representations { *seen } else { 0 };
                (column.type_code, *seen) = (type_code, *seen + 1);
                Some(column)
            };
            let columns: Vec<_> = columns.into_iter().filter_map(sound).collect();
            let sound = |(column, number): (u32, u32)| {
                let column = column.checked_rem(u32::try_from(columns.len()).ok()?)?;
                // An alias column alone is a whole representation only where the source has one column.
                let is_whole = own[columns[column as usize].field.index()] == 1 || has_representations;
                pick(&fields, true, number).filter(|_| is_whole).map(|field| alias(column, field))
            };
            let aliases: Vec<_> = aliases.into_iter().filter_map(sound).collect();
            let schema = build(&fields, &columns, &aliases).unwrap();

            let hidden: Vec<_> = schema.hidden().iter().map(|hidden| hidden.field).collect();
            let below = |parent| {
                let is_child = |(id, field): &(FieldId, &FieldDescriptor)| {
                    field.parent == parent && !hidden.contains(id)
                };
                schema.fields().filter(is_child).map(|(id, _)| id).collect::<Vec<_>>()
            };
            let root = |mut id: FieldId| {
                while let Some(parent) = fields[id.index()].parent {
                    id = parent;
                }
                id
            };
            prop_assert_eq!(schema.top_level(), below(None));
            for (id, field) in schema.fields() {
                prop_assert_eq!(schema.children(id), below(Some(id)));
                let siblings = field.parent.map_or(schema.top_level(), |parent| schema.children(parent));
                let first = siblings.iter().find(|id| fields[id.index()].name == field.name).copied();
                let found = match field.parent {
                    None => schema.top_level_named(&field.name),
                    Some(parent) => schema.child_named(parent, &field.name),
                };
                prop_assert_eq!(found, first);
                // What cannot be read is under a hidden field.
                let is_unknown = field.field_version > 0 || matches!(field.role, Role::Unknown(_));
                let is_view = field.projection_source.is_some_and(|source| hidden.contains(&root(source)));
                prop_assert!(!(is_unknown || is_view) || hidden.contains(&root(id)));
                let listed = schema.representations(id).iter().flatten().count();
                let views = aliases.iter().filter(|alias| alias.field == id).count();
                prop_assert_eq!(listed, usize::from(own[id.index()]) + views);
            }
            for (id, column) in schema.columns() {
                prop_assert_eq!(schema.field_of(id), Some(column.field));
                let list = &schema.representations(column.field)[usize::from(column.representation)];
                prop_assert!(list.contains(&id));
                prop_assert!(column.type_code == 0x18 || hidden.contains(&root(column.field)));
            }
        }
    }
}
