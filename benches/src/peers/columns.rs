//! The events as Arrow columns, by hand: what a careful user of Arrow or Parquet writes.
//!
//! The process is a struct of a tag and two optional values, as Parquet has no unions.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, FixedSizeListArray, Float32Array,
    Float64Array, Int32Array, ListArray, PrimitiveArray, RecordBatch, StringArray, StructArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    DataType, Field, Fields, Float32Type, Float64Type, Int32Type, Schema, SchemaRef, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use crate::digest::{Bits, Digest, Leaf};
use crate::{Event, Jet, Muon, Process, ProcessRecord, Vertex, mask, triggers};

/// Events in a batch.
pub const BATCH: usize = 8192;

fn field(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, false)
}

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(field("item", item)))
}

fn vertex_fields() -> Fields {
    ["x", "y", "z"].map(|name| field(name, DataType::Float64)).into_iter().collect()
}

fn muon_fields() -> Fields {
    let floats = ["pt", "eta", "phi", "mass"].map(|name| field(name, DataType::Float32));
    let others = [
        field("charge", DataType::Int32),
        field("tight", DataType::Boolean),
        Field::new("iso", DataType::Float32, true),
    ];
    floats.into_iter().chain(others).collect()
}

fn jet_fields() -> Fields {
    let floats = ["pt", "eta", "phi", "mass", "btag"].map(|name| field(name, DataType::Float32));
    let others = [field("n_const", DataType::UInt16), field("constituents", list(DataType::UInt32))];
    floats.into_iter().chain(others).collect()
}

fn process_fields() -> Fields {
    Fields::from(vec![
        field("tag", DataType::UInt8),
        Field::new("mass", DataType::Float32, true),
        Field::new("leptons", DataType::UInt8, true),
    ])
}

/// The schema of [`batch`].
pub fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        field("run", DataType::UInt32),
        field("event", DataType::UInt64),
        field("weight", DataType::Float64),
        field("met", DataType::Float32),
        field("good", DataType::Boolean),
        field("triggers", DataType::UInt64),
        field("vertex", DataType::Struct(vertex_fields())),
        field("muons", list(DataType::Struct(muon_fields()))),
        field("jets", list(DataType::Struct(jet_fields()))),
        field("label", DataType::Utf8),
        field("shape", DataType::FixedSizeList(Arc::new(field("item", DataType::Float32)), 6)),
        field("process", DataType::Struct(process_fields())),
    ]))
}

/// One leaf of all items, as an array.
macro_rules! leaf {
    ($array:ident, $items:expr, $item:ident => $value:expr) => {
        Arc::new($array::from_iter_values($items.map(|$item| $value))) as ArrayRef
    };
}

fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(BooleanArray::from(values.collect::<Vec<bool>>()))
}

fn list_array(item: DataType, lengths: impl Iterator<Item = usize>, values: ArrayRef) -> ArrayRef {
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
    Arc::new(ListArray::new(Arc::new(field("item", item)), offsets, values, None))
}

fn structs(fields: Fields, columns: Vec<ArrayRef>) -> ArrayRef {
    Arc::new(StructArray::new(fields, columns, None))
}

fn muons(events: &[Event]) -> ArrayRef {
    let all = || events.iter().flat_map(|event| &event.muons);
    let columns = vec![
        leaf!(Float32Array, all(), muon => muon.pt),
        leaf!(Float32Array, all(), muon => muon.eta),
        leaf!(Float32Array, all(), muon => muon.phi),
        leaf!(Float32Array, all(), muon => muon.mass),
        leaf!(Int32Array, all(), muon => muon.charge),
        flags(all().map(|muon| muon.tight)),
        Arc::new(all().map(|muon| muon.iso).collect::<Float32Array>()),
    ];
    let items = structs(muon_fields(), columns);
    list_array(items.data_type().clone(), events.iter().map(|event| event.muons.len()), items)
}

