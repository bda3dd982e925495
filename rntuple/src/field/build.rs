//! The schema of a type, built in the same pass as its columns, so that they cannot disagree.

use std::collections::HashSet;
use std::sync::Arc;

use super::adopt::{Adoption, Existing};
use super::lanes::{Choice, Lane, Planned, arrange};
use super::views::{Projection, add_views, alias_columns};
use crate::cluster::LaneId;
use crate::column::{Alternatives, ColumnSink, ColumnWriter};
use crate::compression::Compression;
use crate::encoding::{ColumnEncoding, ColumnType, Element, Index};
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};
use crate::message::nearest;
use crate::schema::{
    AliasColumn, ColumnDescriptor, FieldDescriptor, FieldId, Role, SchemaBuilder, TypeName, check_new_name,
    double32_alias, enumerators, normalize, path as path_of, seal_classes,
};

/// A schema under construction.
pub(crate) struct Plan {
    fields: Vec<FieldDescriptor>,
    /// By column writer.
    lanes: Vec<Planned>,
    /// Fields that have several representations.
    choices: Vec<Choice>,
    projections: Vec<Projection>,
    sink: Arc<ColumnSink>,
    /// What nobody asked for otherwise.
    compression: Compression,
    /// Encodings asked for, by path.
    encodings: Vec<Wish>,
    /// Compression asked for in the options.
    compression_wishes: Vec<CompressionWish>,
    /// Fields below which C++ sees `Double32_t`, and whether there was a `double`.
    doubles: Vec<(String, bool)>,
    names: HashSet<(Option<FieldId>, String)>,
    faults: Vec<Error>,
    /// What was there before: its fields and columns are not this plan's.
    before: Before,
    /// The columns are those of a file, which are to be filled on.
    adoption: Option<Adoption>,
    /// The fields of an entry whose type does not say them.
    values: Option<Arc<SchemaBuilder>>,
    /// Its columns are for trials.
    is_trial: bool,
    /// Its columns pack any value, whatever is asked for.
    packs_any: bool,
}

discards!(Plan);

/// The schema that a plan goes on with.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// All of its fields.
    pub(crate) fields: Vec<FieldDescriptor>,
    /// All of its columns.
    pub(crate) columns: Vec<ColumnDescriptor>,
    /// How many column writers fill them.
    pub(crate) lanes: usize,
    /// Entries that were written without the new columns.
    pub(crate) entries: u64,
}

/// An encoding that somebody asked for.
struct Wish {
    path: String,
    /// One for each representation.
    packings: Vec<ColumnEncoding>,
    /// Whoever writes has the last word, before the type that is written.
    is_option: bool,
    granted: bool,
}

impl Wish {
    /// As it is told where it cannot be granted.
    fn spelled(&self) -> String {
        spelled(&self.packings)
    }

    /// What cannot be, whatever the column.
    fn check(&self) -> Result<()> {
        for (position, packing) in self.packings.iter().enumerate() {
            ColumnEncoding::checked(packing.column_type(), packing.bits(), packing.range())?;
            if self.packings.iter().take(position).any(|earlier| earlier == packing) {
                return Err(Error::invalid_argument(format!("{packing} is given twice as a representation")));
            }
        }
        match self.packings.len() {
            0 => Err(Error::invalid_argument("a field needs at least one representation")),
            count if u16::try_from(count).is_err() => Err(Error::limit(format!(
                "{count} representations are too many, a field has at most {}",
                u16::MAX
            ))),
            _ => Ok(()),
        }
    }
}

/// Compression that whoever writes asked for.
struct CompressionWish {
    path: String,
    settings: Compression,
    granted: bool,
}

/// A finished plan.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) fields: Vec<FieldDescriptor>,
    pub(crate) columns: Vec<ColumnDescriptor>,
    /// The columns of projected fields.
    pub(crate) alias_columns: Vec<AliasColumn>,
    /// By column writer: the columns that it fills.
    pub(crate) lanes: Vec<Lane>,
    /// By column writer: how its pages are compressed.
    pub(crate) compressions: Vec<Compression>,
    /// Fields that have several representations.
    pub(crate) choices: Vec<Choice>,
}

