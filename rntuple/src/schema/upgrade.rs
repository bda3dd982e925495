//! Schemas from before version 1 as version 1 would have them (format: legacy, sections 7 and 8), so that nothing
//! that looks at a schema has to know of older ones.
//!
//! | before | made of it |
//! | --- | --- |
//! | old numbers of column types, integers whose sign only their field knows | those of version 1, or one of its own |
//! | `ROOT::RVec<Float_t>`, `tuple<int,string>`, `ROOT::Experimental::RNTupleCardinality` | the normal names |
//! | projections that are known by their alias columns alone | projections that say of what |
//! | collections around several members | the record `_0` between them |
//! | fields level by level, members of tuples backwards | each field in front of its members, these in order |

use super::groups::Groups;
use super::numbered::numbered;
use super::spelling::{normalize, split_template};
use super::{FieldDescriptor, FieldId, Records, Role};
use crate::encoding::ColumnType as C;
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;

/// The name that version 1 gave to the class of collection sizes, and the one before.
const CARDINALITY: &str = "ROOT::RNTupleCardinality";
const OLD_CARDINALITY: &str = "ROOT::Experimental::RNTupleCardinality";

impl Records {
    /// Makes of the records of an older generation those of version 1. What contradicts itself is left as it is:
    /// [`Schema::build`](super::Schema::build) finds it.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a column type that the generation does not have.
    pub(crate) fn upgrade(&mut self, format_version: FormatVersion) -> Result<()> {
        if !format_version.is_pre_release() {
            return Ok(());
        }
        self.fields.iter_mut().for_each(respell);
        if format_version < FormatVersion::Rc21 {
            // References, which were planned, had the number that streamed objects have now.
            for field in self.fields.iter_mut().filter(|field| field.role == Role::Streamer) {
                field.role = Role::Unknown(field.role.code());
            }
        }
        for (number, column) in self.columns.iter_mut().enumerate() {
            let type_name = self.fields.get(column.field.index()).map_or("", |field| &field.type_name);
            let Some(column_type) = column_type(format_version, column.type_code, type_name) else {
                let message = format!("{format_version} has no column type {}", column.type_code);
                return Err(Error::unsupported(message).in_column(number as u64));
            };
            column.set_type(column_type);
        }
        self.name_sources();
        self.arrange();
        Ok(())
    }

    /// Projections of rc1.x and rc2.0 are known by having alias columns, and by having no others.
    fn name_sources(&mut self) {
        let mut has_columns = vec![false; self.fields.len()];
        for column in &self.columns {
            if let Some(has_columns) = has_columns.get_mut(column.field.index()) {
                *has_columns = true;
            }
        }
        for alias in &self.alias_columns {
            let source = self.columns.get(alias.physical.index()).map(|column| column.field);
            let is_projected = has_columns.get(alias.field.index()).is_some_and(|has_columns| !has_columns);
            if let Some(field) = self.fields.get_mut(alias.field.index()).filter(|_| is_projected) {
                field.projection_source = field.projection_source.or(source);
            }
        }
    }