fn jets(events: &[Event]) -> ArrayRef {
    let all = || events.iter().flat_map(|event| &event.jets);
    let mut constituents = Vec::with_capacity(events.len() * 40);
    all().for_each(|jet| constituents.extend_from_slice(&jet.constituents));
    let constituents = Arc::new(UInt32Array::new(ScalarBuffer::from(constituents), None));
    let columns = vec![
        leaf!(Float32Array, all(), jet => jet.pt),
        leaf!(Float32Array, all(), jet => jet.eta),
        leaf!(Float32Array, all(), jet => jet.phi),
        leaf!(Float32Array, all(), jet => jet.mass),
        leaf!(Float32Array, all(), jet => jet.btag),
        leaf!(UInt16Array, all(), jet => jet.n_const),
        list_array(DataType::UInt32, all().map(|jet| jet.constituents.len()), constituents),
    ];
    let items = structs(jet_fields(), columns);
    list_array(items.data_type().clone(), events.iter().map(|event| event.jets.len()), items)
}

fn shapes(events: &[Event]) -> ArrayRef {
    let mut values = Vec::with_capacity(events.len() * 6);
    events.iter().for_each(|event| values.extend_from_slice(&event.shape));
    let values = Arc::new(Float32Array::new(ScalarBuffer::from(values), None));
    Arc::new(FixedSizeListArray::new(Arc::new(field("item", DataType::Float32)), 6, values, None))
}

fn processes(events: &[Event]) -> ArrayRef {
    let records = || events.iter().map(|event| ProcessRecord::from(event.process));
    let columns: Vec<ArrayRef> = vec![
        leaf!(UInt8Array, records(), record => record.tag),
        Arc::new(records().map(|record| record.mass).collect::<Float32Array>()),
        Arc::new(records().map(|record| record.leptons).collect::<UInt8Array>()),
    ];
    structs(process_fields(), columns)
}