impl Records {
    /// Whether a value may be refused.
    pub(crate) fn are_choosy(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.type_code == ColumnType::Real32Quant as u16)
    }
}

impl Plan {
    /// What its columns do with their pages.
    pub(crate) fn sink(&self) -> &Arc<ColumnSink> {
        &self.sink
    }

    /// `encodings` and `compressions` are wishes by path: `("muons._0.pt", ..)`.
    pub(crate) fn new(
        sink: Arc<ColumnSink>,
        compression: Compression,
        encodings: &[(String, Vec<ColumnEncoding>)],
        compressions: &[(String, Compression)],
    ) -> Self {
        let compression_wish = |(path, settings): &(String, Compression)| CompressionWish {
            path: path.clone(),
            settings: *settings,
            granted: false,
        };
        let wish = |(path, packings): &(String, Vec<ColumnEncoding>)| Wish {
            path: path.clone(),
            packings: packings.clone(),
            is_option: true,
            granted: false,
        };
        Self {
            fields: Vec::new(),
            lanes: Vec::new(),
            choices: Vec::new(),
            projections: Vec::new(),
            sink,
            compression,
            encodings: encodings.iter().map(wish).collect(),
            compression_wishes: compressions.iter().map(compression_wish).collect(),
            doubles: Vec::new(),
            names: HashSet::new(),
            faults: Vec::new(),
            before: Before::default(),
            adoption: None,
            values: None,
            is_trial: false,
            packs_any: false,
        }
    }

    /// Declares once more what was declared with these choices: columns in which entries are tried out before they go
    /// into those that keep them.
    pub(crate) fn for_trial(mut self, choices: Vec<Choice>) -> Self {
        (self.choices, self.is_trial) = (choices, true);
        self
    }

    /// The same where no column refuses a value: a type may ask for a range, and the columns that keep its entries have
    /// none, because the options or the file have the last word.
    pub(crate) fn for_trial_of_any(self) -> Self {
        let mut plan = self.for_trial(Vec::new());
        plan.packs_any = true;
        plan
    }

    /// Entries of the type [`Value`](crate::Value) have these fields. No others do.
    pub(crate) fn with_values(mut self, schema: Option<Arc<SchemaBuilder>>) -> Self {
        self.values = schema;
        self
    }

    /// Goes on with the columns of a schema that is there, instead of making its own.
    pub(crate) fn adopting(mut self, existing: Arc<Existing>) -> Self {
        self.adoption = Some(Adoption::new(existing));
        self
    }

    /// As [`finish`](Self::finish): all fields and columns of the file, and the lanes that fill some of them.
    ///
    /// # Errors
    /// The type is not the file's: all differences.
    pub(crate) fn finish_adopting(mut self) -> Result<Records> {
        let Some(adoption) = self.adoption.take() else {
            return Err(Error::invalid_argument("there is no schema to adopt"));
        };
        let (fields, columns) = adoption.records();
        let own = self.finish()?;
        let lanes = adoption.finish(&own.fields)?;
        let Records { compressions, choices, .. } = own;
        Ok(Records { fields, columns, alias_columns: Vec::new(), lanes, compressions, choices })
    }

    /// Adds to a schema that is there: ids go on where its own end, and its top-level names are taken.
    pub(crate) fn continuing(mut self, mut before: Before) -> Self {
        self.fields = std::mem::take(&mut before.fields);
        self.names = self.fields.iter().map(|field| (field.parent, field.name.clone())).collect();
        before.fields = self.fields.clone();
        self.before = before;
        self
    }