    /// Puts the fields in the order of version 1, those of the header still in front, and adds the records that
    /// untyped collections of several members lack.
    fn arrange(&mut self) {
        let slot = |parent: Option<FieldId>| parent.map_or(0, |parent| parent.index() + 1);
        if numbered(&self.fields).any(|(id, field)| field.parent.is_some_and(|parent| parent >= id)) {
            return;
        }
        let pairs = numbered(&self.fields).map(|(id, field)| (slot(field.parent), id));
        let children = Groups::new(self.fields.len() + 1, pairs);

        // Each field in front of its children; a collection that needs a record stands for both.
        let mut order = Vec::with_capacity(self.fields.len());
        let mut to_come: Vec<FieldId> = children.get(0).iter().rev().copied().collect();
        while let Some(id) = to_come.pop() {
            let Some(field) = self.fields.get(id.index()) else { continue };
            let members = self.in_order(field, children.get(slot(Some(id))));
            order.push((id, lacks_record(field, &members, &self.fields)));
            to_come.extend(members.into_iter().rev());
        }
        let is_header = |id: FieldId| id.index() < self.header_fields;
        order.sort_by_key(|(id, _)| !is_header(*id));

        // Where each field is now, and which one its children are in.
        let mut places = vec![(FieldId(u32::MAX), FieldId(u32::MAX)); self.fields.len()];
        let (mut next, mut header_fields) = (0u32, 0);
        for &(id, needs_record) in &order {
            // More than 32 bits can count are refused with the schema.
            let own = next;
            next = next.saturating_add(1 + u32::from(needs_record));
            if let Some(place) = places.get_mut(id.index()) {
                *place = (FieldId(own), FieldId(next.saturating_sub(1)));
            }
            if is_header(id) {
                header_fields = next as usize;
            }
        }
        let nowhere = (FieldId(u32::MAX), FieldId(u32::MAX));
        let place = |id: FieldId| places.get(id.index()).copied().unwrap_or(nowhere);
        let mut arranged = Vec::with_capacity(next as usize);
        for (id, needs_record) in order {
            let Some(field) = self.fields.get_mut(id.index()) else { continue };
            let mut field = std::mem::replace(field, FieldDescriptor::new(None, Role::Plain, "", ""));
            field.parent = field.parent.map(|parent| place(parent).1);
            field.projection_source = field.projection_source.map(|source| place(source).0);
            arranged.push(field);
            if needs_record {
                arranged.push(FieldDescriptor::new(Some(place(id).0), Role::Record, "_0", ""));
            }
        }
        self.columns.iter_mut().for_each(|column| column.field = place(column.field).0);
        self.alias_columns.iter_mut().for_each(|alias| alias.field = place(alias.field).0);
        (self.fields, self.header_fields) = (arranged, header_fields);
    }

    /// The members of a field. rc1.0 lists those of a tuple backwards: `_1`, `_0`.
    fn in_order(&self, field: &FieldDescriptor, members: &[FieldId]) -> Vec<FieldId> {
        let mut members = members.to_vec();
        let number = |id: &FieldId| {
            let name = self.fields.get(id.index()).map_or("", |field| &field.name);
            name.strip_prefix('_').and_then(|number| number.parse::<u32>().ok())
        };
        let is_tuple = split_template(&field.type_name)
            .is_some_and(|(template, _)| matches!(template, "std::tuple" | "std::pair"));
        if is_tuple && members.iter().all(|id| number(id).is_some()) {
            members.sort_by_key(number);
        }
        members
    }
}

/// Whether the items of a collection are its children together, and not the one child.
fn lacks_record(field: &FieldDescriptor, members: &[FieldId], fields: &[FieldDescriptor]) -> bool {
    let is_item = |id: &FieldId| fields.get(id.index()).is_some_and(|field| field.name == "_0");
    let has_item = matches!(members, [item] if is_item(item));
    field.role == Role::Collection && field.type_name.is_empty() && !members.is_empty() && !has_item
}

/// Gives a field the type name of version 1; the one that it had becomes its alias.
fn respell(field: &mut FieldDescriptor) {
    let normal = match field.type_name.strip_prefix(OLD_CARDINALITY) {
        // Sizes had 32 bits when they were not said.
        Some("") => format!("{CARDINALITY}<std::uint32_t>"),
        Some(arguments) => normalize(&format!("{CARDINALITY}{arguments}")),
        None => normalize(&field.type_name),
    };
    let old = std::mem::replace(&mut field.type_name, normal);
    if old != field.type_name && field.type_alias.is_empty() {
        field.type_alias = old;
    }
}

