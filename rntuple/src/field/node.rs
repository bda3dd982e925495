//! The fields of a file, as a type finds its way through them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

use super::option::is_optional;
use crate::column::{Allowance, ColumnReader, ColumnSource, Presumed, Representation};
use crate::encoding::{ColumnType, Element, Index, Packing};
use crate::error::{Error, ErrorKind, Mismatch, Result};
use crate::page::Unsealer;
use crate::schema::{ColumnId, FieldDescriptor, FieldId, FieldPlace, Role, Schema, UNVERSIONED, is_class};

/// A type being matched with a file: collects the columns it selects and every difference.
pub(crate) struct Connection {
    schema: Arc<Schema>,
    unsealer: Arc<Mutex<Unsealer>>,
    /// In the order in which they were found, so that a failed attempt can be taken back.
    selected: RefCell<Vec<ColumnId>>,
    mismatches: RefCell<Vec<Mismatch>>,
    /// The optionals that are read as if each had a value.
    presumed: RefCell<Vec<Step>>,
    allowance: Allowance,
    /// The fields that may be seen; `None`: all.
    visible: Option<Arc<HashSet<FieldId>>>,
    /// What stands in front of the names of flattened members; the first is nothing.
    prefixes: RefCell<Vec<String>>,
}

/// One optional on the way to a column that is read as if it were not there.
#[derive(Clone, Copy)]
struct Step {
    optional: FieldId,
    /// The one above it, without a collection in between.
    above: Option<usize>,
    /// How many there are, this one included.
    depth: usize,
}

/// More optionals, one directly inside the other, are not looked through: a type has a use for one, and ways to
/// try multiply.
const MAX_STEPS: usize = 4;

impl Connection {
    pub(crate) fn new(
        schema: Arc<Schema>,
        verify_checksums: bool,
        visible: Option<Arc<HashSet<FieldId>>>,
    ) -> Self {
        let unsealer = Arc::new(Mutex::new(Unsealer::new(verify_checksums)));
        Self {
            schema,
            unsealer,
            selected: RefCell::default(),
            mismatches: RefCell::default(),
            presumed: RefCell::default(),
            allowance: Allowance::new(),
            visible,
            prefixes: RefCell::new(vec![String::new()]),
        }
    }

    fn is_visible(&self, id: FieldId) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(&id))
    }

    /// The entry itself, whose subfields are the top-level fields.
    pub(crate) fn root(&self) -> FieldNode<'_> {
        FieldNode {
            connection: self,
            id: None,
            is_item: false,
            presumed: None,
            lossy: false,
            prefix: 0,
            is_absent: false,
        }
    }

    /// What the entries may have without a column: renewed for each of them.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }

    /// The columns that the type reads.
    ///
    /// # Errors
    /// Every difference between the type and the file.
    pub(crate) fn finish(self) -> Result<BTreeSet<ColumnId>> {
        let mismatches = self.mismatches.into_inner();
        if mismatches.is_empty() {
            Ok(self.selected.into_inner().into_iter().collect())
        } else {
            Err(Error::schema_mismatch(mismatches))
        }
    }
}