    /// The builder of the entry itself, whose members are the top-level fields.
    pub(crate) fn root(&mut self) -> FieldBuilder<'_> {
        let compression = self.compression;
        FieldBuilder {
            plan: self,
            id: None,
            compression,
            compression_is_option: false,
            parent_is_untyped: true,
            double32: None,
            said: Hidden::new(Said::default()),
        }
    }

    /// The compression asked for in the options for the field at `path` itself: the last word on it.
    fn compression_of(&mut self, path: &str) -> Option<Compression> {
        let mut settings = None;
        for wish in self.compression_wishes.iter_mut().filter(|wish| wish.path == path) {
            wish.granted = true;
            settings = Some(wish.settings);
        }
        settings
    }

    /// Refuses what is asked for a field; or says that there is no such field.
    #[cold]
    fn refuse(&self, path: &str, message: impl FnOnce() -> String) -> Error {
        let paths: Vec<String> =
            (0..).map(FieldId).zip(&self.fields).map(|(id, _)| path_of(&self.fields, id)).collect();
        if paths.iter().any(|known| known == path) {
            return Error::invalid_argument(message()).in_field(path);
        }
        let message = match nearest(path, paths.iter().map(|path| &**path)) {
            Some(near) => format!("no such field; did you mean {near:?}?"),
            None => "no such field".to_owned(),
        };
        Error::invalid_argument(message).in_field(path)
    }

    /// The finished lists.
    ///
    /// # Errors
    /// The first name, encoding or compression that cannot be.
    pub(crate) fn finish(mut self) -> Result<Records> {
        for wish in &self.encodings {
            if let Err(error) = wish.check() {
                self.faults.push(error.in_field(&*wish.path));
            }
        }
        if let Some(wish) = self.encodings.iter().find(|wish| !wish.granted) {
            let message = || format!("the field has no column that can be stored as {}", wish.spelled());
            self.faults.push(self.refuse(&wish.path, message));
        }
        if let Some(wish) = self.compression_wishes.iter().find(|wish| !wish.granted) {
            let message = || format!("the compression of the field cannot become {}", wish.settings);
            self.faults.push(self.refuse(&wish.path, message));
        }
        if let Some((path, _)) = self.doubles.iter().find(|(_, granted)| !granted) {
            let message = "there is no `double` here that C++ could see as a `Double32_t`";
            self.faults.push(Error::invalid_argument(message).in_field(&**path));
        }
        if self.values.is_some() {
            let message = "the options have a schema, which only entries of the type `Value` take";
            self.faults.push(Error::invalid_argument(message));
        }
        if let Some(fault) = self.faults.into_iter().next() {
            return Err(fault);
        }
        let known = self.before.fields.len();
        if self.fields.len() == known {
            return Err(Error::invalid_argument("an entry without members cannot be stored"));
        }
        if self.lanes.is_empty() {
            return Err(Error::invalid_argument("an entry without any column cannot be stored"));
        }
        let views = add_views(&mut self.fields, &self.projections)?;
        seal_classes(&mut self.fields)?;
        if let Some(choice) = self.choices.first().filter(|_| known > 0) {
            let message = "fields that are added later can have only one representation";
            return Err(Error::invalid_argument(message).in_field(&*choice.path));
        }
        let (mut columns, lanes) = arrange(self.before.columns.len(), &self.lanes, &self.choices)?;
        defer(&self.fields, &mut columns, self.before.entries)?;
        let alias_columns = alias_columns(&views, self.before.columns.iter().chain(&columns));
        let compressions = self.lanes.iter().map(|lane| lane.compression).collect();
        let fields = self.fields.split_off(known);
        Ok(Records { fields, columns, alias_columns, lanes, compressions, choices: self.choices })
    }
}

/// One field of a schema under construction: [`WriteField::declare`](super::WriteField::declare) says what
/// it is, in the order: structure, own columns, subfields.
pub struct FieldBuilder<'a> {
    plan: &'a mut Plan,
    /// `None`: the entry itself.
    id: Option<FieldId>,
    /// What is asked for, nearest, for the field and all below.
    compression: Compression,
    /// It stands in the options for this very field, which have the last word.
    compression_is_option: bool,
    parent_is_untyped: bool,
    /// C++ sees each `double` in it as a `Double32_t`: which of the plan's wishes for that is the nearest.
    double32: Option<usize>,
    said: Hidden<Said>,
}

/// What is known of one field, apart: one call drops it.
#[derive(Clone, Default)]
struct Said {
    path: String,
    /// Positions in the plan's list, the nearest last: an encoding asked for a member holds for all below.
    wishes: Vec<usize>,
    /// A struct is flattened into it: this begins the names of its members.
    prefix: Option<String>,
    /// The unit of the values in it.
    unit: Option<String>,
}

