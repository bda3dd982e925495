//! A writer for exactly this event, by hand: what generated code should approach.
//!
//! Pages of 64 KiB per column, filled directly, not split, hashed when full and handed to the sink; no metadata.
//! Nobody could read its file.

use bytemuck::{NoUninit, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::event::gather;
use crate::{Codec, Data, Event, Process, Sink};

const PAGE: usize = 64 << 10;

/// What is done with full pages: their column, the bytes, and the width of their elements.
type Close<'a> = &'a mut dyn FnMut(&[u8], usize);

struct Column<T> {
    page: Box<[T]>,
    length: usize,
}

impl<T: NoUninit + Zeroable> Column<T> {
    fn new() -> Self {
        Self { page: vec![T::zeroed(); PAGE / size_of::<T>()].into(), length: 0 }
    }

    #[inline]
    fn push(&mut self, value: T, close: Close<'_>) {
        if self.length == self.page.len() {
            self.close(close);
        }
        self.page[self.length] = value;
        self.length += 1;
    }

    #[inline]
    fn extend(&mut self, mut values: &[T], close: Close<'_>) {
        while values.len() > self.page.len() - self.length {
            let (now, later) = values.split_at(self.page.len() - self.length);
            self.page[self.length..].copy_from_slice(now);
            self.length = self.page.len();
            self.close(close);
            values = later;
        }
        self.page[self.length..][..values.len()].copy_from_slice(values);
        self.length += values.len();
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, close: Close<'_>) {
        close(bytemuck::cast_slice(&self.page[..self.length]), size_of::<T>());
        self.length = 0;
    }
}

/// Flags, a byte each until the page is closed.
struct Flags {
    bytes: Column<u8>,
    bits: Vec<u8>,
}

impl Flags {
    fn new() -> Self {
        Self { bytes: Column::new(), bits: Vec::with_capacity(PAGE / 8) }
    }

    #[inline]
    fn push(&mut self, value: bool, close: Close<'_>) {
        self.extend(&[value], close);
    }

    #[inline]
    fn extend(&mut self, values: &[bool], close: Close<'_>) {
        if self.bytes.length + values.len() > PAGE {
            self.close(close);
        }
        self.bytes.page[self.bytes.length..][..values.len()].copy_from_slice(bytemuck::cast_slice(values));
        self.bytes.length += values.len();
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, close: Close<'_>) {
        let used = self.bytes.length.next_multiple_of(8).min(PAGE);
        self.bytes.page[self.bytes.length..used].fill(0);
        let (groups, _) = self.bytes.page[..used].as_chunks::<8>();
        self.bits.clear();
        self.bits.extend(groups.iter().map(|group| gather(*group)));
        close(&self.bits, 1);
        self.bytes.length = 0;
    }
}

macro_rules! columns {
    ($($name:ident: $type:ty,)*) => {
        struct Columns {
            $($name: $type,)*
        }

        impl Columns {
            fn new() -> Self {
                Self { $($name: <$type>::new(),)* }
            }

            fn close(&mut self, close: Close<'_>) {
                $(self.$name.close(close);)*
            }
        }
    };
}

columns! {
    run: Column<u32>,
    event: Column<u64>,
    weight: Column<f64>,
    met: Column<f32>,
    good: Flags,
    triggers: Flags,
    x: Column<f64>,
    y: Column<f64>,
    z: Column<f64>,
    muons: Column<u64>,
    muon_pt: Column<f32>,
    muon_eta: Column<f32>,
    muon_phi: Column<f32>,
    muon_mass: Column<f32>,
    charge: Column<i32>,
    tight: Flags,
    isos: Column<u64>,
    iso: Column<f32>,
    jets: Column<u64>,
    jet_pt: Column<f32>,
    jet_eta: Column<f32>,
    jet_phi: Column<f32>,
    jet_mass: Column<f32>,
    btag: Column<f32>,
    n_const: Column<u16>,
    constituents: Column<u64>,
    constituent: Column<u32>,
    labels: Column<u64>,
    label: Column<u8>,
    shape: Column<f32>,
    switch: Column<[u32; 3]>,
    mass: Column<f32>,
    leptons: Column<u8>,
}

/// Where the next item of each collection goes.
#[derive(Default)]
struct Counts {
    muons: u64,
    isos: u64,
    jets: u64,
    constituents: u64,
    labels: u64,
    masses: u32,
    leptons: u32,
    nothing: u32,
}

impl Columns {
    fn fill(&mut self, event: &Event, counts: &mut Counts, close: Close<'_>) {
        self.run.push(event.run, close);
        self.event.push(event.event, close);
        self.weight.push(event.weight, close);
        self.met.push(event.met, close);
        self.good.push(event.good, close);
        self.triggers.extend(event.triggers.as_array(), close);
        self.x.push(event.vertex.x, close);
        self.y.push(event.vertex.y, close);
        self.z.push(event.vertex.z, close);
        for muon in &event.muons {
            self.muon_pt.push(muon.pt, close);
            self.muon_eta.push(muon.eta, close);
            self.muon_phi.push(muon.phi, close);
            self.muon_mass.push(muon.mass, close);
            self.charge.push(muon.charge, close);
            self.tight.push(muon.tight, close);
            if let Some(iso) = muon.iso {
                self.iso.push(iso, close);
                counts.isos += 1;
            }
            self.isos.push(counts.isos, close);
        }
        counts.muons += event.muons.len() as u64;
        self.muons.push(counts.muons, close);
        for jet in &event.jets {
            self.jet_pt.push(jet.pt, close);
            self.jet_eta.push(jet.eta, close);
            self.jet_phi.push(jet.phi, close);
            self.jet_mass.push(jet.mass, close);
            self.btag.push(jet.btag, close);
            self.n_const.push(jet.n_const, close);
            self.constituent.extend(&jet.constituents, close);
            counts.constituents += jet.constituents.len() as u64;
            self.constituents.push(counts.constituents, close);
        }
        counts.jets += event.jets.len() as u64;
        self.jets.push(counts.jets, close);
        self.label.extend(event.label.as_bytes(), close);
        counts.labels += event.label.len() as u64;
        self.labels.push(counts.labels, close);
        self.shape.extend(&event.shape, close);
        let (tag, index) = match event.process {
            Process::MinimumBias => (1, &mut counts.nothing),
            Process::DrellYan(mass) => {
                self.mass.push(mass, close);
                (2, &mut counts.masses)
            }
            Process::Top { leptons } => {
                self.leptons.push(leptons, close);
                (3, &mut counts.leptons)
            }
        };
        self.switch.push([*index, 0, tag], close);
        *index += 1;
    }
}

/// Shows every page to `close`.
pub(crate) fn pages(events: &[Event], close: Close<'_>) {
    let mut columns = Columns::new();
    let mut counts = Counts::default();
    for event in events {
        columns.fill(event, &mut counts, close);
    }
    columns.close(close);
}

/// Writes the nested events, uncompressed.
pub fn write(data: &Data, _: Codec, sink: Sink<'_>) {
    let mut sink = sink.open();
    pages(&data.events, &mut |page, _| {
        let hash = xxh3_64(page);
        sink.write_all(page).unwrap();
        sink.write_all(&hash.to_le_bytes()).unwrap();
    });
}