/// The column type that a number stands for (format: legacy, section 7).
fn column_type(format_version: FormatVersion, code: u16, type_name: &str) -> Option<C> {
    // Before rc1.2 only the field knows whether an integer has a sign.
    let says_sign = format_version >= FormatVersion::Rc12;
    let is_unsigned =
        matches!(type_name, "std::uint64_t" | "std::uint32_t" | "std::uint16_t" | "std::uint8_t");
    let integer = |unsigned, signed| if says_sign || is_unsigned { unsigned } else { signed };
    Some(match code {
        1 => C::Index64,
        2 => C::Index32,
        3 => match format_version {
            FormatVersion::Rc10 => C::HalvedSwitch,
            FormatVersion::Rc11 | FormatVersion::Rc12 => C::PackedSwitch,
            _ => C::Switch,
        },
        4 => C::Byte,
        5 => C::Char,
        6 => C::Bit,
        7 => C::Real64,
        8 => C::Real32,
        9 => C::Real16,
        10 => integer(C::UInt64, C::Int64),
        11 => integer(C::UInt32, C::Int32),
        12 => integer(C::UInt16, C::Int16),
        13 => integer(C::UInt8, C::Int8),
        14 => C::SplitIndex64,
        15 => C::SplitIndex32,
        16 => C::SplitReal64,
        17 => C::SplitReal32,
        18 => C::SplitReal16,
        19 => integer(C::SplitUInt64, C::RawSplitInt64),
        20 => integer(C::SplitUInt32, C::RawSplitInt32),
        21 => integer(C::SplitUInt16, C::RawSplitInt16),
        22 if says_sign => C::Int64,
        23 if says_sign => C::Int32,
        24 if says_sign => C::Int16,
        25 if says_sign => C::Int8,
        26 if says_sign => C::SplitInt64,
        27 if says_sign => C::SplitInt32,
        28 if says_sign => C::SplitInt16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::schema::{AliasColumn, ColumnDescriptor, ColumnId, Schema, is_known_column};

    fn field(parent: Option<u32>, role: Role, name: &str, ty: &str) -> FieldDescriptor {
        FieldDescriptor::new(parent.map(FieldId), role, name, ty)
    }

    fn upgraded(
        format_version: FormatVersion,
        fields: Vec<FieldDescriptor>,
        columns: &[(u16, u16, u32)],
        aliases: &[(u32, u32)],
    ) -> Result<Schema> {
        let column =
            |(code, bits, field): &(u16, u16, u32)| ColumnDescriptor::new(*code, *bits, FieldId(*field));
        let alias = |(column, field): &(u32, u32)| AliasColumn::new(ColumnId(*column), FieldId(*field));
        let mut records = Records {
            header_fields: fields.len(),
            fields,
            columns: columns.iter().map(column).collect(),
            alias_columns: aliases.iter().map(alias).collect(),
        };
        records.upgrade(format_version)?;
        Schema::build(records.fields, records.columns, records.alias_columns, vec![], &is_known_column)
    }

    fn paths(schema: &Schema) -> Vec<String> {
        schema.fields().map(|(id, _)| schema.path(id)).collect()
    }

    /// As the importer of trees wrote it: `_collection0` around two members, one of them projected, and the size.
    fn imported() -> Vec<FieldDescriptor> {
        vec![
            field(None, Role::Collection, "_collection0", ""),
            field(None, Role::Collection, "pt", "ROOT::RVec<Float_t>"),
            field(None, Role::Plain, "n", "ROOT::Experimental::RNTupleCardinality"),
            field(Some(0), Role::Plain, "pt", "float"),
            field(Some(0), Role::Plain, "charge", "std::int32_t"),
            field(Some(1), Role::Plain, "_0", "float"),
        ]
    }

    #[test]
    fn collections_of_members_get_a_record_and_projections_their_sources() {
        let columns = [(2, 32, 0), (8, 32, 3), (11, 32, 4)];
        let aliases = [(0, 1), (1, 5), (0, 2)];
        let schema = upgraded(FormatVersion::Rc11, imported(), &columns, &aliases).unwrap();
        assert_eq!(
            paths(&schema),
            [
                "_collection0",
                "_collection0._0",
                "_collection0._0.pt",
                "_collection0._0.charge",
                "pt",
                "pt._0",
                "n"
            ]
        );
        let source = |path: &str| {
            let source = schema.field(schema.find(path)?)?.projection_source?;
            Some(schema.path(source))
        };
        assert_eq!(source("pt").as_deref(), Some("_collection0"));
        assert_eq!(source("pt._0").as_deref(), Some("_collection0._0.pt"));
        assert_eq!(source("n").as_deref(), Some("_collection0"));
        assert_eq!(source("_collection0"), None);
        let named = |path: &str| {
            let field = schema.field(schema.find(path).unwrap()).unwrap();
            (field.type_name.clone(), field.type_alias.clone())
        };
        assert_eq!(named("pt"), ("ROOT::VecOps::RVec<float>".into(), "ROOT::RVec<Float_t>".into()));
        assert_eq!(named("n").0, "ROOT::RNTupleCardinality<std::uint32_t>");
        assert_eq!(schema.column(ColumnId(2)).unwrap().column_type(), Some(C::Int32));
    }

    #[test]
    fn one_child_is_a_member_unless_it_is_the_item() {
        for (name, paths_wanted) in [("pt", &["c", "c._0", "c._0.pt"][..]), ("_0", &["c", "c._0"])] {
            let fields =
                vec![field(None, Role::Collection, "c", ""), field(Some(0), Role::Plain, name, "float")];
            let schema = upgraded(FormatVersion::Rc20, fields, &[(1, 64, 0), (8, 32, 1)], &[]).unwrap();
            assert_eq!(paths(&schema), paths_wanted);
        }
    }

    #[test]
    fn tuples_are_put_in_order() {
        let fields = vec![
            field(None, Role::Record, "t", "tuple<int,string>"),
            field(None, Role::Record, "class", "Reversed"),
            field(Some(0), Role::Plain, "_1", "std::string"),
            field(Some(0), Role::Plain, "_0", "std::int32_t"),
            field(Some(1), Role::Plain, "_1", "float"),
            field(Some(1), Role::Plain, "_0", "float"),
        ];
        let columns = [(2, 32, 2), (5, 8, 2), (11, 32, 3), (8, 32, 4), (8, 32, 5)];
        let schema = upgraded(FormatVersion::Rc10, fields, &columns, &[]).unwrap();
        assert_eq!(paths(&schema), ["t", "t._0", "t._1", "class", "class._1", "class._0"]);
        let tuple = schema.find("t").unwrap();
        assert_eq!(schema.field(tuple).unwrap().type_name, "std::tuple<std::int32_t,std::string>");
        assert_eq!(schema.representations(schema.find("t._1").unwrap()), [[ColumnId(0), ColumnId(1)]]);
    }

    #[test]
    fn fields_of_the_extension_stay_behind() {
        let mut records = Records {
            fields: vec![
                field(None, Role::Collection, "c", ""),
                field(None, Role::Plain, "x", "float"),
                field(Some(0), Role::Plain, "late", "float"),
            ],
            header_fields: 2,
            ..Records::default()
        };
        records.upgrade(FormatVersion::Rc12).unwrap();
        let names: Vec<_> = records.fields.iter().map(|field| (&*field.name, field.parent)).collect();
        assert_eq!(names, [("c", None), ("_0", Some(FieldId(0))), ("x", None), ("late", Some(FieldId(1)))]);
        assert_eq!(records.header_fields, 3);
    }

    #[test]
    fn signs_are_those_of_the_field_or_of_the_column() {
        assert_eq!(column_type(FormatVersion::Rc10, 11, "std::int32_t"), Some(C::Int32));
        assert_eq!(column_type(FormatVersion::Rc11, 11, "std::uint32_t"), Some(C::UInt32));
        assert_eq!(column_type(FormatVersion::Rc11, 20, "std::int32_t"), Some(C::RawSplitInt32));
        assert_eq!(column_type(FormatVersion::Rc11, 19, "std::uint64_t"), Some(C::SplitUInt64));
        assert_eq!(column_type(FormatVersion::Rc12, 20, "std::int32_t"), Some(C::SplitUInt32));
        assert_eq!(column_type(FormatVersion::Rc12, 27, "std::int32_t"), Some(C::SplitInt32));
        assert_eq!(column_type(FormatVersion::Rc10, 3, ""), Some(C::HalvedSwitch));
        assert_eq!(column_type(FormatVersion::Rc12, 3, ""), Some(C::PackedSwitch));
        assert_eq!(column_type(FormatVersion::Rc20, 3, ""), Some(C::Switch));
        for format_version in FormatVersion::ALL {
            assert!([0, 29, u16::MAX].iter().all(|code| column_type(format_version, *code, "").is_none()));
        }
        assert!((22..29).all(|code| column_type(FormatVersion::Rc11, code, "").is_none()));
    }

    prop_compose! {
        fn any_field()(
            parent in option::of(0u32..9),
            role in 0u16..6,
            name in select(vec!["", "_0", "_1", "_x", "pt"]),
            ty in select(vec!["", "float", "tuple<int,int>", "std::pair<int>", "ROOT::Experimental::RNTupleCardinality"]),
            source in option::of(0u32..9),
        ) -> FieldDescriptor {
            let mut field = field(parent, Role::from_code(role), name, ty);
            field.projection_source = source.map(FieldId);
            field
        }
    }

    proptest! {
        /// Whatever the records are, none is lost, and all but the new ones are what they were.
        #[test]
        fn no_records_are_too_strange(
            fields in vec(any_field(), 0..8),
            columns in vec((0u16..30, 0u16..70, 0u32..9), 0..6),
            aliases in vec((0u32..7, 0u32..9), 0..5),
            header_fields in 0usize..9,
            format_version in 0usize..5,
        ) {
            let format_version = FormatVersion::ALL[format_version];
            let header_fields = header_fields.min(fields.len());
            let column = |(code, bits, field)| ColumnDescriptor::new(code, bits, FieldId(field));
            let alias = |(column, field)| AliasColumn::new(ColumnId(column), FieldId(field));
            let mut records = Records {
                fields: fields.clone(),
                columns: columns.into_iter().map(column).collect(),
                alias_columns: aliases.into_iter().map(alias).collect(),
                header_fields,
            };
            if records.upgrade(format_version).is_ok() {
                let added = records.fields.len() - fields.len();
                prop_assert!(added <= fields.len());
                prop_assert!((header_fields..=header_fields * 2).contains(&records.header_fields));
                let names = |fields: &[FieldDescriptor]| {
                    let mut names: Vec<_> = fields.iter().map(|field| field.name.clone()).collect();
                    names.sort();
                    names
                };
                let mut wanted = names(&fields);
                wanted.extend(vec!["_0".to_owned(); added]);
                wanted.sort();
                prop_assert_eq!(names(&records.fields), wanted);
                let Records { fields, columns, alias_columns, .. } = records;
                let _ = Schema::build(fields, columns, alias_columns, vec![], &is_known_column);
            }
        }
    }

    #[test]
    fn what_cannot_be_stays_for_the_schema_to_refuse() {
        // A parent behind its child, columns and aliases of no field.
        let fields = vec![field(Some(1), Role::Plain, "a", "float"), field(None, Role::Record, "b", "")];
        assert!(upgraded(FormatVersion::Rc10, fields, &[], &[]).is_err());
        // Were the ids left as they are, the record that is added would have this column.
        assert!(upgraded(FormatVersion::Rc11, imported(), &[(8, 32, 6)], &[]).is_err());
        let error = upgraded(FormatVersion::Rc20, imported(), &[(29, 32, 3)], &[]).unwrap_err();
        assert_eq!(error.to_string(), "column 0: pre-release rc2.0 has no column type 29");
    }
}