discards!(Said);

impl FieldBuilder<'_> {
    /// A leaf, or a wrapper without structure.
    pub fn plain(&mut self, name: &TypeName) {
        self.set(Role::Plain, name);
    }

    /// A collection of items.
    pub fn collection(&mut self, name: &TypeName) {
        self.set(Role::Collection, name);
    }

    /// A record of members.
    pub fn record(&mut self, name: &TypeName) {
        self.set(Role::Record, name);
    }

    /// The same, of the name that `name` returns.
    #[doc(hidden)]
    pub fn record_of(&mut self, name: fn() -> TypeName) {
        self.record(&name());
    }

    /// One of several alternatives.
    pub fn variant(&mut self, name: &TypeName) {
        self.set(Role::Variant, name);
    }

    /// `count` items for each element of the parent.
    pub fn array(&mut self, name: &TypeName, count: usize) {
        if count == 0 {
            self.fault(Error::invalid_argument("an array of no items cannot be stored"));
        }
        self.set(Role::Plain, name);
        if let Some(field) = self.descriptor() {
            field.array_size = Some(count as u64);
        }
    }

    /// A collection, its end offsets, and the field of its items. As `name` is called here, this is compiled once, not for
    /// each type of items.
    pub(super) fn collection_of(
        &mut self,
        name: fn() -> TypeName,
    ) -> (ColumnWriter<Index>, FieldBuilder<'_>) {
        self.collection(&name());
        (self.offsets(), self.item())
    }

    /// An array, and the field of its items.
    pub(super) fn array_of(&mut self, name: fn(usize) -> TypeName, count: usize) -> FieldBuilder<'_> {
        self.array(&name(count), count);
        self.item()
    }

    /// Free text that readers show.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        if let Some(field) = self.descriptor() {
            text.clone_into(&mut field.description);
        }
        self
    }

    /// The names of an enum's variants, after the description.
    #[must_use]
    pub(super) fn variants(mut self, variants: &[(&str, i128)]) -> Self {
        if let Some(field) = self.descriptor() {
            enumerators::add(variants, &mut field.description);
        }
        self
    }

    /// The unit of the values, shown behind the description: `Transverse momentum [GeV]`.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        let own = self.descriptor().and_then(|field| field.unit().map(str::to_owned));
        match own.as_ref().or(self.said.unit.as_ref()) {
            Some(known) if known != unit => {
                let message = format!("the values have the unit {known}, and the unit {unit} too");
                self.fault(Error::invalid_argument(message));
            }
            _ if own.is_some() => {}
            _ => {
                if let Some(field) = self.descriptor() {
                    let gap = if field.description.is_empty() { "" } else { " " };
                    field.description.push_str(&format!("{gap}[{unit}]"));
                }
            }
        }
        self.said.unit = Some(unit.to_owned());
        self
    }

    /// Lets C++ see each `double` of the field as a `Double32_t` (format, section 9.2).
    #[must_use]
    pub fn double32(mut self) -> Self {
        self.double32 = Some(self.plan.doubles.len());
        self.plan.doubles.push((self.said.path.clone(), false));
        self
    }

    /// The same field, to say more about it.
    pub fn again(&mut self) -> FieldBuilder<'_> {
        FieldBuilder {
            plan: self.plan,
            id: self.id,
            compression: self.compression,
            compression_is_option: self.compression_is_option,
            parent_is_untyped: self.parent_is_untyped,
            double32: self.double32,
            said: self.said.clone(),
        }
    }

    /// The same field as the place of a struct's members, whose names begin with `prefix`.
    pub fn flattened(&mut self, prefix: &str) -> FieldBuilder<'_> {
        let mut same = self.again();
        let outer = same.said.prefix.take().unwrap_or_default();
        same.said.prefix = Some(outer + prefix);
        same
    }

    /// The same field as the place of some of its members. A field that others are around has a class of its own, which is
    /// not that of these members.
    pub(super) fn half(&mut self) -> FieldBuilder<'_> {
        if self.id.is_none() { self.again() } else { self.flattened("") }
    }

    /// Asks for another encoding than the default, for the field or whatever below it can have it.
    #[must_use]
    pub fn encoding(self, packing: Result<ColumnEncoding>) -> Self {
        self.representations([packing])
    }

    /// Asks for several encodings of the field, or of whatever below it can have them all: a cluster has one of
    /// them, the first unless [`Writer::use_representation`](crate::Writer::use_representation) says otherwise.
    #[must_use]
    pub fn representations(mut self, packings: impl IntoIterator<Item = Result<ColumnEncoding>>) -> Self {
        match packings.into_iter().collect::<Result<Vec<_>>>() {
            Ok(packings) => {
                // Behind those for the fields above, before an option for this very field.
                let is_own = |&position: &usize| {
                    let wish = self.plan.encodings.get(position);
                    wish.is_some_and(|wish| wish.is_option && wish.path == self.said.path)
                };
                let place = self.said.wishes.iter().position(is_own).unwrap_or(self.said.wishes.len());
                self.said.wishes.insert(place, self.plan.encodings.len());
                let path = self.said.path.clone();
                self.plan.encodings.push(Wish { path, packings, is_option: false, granted: false });
            }
            Err(error) => self.fault(error),
        }
        self
    }

    /// As [`encoding`](Self::encoding), for the field at a path below this one: `"_0._1"`.
    #[must_use]
    pub fn encoding_at(self, path: &str, packing: Result<ColumnEncoding>) -> Self {
        self.representations_at(path, [packing])
    }

    /// As [`representations`](Self::representations), for the field at a path below this one: `"_0._1"`.
    #[must_use]
    pub fn representations_at(
        self,
        path: &str,
        packings: impl IntoIterator<Item = Result<ColumnEncoding>>,
    ) -> Self {
        let path = self.path_of(path);
        match packings.into_iter().collect::<Result<Vec<_>>>() {
            Ok(packings) => {
                self.plan.encodings.push(Wish { path, packings, is_option: false, granted: false });
            }
            Err(error) => self.plan.faults.push(error.in_field(path)),
        }
        self
    }

    /// The path of a field below this one.
    fn path_of(&self, below: &str) -> String {
        let prefix = self.said.prefix.as_deref().unwrap_or_default();
        let dot = if self.said.path.is_empty() { "" } else { "." };
        format!("{}{dot}{prefix}{below}", self.said.path)
    }

    /// Asks for another compression than the writer's, for the field and whatever is below it; the nearest
    /// wish wins.
    ///
    /// ```
    /// use rntuple::Compression;
    /// use rntuple::field::{ColumnWriter, FieldBuilder, WriteField};
    /// use rntuple::schema::TypeName;
    /// # use rntuple::field::{Commit, FieldWriter, Gathered};
    ///
    /// /// An energy, and random bits, which nothing makes smaller.
    /// struct Shot { energy: f32, seed: u64 }
    ///
    /// struct ShotWriter { energy: ColumnWriter<f32>, seed: ColumnWriter<u64> }
    ///
    /// impl WriteField for Shot {
    ///     type Writer = ShotWriter;
    ///
    ///     fn type_name() -> TypeName {
    ///         TypeName::untyped("Shot")
    ///     }
    ///
    ///     fn declare(field: &mut FieldBuilder<'_>) -> ShotWriter {
    ///         field.record(&Self::type_name());
    ///         ShotWriter {
    ///             energy: f32::declare(&mut field.subfield("energy")),
    ///             seed: u64::declare(&mut field.subfield("seed").compression(Compression::NONE)),
    ///         }
    ///     }
    /// }
    /// # impl Commit for ShotWriter {
    /// #     fn commit(&mut self, cluster: &mut Gathered<'_>) {
    /// #         self.energy.commit(cluster);
    /// #         self.seed.commit(cluster);
    /// #     }
    /// # }
    /// # impl FieldWriter<Shot> for ShotWriter {
    /// #     fn append(&mut self, shot: &Shot) -> usize {
    /// #         self.energy.push(shot.energy) + self.seed.push(shot.seed)
    /// #     }
    /// # }
    /// ```
    #[must_use]
    pub fn compression(mut self, settings: Compression) -> Self {
        if !self.compression_is_option {
            self.compression = settings;
        }
        self
    }

    /// The fields of a [`Value`](crate::Value), which only an entry can be: those that the options say, or those of the
    /// file that is continued. `None` if none says them, which is a fault then.
    pub(super) fn values(&mut self) -> Option<Arc<SchemaBuilder>> {
        let message = match (self.id, &self.said.prefix) {
            (None, None) => {
                if let Some(schema) = self.plan.values.take() {
                    return Some(schema);
                }
                match self.plan.adoption.as_ref().map(|adoption| SchemaBuilder::like(adoption.schema())) {
                    Some(Ok(schema)) => return Some(Arc::new(schema)),
                    Some(Err(error)) => {
                        self.fault(error);
                        return None;
                    }
                    None => "entries of the type `Value` need the option `schema`, which says their fields",
                }
            }
            _ => "a `Value` has no type of its own: it can be written as an entry, not as a member",
        };
        self.fault(Error::invalid_argument(message));
        None
    }

    /// A subfield, or for the entry itself a top-level field.
    pub fn subfield(&mut self, name: &str) -> FieldBuilder<'_> {
        let path = self.path_of(name);
        let name = &*match &self.said.prefix {
            Some(prefix) => format!("{prefix}{name}"),
            None => name.to_owned(),
        };
        if let Err(error) = check_new_name(name) {
            self.plan.faults.push(error.in_field(&*path));
        }
        if !self.plan.names.insert((self.id, name.to_owned())) {
            self.plan.faults.push(Error::invalid_argument("two fields have this name").in_field(&*path));
        }
        let parent_is_untyped = match self.descriptor() {
            Some(field) => {
                field.type_name.is_empty() && matches!(field.role, Role::Record | Role::Collection)
            }
            None => true,
        };
        let id = FieldId(u32::try_from(self.plan.fields.len()).unwrap_or(u32::MAX));
        self.plan.fields.push(FieldDescriptor::new(self.id, Role::Plain, name, ""));
        let mut wishes = self.said.wishes.clone();
        // Options behind what the type says.
        for is_option in [false, true] {
            let is_here = |wish: &Wish| wish.is_option == is_option && wish.path == path;
            let here = self.plan.encodings.iter().enumerate().filter(|(_, wish)| is_here(wish));
            wishes.extend(here.map(|(position, _)| position));
        }
        let option = self.plan.compression_of(&path);
        let (double32, unit) = (self.double32, self.said.unit.clone());
        FieldBuilder {
            plan: self.plan,
            id: Some(id),
            compression: option.unwrap_or(self.compression),
            compression_is_option: option.is_some(),
            parent_is_untyped,
            double32,
            said: Hidden::new(Said { path, wishes, prefix: None, unit }),
        }
    }

    /// A view, whose field `declare` says; errors call it `text`.
    pub(super) fn project_as(
        &mut self,
        name: &str,
        text: String,
        source: &str,
        declare: impl FnOnce(&mut FieldBuilder<'_>),
    ) {
        if self.id.is_some() {
            return;
        }
        let prefix = self.said.prefix.as_deref().unwrap_or_default();
        let (name, source) = (format!("{prefix}{name}"), format!("{prefix}{source}"));
        let mut view = Plan::new(self.plan.sink.clone(), Compression::NONE, &[], &[]);
        declare(&mut view.root().subfield(&name));
        self.plan.faults.extend(view.faults);
        if !self.plan.names.insert((None, name.clone())) {
            self.plan.faults.push(Error::invalid_argument("two fields have this name").in_field(name));
        }
        self.plan.projections.push(Projection { text, source, fields: view.fields });
    }

    /// The item of a collection or array: the subfield `_0`.
    pub fn item(&mut self) -> FieldBuilder<'_> {
        self.subfield("_0")
    }

    /// A column of this field, stored by the default of its element type or as somebody asked.
    pub fn column<E: Element>(&mut self) -> ColumnWriter<E> {
        // Split encodings pay only where pages are compressed (format, section 9.1).
        let mut packings = vec![ColumnEncoding::of(E::default_type(!self.compression.is_none()))];
        // The nearest wish wins; those of other element types are for other columns.
        let mut option = None;
        for &position in &self.said.wishes {
            let Some(wish) = self.plan.encodings.get_mut(position) else { continue };
            let suits = |packing: &ColumnEncoding| E::WRITES.contains(&packing.column_type());
            if !wish.packings.is_empty() && wish.packings.iter().all(suits) {
                packings.clone_from(&wish.packings);
                wish.granted = true;
                option = Some(packings.clone()).filter(|_| wish.is_option);
            }
        }
        self.column_of(packings, option, E::NAME, E::WRITES)
    }

    /// Whether bounds of values are kept.
    pub(crate) fn observes(&self) -> bool {
        self.plan.sink.sealer.observes() && !self.plan.is_trial
    }

    /// The end offsets of collections: compiled once, not for each type of items.
    #[inline(never)]
    pub(crate) fn offsets(&mut self) -> ColumnWriter<Index> {
        self.column()
    }

    /// A column whose type is a matter of the field's structure, not of taste.
    pub(crate) fn column_as<E: Element>(&mut self, column_type: ColumnType) -> ColumnWriter<E> {
        self.column_of(vec![ColumnEncoding::of(column_type)], None, E::NAME, &[column_type])
    }

    /// `option`: what the options ask for; `writes`: what a column of a file may be.
    fn column_of<E: Element>(
        &mut self,
        mut packings: Vec<ColumnEncoding>,
        option: Option<Vec<ColumnEncoding>>,
        element: &str,
        writes: &[ColumnType],
    ) -> ColumnWriter<E> {
        if let Some(packing) = self.adopt(element, writes) {
            if let Some(option) = option.filter(|option| !option.contains(&packing)) {
                let option = spelled(&option);
                let message = format!("the file stores it as {packing}, which cannot become {option}");
                self.fault(Error::invalid_argument(message));
            }
            let saturates = packings.iter().any(|wanted| wanted.saturates);
            packings = vec![ColumnEncoding { saturates, ..packing }];
        } else if element == <f32 as Element>::NAME && packings.iter().any(ColumnEncoding::exceeds_f32) {
            // ROOT keeps the bounds of a `float` as such, and stops at others.
            let message = "the range of a quantised `float` is beyond the values of `f32`";
            self.fault(Error::invalid_argument(message));
        }
        if self.plan.packs_any {
            // The default is left.
            packings.clear();
        }
        let number = self.plan.before.lanes + self.plan.lanes.len();
        let lane = LaneId(u32::try_from(number).unwrap_or(u32::MAX));
        let alternatives = (packings.len() > 1).then(|| self.alternatives(&packings));
        let packing = packings.first().copied().unwrap_or(ColumnEncoding::of(E::default_type(false)));
        match self.id {
            Some(field) => {
                self.plan.lanes.push(Planned { field, packings, compression: self.compression });
            }
            None => self.fault(Error::invalid_argument("an entry is a struct, not a single value")),
        }
        if self.plan.is_trial {
            return ColumnWriter::trial(lane, packing, alternatives);
        }
        // Filling cannot fail, so a codec that is not there is told now.
        if let Err(error) = self.compression.require() {
            self.fault(error);
        }
        ColumnWriter::new(lane, packing, alternatives, self.compression, self.plan.sink.clone())
    }

    /// How the values may be packed; all columns of the field change together.
    fn alternatives(&mut self, packings: &[ColumnEncoding]) -> Alternatives {
        let field = self.id.unwrap_or_default();
        let chosen = match self.plan.choices.iter().find(|choice| choice.field == field) {
            Some(choice) => choice.chosen.clone(),
            None => {
                let count = u16::try_from(packings.len()).unwrap_or(u16::MAX);
                let choice = Choice { path: self.said.path.clone(), field, count, chosen: Arc::default() };
                let chosen = choice.chosen.clone();
                self.plan.choices.push(choice);
                chosen
            }
        };
        Alternatives { packings: packings.into(), chosen }
    }

    /// The column of the file that this one is, if the plan goes on with a file's.
    fn adopt(&mut self, element: &str, writes: &[ColumnType]) -> Option<ColumnEncoding> {
        let Plan { adoption, fields, .. } = &mut *self.plan;
        adoption.as_mut()?.column(fields, self.id?, element, writes)
    }

    fn set(&mut self, role: Role, name: &TypeName) {
        if self.said.prefix.is_some() && role == Role::Record {
            return;
        }
        if name.must_be_untyped() && !self.parent_is_untyped {
            let message = match name.spelling() {
                "" => "a record without a class is part of a field that has a C++ type: make it a class"
                    .to_owned(),
                name => format!(
                    "the struct `{name}` is untyped, but part of a field that has a C++ type: give it a `type_name`"
                ),
            };
            self.fault(Error::invalid_argument(message));
        }
        let untyped = name.can_be_untyped() && self.parent_is_untyped;
        // ROOT compares names as they are stored, and takes those of our versions for normal ones.
        let spelling = normalize(name.spelling());
        let alias = self.double32.and_then(|wish| {
            let alias = double32_alias(&spelling)?;
            if let Some((_, granted)) = self.plan.doubles.get_mut(wish) {
                *granted = true;
            }
            Some(alias).filter(|_| !untyped)
        });
        if let Some(field) = self.descriptor() {
            field.role = role;
            if !untyped {
                field.type_name = spelling;
                field.type_version = name.class_version().unwrap_or_default();
            }
            field.type_alias = alias.unwrap_or_default();
        } else if role != Role::Record {
            self.fault(Error::invalid_argument("an entry is a struct, not a single value"));
        }
    }

    /// Calls the type of a field that was declared by another name.
    pub(super) fn rename_type(&mut self, name: &TypeName) {
        // What cannot be named was refused with the name before.
        if let Some(role) = self.descriptor().map(|field| field.role).filter(|_| !name.must_be_untyped()) {
            self.set(role, name);
        }
    }

    fn descriptor(&mut self) -> Option<&mut FieldDescriptor> {
        self.plan.fields.get_mut(self.id?.index())
    }

    pub(super) fn fault(&mut self, error: Error) {
        self.plan.faults.push(error.in_field(&*self.said.path));
    }
}