/// Connects a type to a field, to see whether it fits.
#[doc(hidden)]
pub type Trial<'t> = &'t dyn Fn(FieldNode<'_>) -> Result<()>;

/// A member's name and type, and a function that keeps what is wrong with it.
#[doc(hidden)]
pub type Teller = (&'static str, &'static str, fn(FieldNode<'_>, &str, &str));

/// A field of a file, offered to a Rust type.
#[derive(Clone, Copy)]
pub struct FieldNode<'a> {
    connection: &'a Connection,
    /// `None`: the entry itself.
    id: Option<FieldId>,
    /// Whether this is one flag of a bitset, which has no field of its own.
    is_item: bool,
    /// The nearest optional above, without a collection in between, that is read as if it were not there.
    presumed: Option<usize>,
    /// Whether any number may be read as any other.
    lossy: bool,
    /// What stands in front of the names of its subfields: a number of the connection's list.
    prefix: usize,
    /// It stands for an alternative that the file does not have.
    is_absent: bool,
}

impl<'a> FieldNode<'a> {
    /// Name of a subfield in the file.
    fn full_name(self, name: &str) -> String {
        let prefixes = self.connection.prefixes.borrow();
        prefixes.get(self.prefix).map_or_else(|| name.to_owned(), |prefix| format!("{prefix}{name}"))
    }

    /// The field as a place of flattened members, whose names begin with `prefix`.
    #[must_use]
    pub fn flattened(mut self, prefix: &str) -> Self {
        if !prefix.is_empty() {
            let prefix = self.full_name(prefix);
            let mut prefixes = self.connection.prefixes.borrow_mut();
            self.prefix = prefixes.len();
            prefixes.push(prefix);
        }
        self
    }

    /// The alternative of this name, or what stands for it in a file from before it was added.
    #[must_use]
    pub fn alternative(self, name: &str) -> Self {
        self.find(name).unwrap_or(FieldNode { is_absent: true, ..self })
    }

    /// The field, if it has this alternative.
    #[must_use]
    pub fn place_of(self, name: &str) -> Self {
        FieldNode { is_absent: self.find(name).is_none(), ..self }
    }

    /// Whether it stands for an alternative that the file does not have.
    pub fn is_absent(self) -> bool {
        self.is_absent
    }

    /// The class version that the file states for the record, if it states one.
    pub fn stated_version(self) -> Option<u32> {
        let field = self.descriptor()?;
        (is_class(field) && field.type_version != UNVERSIONED).then_some(field.type_version)
    }

    /// Keeps a difference if the file gives the field another unit than `unit`.
    #[must_use]
    pub fn in_unit(self, unit: &str) -> Self {
        if let Some(found) = self.descriptor().and_then(FieldDescriptor::unit)
            && found != unit
        {
            let found = format!("values in {found}");
            self.report(self.path(), found, &format!("values in {unit}"));
        }
        self
    }

    /// Keeps a difference for each subfield that has none of these names.
    pub fn deny_others(self, known: &[&str]) {
        if self.is_absent {
            return;
        }
        for child in self.children() {
            let name = child.descriptor().map(|field| &*field.name).unwrap_or_default();
            if !known.contains(&name) {
                child.mismatch("no field of this name");
            }
        }
    }

    /// The first subfield that has one of these names.
    ///
    /// # Errors
    /// There is none.
    pub fn subfield_of(self, names: &[&str], wanted: &str) -> Result<FieldNode<'a>> {
        let found = names.iter().find_map(|name| self.find(name));
        found.map_or_else(|| self.subfield(names.first().copied().unwrap_or_default(), wanted), Ok)
    }

    /// What the file says of the field; `None` for the entry itself.
    pub fn descriptor(&self) -> Option<&'a FieldDescriptor> {
        self.connection.schema.field(self.id?)
    }

    /// Its structural role; the entry itself is a record.
    pub fn role(&self) -> Role {
        self.descriptor().map_or(Role::Record, |field| field.role)
    }

    /// Its path, dots between the parts.
    pub fn path(&self) -> String {
        self.place().to_string()
    }

    /// The field, for errors to come.
    pub(crate) fn place(&self) -> FieldPlace {
        FieldPlace::new(self.connection.schema.clone(), self.id)
    }

    /// Its subfields in order.
    pub fn children(self) -> impl Iterator<Item = FieldNode<'a>> + Clone {
        let schema = &self.connection.schema;
        let ids = match self.id {
            Some(id) => schema.children(id),
            None => schema.top_level(),
        };
        let visible = ids.iter().filter(move |&&id| self.connection.is_visible(id));
        visible.map(move |&id| self.child(id))
    }

    /// One of its subfields.
    fn child(self, id: FieldId) -> FieldNode<'a> {
        // The items of a collection are counted by its offsets, whatever is above.
        let counts_anew = matches!(self.role(), Role::Collection | Role::Variant);
        let presumed = self.presumed.filter(|_| !counts_anew);
        FieldNode { id: Some(id), is_item: false, presumed, prefix: 0, ..self }
    }

    /// The number of its subfields.
    pub fn child_count(self) -> usize {
        self.children().count()
    }

    /// The subfield of this name, if there is one.
    pub fn find(self, name: &str) -> Option<FieldNode<'a>> {
        if self.is_absent {
            return None;
        }
        let schema = &self.connection.schema;
        let name = &*self.full_name(name);
        let found = match self.id {
            Some(id) => schema.child_named(id, name),
            None => schema.top_level_named(name),
        };
        let id = found.filter(|&id| self.connection.is_visible(id))?;
        Some(self.child(id))
    }

    /// The subfield of this name.
    ///
    /// # Errors
    /// There is none, or it is hidden because it needs a newer reader.
    pub fn subfield(self, name: &str, wanted: &str) -> Result<FieldNode<'a>> {
        match self.find(name) {
            Some(child) => Ok(child),
            None => {
                let name = &*self.full_name(name);
                let path = match self.id {
                    Some(_) => format!("{}.{name}", self.path()),
                    None => name.to_owned(),
                };
                let hidden = self.connection.schema.hidden().iter().find(|hidden| hidden.name == name);
                let found = match hidden.filter(|_| self.id.is_none()) {
                    Some(hidden) => format!("a field that cannot be read ({})", hidden.reason),
                    None => "no such field".to_owned(),
                };
                Err(self.report(path, found, wanted))
            }
        }
    }

    /// Lets the members of a record behind the first `tried` tell what is wrong with them; `rest` begins with
    /// the second.
    #[cold]
    #[doc(hidden)]
    #[inline(never)]
    pub fn tell(self, rest: &[Teller], tried: usize) {
        for (name, wanted, tell) in rest.iter().skip(tried.saturating_sub(1)) {
            tell(self, name, wanted);
        }
    }

    /// The item of a collection or array.
    ///
    /// # Errors
    /// There is not exactly one subfield.
    pub fn item(self) -> Result<FieldNode<'a>> {
        if self.has_columns() && self.repetition().is_some() {
            return Ok(FieldNode { is_item: true, ..self });
        }
        let mut children = self.children();
        match (children.next(), children.next()) {
            (Some(item), None) => Ok(item),
            _ => Err(self.mismatch("one kind of item")),
        }
    }

    /// How often an array or bitset repeats.
    pub(crate) fn repetition(self) -> Option<u64> {
        self.descriptor()
            .filter(|field| field.role == Role::Plain && !self.is_item)
            .and_then(|field| field.array_size)
    }

    /// This field, if it has this role and does not repeat; otherwise what an atomic or an optional stands around
    /// (see [`presume`](Self::presume)), if collections and variants are not what is wanted.
    ///
    /// # Errors
    /// It has another role. `wanted` says what the type wants.
    pub fn expect(self, role: Role, wanted: &str) -> Result<FieldNode<'a>> {
        if self.is_absent {
            return Ok(self);
        }
        let mut node = self;
        // The schema's depth is bounded, so this ends.
        loop {
            let repeats = node.descriptor().is_some_and(|field| field.array_size.is_some()) && !node.is_item;
            if node.role() == role && !repeats {
                return Ok(node);
            }
            if matches!(role, Role::Collection | Role::Variant) {
                return Err(self.mismatch(wanted));
            }
            node = node.inside().ok_or_else(|| self.mismatch(wanted))?;
        }
    }

    /// This field, if it is a variant; or what an optional stands around, as in [`expect`](Self::expect).
    ///
    /// # Errors
    /// It has another role.
    pub fn variant(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self;
        // The schema's depth is bounded, so this ends.
        while node.role() != Role::Variant || node.repetition().is_some() {
            node = node.presume().ok_or_else(|| self.mismatch(wanted))?;
        }
        Ok(node)
    }

    /// This field, if it repeats `count` times; or what an optional stands around, as in [`expect`](Self::expect).
    ///
    /// # Errors
    /// It does not repeat, or not so often.
    pub fn array(self, count: usize) -> Result<FieldNode<'a>> {
        let mut node = self;
        loop {
            match node.repetition() {
                Some(found) if found == count as u64 => return Ok(node),
                Some(_) => return Err(self.mismatch(&format!("an array of {count}"))),
                None => {}
            }
            node = node.inside().ok_or_else(|| self.mismatch(&format!("an array of {count}")))?;
        }
    }

    /// The leaf itself, or what wrappers without structure (enum, `std::atomic`) or an optional stand around.
    ///
    /// # Errors
    /// The field is no leaf.
    pub fn leaf(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self.expect(Role::Plain, wanted)?;
        // The schema's depth is bounded, so this ends.
        while !node.has_columns() {
            let item =
                node.only_child().filter(|item| item.role() == Role::Plain && item.repetition().is_none());
            node = item.ok_or_else(|| self.mismatch(wanted))?;
        }
        Ok(node)
    }

    /// What an atomic, or an optional, stands around.
    fn inside(self) -> Option<FieldNode<'a>> {
        let is_atomic = self.role() == Role::Plain
            && self.repetition().is_none()
            && self.descriptor().is_some_and(|field| field.type_name.starts_with("std::atomic<"));
        if is_atomic { self.only_child() } else { self.presume() }
    }

    fn only_child(self) -> Option<FieldNode<'a>> {
        let mut children = self.children();
        children.next().filter(|_| children.next().is_none())
    }

    /// Whether the field has several values for each element of its parent.
    pub(crate) fn holds_many(self) -> bool {
        self.role() == Role::Collection || self.repetition().is_some()
    }

    /// Whether the field is a `std::optional` or a `std::unique_ptr`.
    pub(crate) fn is_optional(self) -> bool {
        self.descriptor().is_some_and(|field| {
            field.role == Role::Collection && field.array_size.is_none() && is_optional(&field.type_name)
        })
    }

    /// The item of a `std::optional` or `std::unique_ptr`, of which there are as many as options with a value.
    pub fn optional_item(self) -> Option<FieldNode<'a>> {
        if self.is_optional() { self.only_child() } else { None }
    }

    /// The item of a `std::optional` or `std::unique_ptr`, read as if every option had a value. That is checked
    /// when a cluster is attached, by its columns: their elements must be as many as the options.
    pub fn presume(self) -> Option<FieldNode<'a>> {
        let (item, optional) = (self.optional_item()?, self.id?);
        let mut steps = self.connection.presumed.borrow_mut();
        let depth = self.presumed.and_then(|above| steps.get(above)).map_or(1, |above| above.depth + 1);
        if depth > MAX_STEPS {
            return None;
        }
        steps.push(Step { optional, above: self.presumed, depth });
        Some(FieldNode { presumed: Some(steps.len() - 1), ..item })
    }

    /// This field, with any number below it read as the nearest of whatever type asks for it.
    pub fn lossy(self) -> Self {
        Self { lossy: true, ..self }
    }

    /// Tries to connect this field. Where that fails, the columns it selected and the differences it told are
    /// forgotten, so that something else can be tried; the error has those differences: see
    /// [`refuse`](Self::refuse).
    ///
    /// # Errors
    /// Those of `connect`, or the differences that it told.
    pub fn attempt<T>(self, connect: impl FnOnce(FieldNode<'a>) -> Result<T>) -> Result<T> {
        let Connection { selected, mismatches, presumed, .. } = self.connection;
        let before = (selected.borrow().len(), mismatches.borrow().len(), presumed.borrow().len());
        let result = connect(self);
        let told: Vec<Mismatch> = {
            let mut mismatches = mismatches.borrow_mut();
            let at = before.1.min(mismatches.len());
            mismatches.drain(at..).collect()
        };
        if result.is_ok() && told.is_empty() {
            return result;
        }
        selected.borrow_mut().truncate(before.0);
        presumed.borrow_mut().truncate(before.2);
        match result {
            // Something that is worse than a difference.
            Err(error) if told.is_empty() => Err(error),
            _ => Err(Error::schema_mismatch(told)),
        }
    }

    /// Which of several types a field is read as: the one whose version the file states; or else, of those that
    /// fit, the one that leaves the least of the file unread, the first of equals. So an old file is not taken for
    /// one of a new type whose members all have defaults, nor a new file for one of an old type that had some of
    /// its members. Without any that fits, the first.
    #[doc(hidden)]
    pub fn choose(self, types: &[(Option<u32>, Trial<'_>)]) -> usize {
        let stated = self.stated_version();
        let mut best = (0, None);
        for (number, (version, connect)) in types.iter().enumerate() {
            let Some(columns) = self.trial(connect) else { continue };
            if stated.is_some() && *version == stated {
                return number;
            }
            if best.1.is_none_or(|most| columns > most) {
                best = (number, Some(columns));
            }
        }
        best.0
    }

    /// The number of columns that a type would read, if it fits.
    fn trial(self, connect: Trial<'_>) -> Option<usize> {
        let before = self.connection.selected.borrow().len();
        let mut columns = 0;
        let tried = self.attempt(|field| {
            connect(field)?;
            columns = self.connection.selected.borrow().len() - before;
            // Not for good.
            Err::<(), _>(Error::invalid_argument("a trial"))
        });
        let fits = tried.is_err_and(|error| error.kind() == ErrorKind::InvalidArgument);
        fits.then_some(columns)
    }

    /// Keeps the differences of a failed [`attempt`](Self::attempt) for the error that tells them all.
    #[cold]
    pub fn refuse(self, error: Error) -> Error {
        self.connection.mismatches.borrow_mut().extend_from_slice(error.mismatches());
        error
    }

    /// The limit for items without columns.
    pub(crate) fn allowance(self) -> Allowance {
        self.connection.allowance()
    }

    /// Whether the field has columns of its own.
    pub fn has_columns(self) -> bool {
        self.id.is_some_and(|id| !self.connection.schema.representations(id).is_empty())
    }

    /// Number of columns in each of the field's representations.
    pub(crate) fn column_count(self) -> usize {
        let representations = self.id.map(|id| self.connection.schema.representations(id));
        representations.and_then(|all| all.first()).map_or(0, Vec::len)
    }

    /// Whether the values of the field's `number`-th column can be read as `E`.
    pub(crate) fn column_reads<E: Element>(self, number: usize) -> bool {
        self.column_types_are(number, E::reads)
    }

    /// Whether all representations of the field's `number`-th column have such types.
    fn column_types_are(self, number: usize, such: fn(ColumnType) -> bool) -> bool {
        let Some(id) = self.id else { return false };
        let all = self.connection.schema.representations(id);
        !all.is_empty()
            && all.iter().all(|columns| {
                let column = columns.get(number).and_then(|&id| self.connection.schema.column(id));
                column.and_then(|column| ColumnType::from_code(column.type_code)).is_some_and(such)
            })
    }

    /// Type of the field's `number`-th column, in its first representation.
    pub(crate) fn column_type(self, number: usize) -> Option<ColumnType> {
        let schema = &self.connection.schema;
        let columns = schema.representations(self.id?).first()?;
        ColumnType::from_code(schema.column(*columns.get(number)?)?.type_code)
    }

    /// The field's `number`-th column, to be read as `E`.
    ///
    /// # Errors
    /// There is none, or its values are of another kind.
    pub fn column<E: Element>(self, number: usize) -> Result<ColumnReader<E>> {
        // What ROOT keeps as a number of its own, the size of a collection, are the collection's offsets.
        let as_counts = !self.column_reads::<E>(number) && self.is_cardinality();
        let reads = |lossy: bool| match (as_counts, lossy) {
            (false, false) => self.column_reads::<E>(number),
            (false, true) => self.column_types_are(number, E::reads_with_losses),
            (true, false) => E::reads(ColumnType::UInt64),
            (true, true) => E::reads_with_losses(ColumnType::UInt64),
        };
        if !reads(self.lossy) {
            let way_out =
                if reads(true) { " (`#[rntuple(convert = \"lossy\")]` would allow it)" } else { "" };
            return Err(self.mismatch(&format!("{}{way_out}", E::NAME)));
        }
        let representations = self.representations(number)?;
        self.connection.selected.borrow_mut().extend(representations.iter().map(|one| one.id));
        Ok(ColumnReader::new(ColumnSource {
            place: self.place(),
            representations,
            per_entry: if number == 0 { self.per_entry() } else { None },
            presumed: if number == 0 { self.presumed_above()? } else { Vec::new() },
            lossy: self.lossy,
            as_counts,
            unsealer: self.connection.unsealer.clone(),
            allowance: self.allowance(),
        }))
    }

    /// The representations of the field's `number`-th column.
    fn representations(self, number: usize) -> Result<Vec<Representation>> {
        let schema = &self.connection.schema;
        let mut representations = Vec::new();
        let all = self.id.map(|id| schema.representations(id)).unwrap_or_default();
        for columns in all {
            let Some(&id) = columns.get(number) else { continue };
            let Some(column) = schema.column(id) else { continue };
            let Some(column_type) = ColumnType::from_code(column.type_code) else { continue };
            let packing = Packing::checked(column_type, column.bits, column.range)
                .map_err(|error| error.in_field(self.path()).in_column(id.0.into()))?;
            let is_deferred = column.first_element.is_some_and(|first| first >= 0);
            representations.push(Representation { id, packing, is_deferred });
        }
        Ok(representations)
    }

    /// Whether the field is the size of a collection, with its end offsets.
    fn is_cardinality(self) -> bool {
        self.descriptor().is_some_and(|field| {
            field.role == Role::Plain && field.type_name.starts_with("ROOT::RNTupleCardinality<")
        }) && self.column_count() == 1
            && self.column_types_are(0, <Index as Element>::reads)
    }

    /// The optionals that are read as if they were not there, the nearest first.
    fn presumed_above(self) -> Result<Vec<Presumed>> {
        let mut list = Vec::new();
        let (mut at, mut below) = (self.presumed, self.id);
        loop {
            let step = at.and_then(|at| self.connection.presumed.borrow().get(at).copied());
            let Some(Step { optional, above, .. }) = step else { return Ok(list) };
            let node = FieldNode { id: Some(optional), is_item: false, presumed: above, ..self };
            list.push(Presumed {
                place: node.place(),
                representations: node.representations(0)?,
                per_entry: node.per_entry(),
                per_value: self.product(below, Some(optional)).map_or(u64::MAX, |(product, _)| product),
            });
            (at, below) = (above, Some(optional));
        }
    }

    /// Elements of the field per entry, where the schema fixes them.
    fn per_entry(self) -> Option<u64> {
        let (product, is_fixed) = self.product(self.id, None)?;
        is_fixed.then_some(product)
    }

    /// The product of the array sizes from a field up to another above it, and whether no collection or variant
    /// lies in between; `None` beyond 2^64.
    fn product(self, from: Option<FieldId>, to: Option<FieldId>) -> Option<(u64, bool)> {
        let schema = &self.connection.schema;
        let mut product = 1u64;
        let mut is_fixed = true;
        let mut id = from;
        while let Some(field) = id.filter(|_| id != to).and_then(|id| schema.field(id)) {
            is_fixed &= id == from || !matches!(field.role, Role::Collection | Role::Variant);
            product = product.checked_mul(field.array_size.unwrap_or(1))?;
            id = field.parent;
        }
        Some((product, is_fixed))
    }

    /// Keeps the difference for the error that tells them all, and returns one that tells this.
    #[cold]
    pub fn mismatch(self, wanted: &str) -> Error {
        let found = self.found();
        self.report(self.path(), found, wanted)
    }

    #[cold]
    fn report(self, path: String, found: String, wanted: &str) -> Error {
        let mismatch = Mismatch::new(path, found, wanted);
        self.connection.mismatches.borrow_mut().push(mismatch.clone());
        Error::schema_mismatch(vec![mismatch])
    }

    /// The field in words: `std::vector<float>`, `a record`, `float (SplitReal32)`.
    fn found(self) -> String {
        let Some(field) = self.descriptor() else { return "an entry".to_owned() };
        let mut text = match (&*field.type_name, field.role) {
            ("", Role::Record) => "an untyped record".to_owned(),
            ("", Role::Collection) => "an untyped collection".to_owned(),
            ("", role) => format!("a field of role {}", role.name()),
            (name, _) => name.to_owned(),
        };
        let schema = &self.connection.schema;
        let columns = self.id.map(|id| schema.representations(id)).unwrap_or_default();
        let names: Vec<&str> = columns
            .iter()
            .flatten()
            .filter_map(|&id| ColumnType::from_code(schema.column(id)?.type_code))
            .map(ColumnType::name)
            .collect();
        if !names.is_empty() {
            text.push_str(&format!(" ({})", names.join(", ")));
        }
        text
    }
}

impl std::fmt::Debug for FieldNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FieldNode({})", self.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::ReadField;
    use crate::schema::ColumnDescriptor;

    /// A chain of fields, each the item of the one before; the last has a column of 32-bit floats, optionals
    /// have offsets.
    fn connection(types: &[(Role, &str)]) -> Connection {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for (id, (role, name)) in (0..).zip(types) {
            let parent = u32::checked_sub(id, 1).map(FieldId);
            fields.push(FieldDescriptor::new(parent, *role, if id == 0 { "value" } else { "_0" }, *name));
            let (column_type, bits) = match role {
                Role::Collection => (ColumnType::Index64, 64),
                _ => (ColumnType::Real32, 32),
            };
            columns.push(ColumnDescriptor::new(column_type as u16, bits, FieldId(id)));
        }
        let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true)).unwrap();
        Connection::new(Arc::new(schema), true, None)
    }

    fn optionals(count: usize) -> Connection {
        let mut types = vec![(Role::Collection, "std::optional<X>"); count];
        types.push((Role::Plain, "float"));
        connection(&types)
    }

    #[test]
    fn a_failed_attempt_leaves_nothing_behind() {
        let connection = optionals(1);
        let node = connection.root().find("value").unwrap();
        let error = node
            .attempt(|node| {
                let _ = Vec::<f32>::connect(node)?;
                assert_eq!(connection.selected.borrow().len(), 2);
                String::connect(node)
            })
            .unwrap_err();
        assert_eq!(error.mismatches().len(), 1);
        assert!(connection.selected.borrow().is_empty() && connection.mismatches.borrow().is_empty());
        assert!(connection.presumed.borrow().is_empty());
        // What was told counts, not what was returned.
        assert!(node.attempt(|node| Ok(node.mismatch("nothing"))).is_err());
        assert!(connection.mismatches.borrow().is_empty());
        node.attempt(f64::connect).unwrap();
        assert_eq!(connection.selected.borrow().len(), 1);
        let _ = node.refuse(error);
        assert_eq!(connection.finish().unwrap_err().mismatches().len(), 1);
    }

    #[test]
    fn optionals_are_looked_through_up_to_a_depth() {
        for count in 0..12 {
            let connection = optionals(count);
            let node = connection.root().find("value").unwrap();
            assert_eq!(f32::connect(node).is_ok(), count <= MAX_STEPS, "{count}");
            // A list takes one as its items, and begins anew below it.
            let list = count > 0 && count <= 2 * MAX_STEPS + 1;
            assert_eq!(Vec::<f32>::connect(node).is_ok(), list, "{count}");
        }
    }

    #[test]
    fn an_attempt_in_an_attempt_is_no_explosion() {
        type Deep = Vec<Vec<Vec<Vec<String>>>>;
        let connection = optionals(40);
        assert!(Deep::connect(connection.root().find("value").unwrap()).is_err());
        assert!(connection.presumed.borrow().len() < 10_000, "{}", connection.presumed.borrow().len());
    }

    #[test]
    fn the_item_of_an_optional_stands_alone() {
        let connection = connection(&[
            (Role::Collection, "std::optional<std::vector<float>>"),
            (Role::Collection, "std::vector<float>"),
            (Role::Plain, "float"),
        ]);
        let node = connection.root().find("value").unwrap();
        assert!(node.optional_item().unwrap().presumed.is_none());
        let inside = node.presume().unwrap();
        assert_eq!(inside.presumed_above().unwrap().len(), 1);
        assert!(inside.optional_item().is_none() && inside.presume().is_none());
        // The vector's offsets count its items.
        assert!(inside.item().unwrap().presumed.is_none());
        assert!(inside.lossy().item().unwrap().lossy);
    }
}