/// Events as columns.
pub fn batch(events: &[Event]) -> RecordBatch {
    let all = || events.iter();
    let vertex = vec![
        leaf!(Float64Array, all(), event => event.vertex.x),
        leaf!(Float64Array, all(), event => event.vertex.y),
        leaf!(Float64Array, all(), event => event.vertex.z),
    ];
    let columns = vec![
        leaf!(UInt32Array, all(), event => event.run),
        leaf!(UInt64Array, all(), event => event.event),
        leaf!(Float64Array, all(), event => event.weight),
        leaf!(Float32Array, all(), event => event.met),
        flags(all().map(|event| event.good)),
        leaf!(UInt64Array, all(), event => mask(&event.triggers)),
        structs(vertex_fields(), vertex),
        muons(events),
        jets(events),
        leaf!(StringArray, all(), event => event.label.as_str()),
        shapes(events),
        processes(events),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// A batch, taken apart into its leaves.
pub struct Columns<'a> {
    run: &'a [u32],
    event: &'a [u64],
    weight: &'a [f64],
    met: &'a [f32],
    good: &'a BooleanArray,
    triggers: &'a [u64],
    vertex: [&'a [f64]; 3],
    muons: &'a [i32],
    /// pt, eta, phi, mass.
    muon: [&'a [f32]; 4],
    charge: &'a [i32],
    tight: &'a BooleanArray,
    iso: &'a Float32Array,
    jets: &'a [i32],
    /// pt, eta, phi, mass, btag.
    jet: [&'a [f32]; 5],
    n_const: &'a [u16],
    constituents: &'a [i32],
    constituent: &'a [u32],
    label: &'a StringArray,
    shape: &'a [f32],
    tag: &'a [u8],
    mass: &'a Float32Array,
    leptons: &'a UInt8Array,
}

fn slice<T: ArrowPrimitiveType>(array: &dyn Array) -> &[T::Native] {
    array.as_primitive::<T>().values()
}

impl<'a> Columns<'a> {
    /// Takes a batch of [`schema`] apart.
    pub fn of(batch: &'a RecordBatch) -> Self {
        let column = |index: usize| batch.column(index).as_ref();
        let vertex = column(6).as_struct();
        let muons: &ListArray = column(7).as_list();
        let muon = muons.values().as_struct();
        let jets: &ListArray = column(8).as_list();
        let jet = jets.values().as_struct();
        let constituents: &ListArray = jet.column(6).as_list();
        let process = column(11).as_struct();
        Self {
            run: slice::<UInt32Type>(column(0)),
            event: slice::<UInt64Type>(column(1)),
            weight: slice::<Float64Type>(column(2)),
            met: slice::<Float32Type>(column(3)),
            good: column(4).as_boolean(),
            triggers: slice::<UInt64Type>(column(5)),
            vertex: std::array::from_fn(|index| slice::<Float64Type>(vertex.column(index))),
            muons: muons.value_offsets(),
            muon: std::array::from_fn(|index| slice::<Float32Type>(muon.column(index))),
            charge: slice::<Int32Type>(muon.column(4)),
            tight: muon.column(5).as_boolean(),
            iso: muon.column(6).as_primitive(),
            jets: jets.value_offsets(),
            jet: std::array::from_fn(|index| slice::<Float32Type>(jet.column(index))),
            n_const: slice::<UInt16Type>(jet.column(5)),
            constituents: constituents.value_offsets(),
            constituent: slice::<UInt32Type>(constituents.values()),
            label: column(9).as_string(),
            shape: slice::<Float32Type>(column(10).as_fixed_size_list().values()),
            tag: slice::<UInt8Type>(process.column(0)),
            mass: process.column(1).as_primitive(),
            leptons: process.column(2).as_primitive(),
        }
    }

    /// Adds every value.
    pub fn digest(&self, digest: &mut Digest) {
        digest.values(Leaf::Run, self.run);
        digest.values(Leaf::Event, self.event);
        digest.values(Leaf::Weight, self.weight);
        digest.values(Leaf::Met, self.met);
        digest.add(Leaf::Good, self.good.true_count() as u64);
        digest.add(Leaf::Triggers, self.triggers.iter().map(|mask| u64::from(mask.count_ones())).sum());
        for (leaf, values) in [Leaf::VertexX, Leaf::VertexY, Leaf::VertexZ].into_iter().zip(self.vertex) {
            digest.values(leaf, values);
        }
        digest.offsets(Leaf::Muons, self.muons);
        let floats = [Leaf::MuonPt, Leaf::MuonEta, Leaf::MuonPhi, Leaf::MuonMass];
        floats.into_iter().zip(self.muon).for_each(|(leaf, values)| digest.values(leaf, values));
        digest.values(Leaf::MuonCharge, self.charge);
        digest.add(Leaf::MuonTight, self.tight.true_count() as u64);
        optional(digest, Leaf::MuonIsoCount, Leaf::MuonIso, self.iso);
        digest.offsets(Leaf::Jets, self.jets);
        let floats = [Leaf::JetPt, Leaf::JetEta, Leaf::JetPhi, Leaf::JetMass, Leaf::JetBtag];
        floats.into_iter().zip(self.jet).for_each(|(leaf, values)| digest.values(leaf, values));
        digest.values(Leaf::JetNConst, self.n_const);
        digest.offsets(Leaf::JetConstituentsCount, self.constituents);
        digest.values(Leaf::JetConstituents, self.constituent);
        digest.offsets(Leaf::LabelLength, self.label.value_offsets());
        digest.values(Leaf::Label, self.label.value_data());
        digest.values(Leaf::Shape, self.shape);
        digest.values(Leaf::ProcessTag, self.tag);
        let present = |sum: u64, value: Option<u64>| sum.wrapping_add(value.unwrap_or_default());
        digest.add(Leaf::ProcessMass, self.mass.iter().map(|mass| mass.map(Bits::bits)).fold(0, present));
        digest.add(
            Leaf::ProcessLeptons,
            self.leptons.iter().map(|count| count.map(Bits::bits)).fold(0, present),
        );
    }

    /// Puts event `row` together, in the memory of the one before.
    pub fn fill(&self, row: usize, event: &mut Event) {
        event.run = self.run[row];
        event.event = self.event[row];
        event.weight = self.weight[row];
        event.met = self.met[row];
        event.good = self.good.value(row);
        event.triggers = triggers(self.triggers[row]);
        event.vertex = Vertex { x: self.vertex[0][row], y: self.vertex[1][row], z: self.vertex[2][row] };
        self.fill_muons(range(self.muons, row), &mut event.muons);
        self.fill_jets(range(self.jets, row), &mut event.jets);
        event.label.clear();
        event.label.push_str(self.label.value(row));
        event.shape.copy_from_slice(&self.shape[row * 6..][..6]);
        event.process = match self.tag[row] {
            0 => Process::MinimumBias,
            1 => Process::DrellYan(self.mass.value(row)),
            _ => Process::Top { leptons: self.leptons.value(row) },
        };
    }

    fn fill_muons(&self, range: std::ops::Range<usize>, muons: &mut Vec<Muon>) {
        let [pt, eta, phi, mass] = self.muon.map(|values| &values[range.clone()]);
        let charge = &self.charge[range.clone()];
        muons.clear();
        muons.extend((0..range.len()).map(|index| Muon {
            pt: pt[index],
            eta: eta[index],
            phi: phi[index],
            mass: mass[index],
            charge: charge[index],
            tight: self.tight.value(range.start + index),
            iso: self.iso.is_valid(range.start + index).then(|| self.iso.value(range.start + index)),
        }));
    }

    fn fill_jets(&self, range: std::ops::Range<usize>, jets: &mut Vec<Jet>) {
        let [pt, eta, phi, mass, btag] = self.jet.map(|values| &values[range.clone()]);
        let n_const = &self.n_const[range.clone()];
        jets.resize_with(range.len(), Jet::default);
        for (index, jet) in jets.iter_mut().enumerate() {
            jet.pt = pt[index];
            jet.eta = eta[index];
            jet.phi = phi[index];
            jet.mass = mass[index];
            jet.btag = btag[index];
            jet.n_const = n_const[index];
            jet.constituents.clear();
            let constituents = self::range(self.constituents, range.start + index);
            jet.constituents.extend_from_slice(&self.constituent[constituents]);
        }
    }
}

#[expect(clippy::cast_sign_loss, reason = "offsets are positive")]
fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}

fn optional(digest: &mut Digest, count: Leaf, leaf: Leaf, values: &PrimitiveArray<Float32Type>) {
    digest.add(count, (values.len() - values.null_count()) as u64);
    let bits = values.iter().map(|value| value.map_or(0, Bits::bits));
    digest.add(leaf, bits.fold(0, u64::wrapping_add));
}

/// The digest of batches.
pub fn digest(batches: impl Iterator<Item = RecordBatch>) -> Digest {
    let mut digest = Digest::default();
    batches.for_each(|batch| Columns::of(&batch).digest(&mut digest));
    digest
}

/// The digest of the events in batches, each put together in the memory of the one before.
pub fn digest_structs(batches: impl Iterator<Item = RecordBatch>) -> Digest {
    let mut digest = Digest::default();
    let mut event = Event::default();
    for batch in batches {
        let columns = Columns::of(&batch);
        for row in 0..batch.num_rows() {
            columns.fill(row, &mut event);
            digest.event(&event);
        }
    }
    digest
}

/// The values of `LIST.MEMBER` in a batch that has nothing else.
pub fn only_leaf(batch: &RecordBatch) -> &[f32] {
    let items: &ListArray = batch.column(0).as_list();
    slice::<Float32Type>(items.values().as_struct().column(0))
}