/// Marks the columns that begin in the middle of the ntuple, behind so many entries (format, section 5.3).
///
/// Only those that have elements for each entry can, which are the first ones of fields outside of collections and
/// variants: the columns of items, and of a string's characters, begin with the first item.
fn defer(fields: &[FieldDescriptor], columns: &mut [ColumnDescriptor], entries: u64) -> Result<()> {
    if entries == 0 {
        return Ok(());
    }
    let mut field_before = None;
    for column in columns {
        let is_principal = field_before.replace(column.field) != Some(column.field);
        if !is_principal {
            continue;
        }
        if let Some(per_entry) = elements_per_entry(fields, column.field)? {
            let first = entries.checked_mul(per_entry).and_then(|first| i64::try_from(first).ok());
            let first = first.ok_or_else(|| Error::limit("a column would begin beyond element 2^63"))?;
            column.first_element = Some(first);
        }
    }
    Ok(())
}

/// How many elements a field's principal column has for each entry; `None` where entries differ in that.
pub(crate) fn elements_per_entry(fields: &[FieldDescriptor], id: FieldId) -> Result<Option<u64>> {
    let mut count = 1u64;
    let mut at = fields.get(id.index());
    let mut is_own = true;
    while let Some(field) = at {
        if !is_own && matches!(field.role, Role::Collection | Role::Variant) {
            return Ok(None);
        }
        is_own = false;
        count = count
            .checked_mul(field.array_size.unwrap_or(1))
            .ok_or_else(|| Error::limit("an entry has arrays of over 2^64 items"))?;
        at = field.parent.and_then(|parent| fields.get(parent.index()));
    }
    Ok(Some(count))
}

/// Packings that may follow one another, as an attribute has them.
fn spelled(packings: &[ColumnEncoding]) -> String {
    let all: Vec<String> = packings.iter().map(ColumnEncoding::to_string).collect();
    all.join(" or ")
}

impl std::fmt::Debug for FieldBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FieldBuilder").field("path", &self.said.path).finish_non_exhaustive()
    }
}
