//! The records that writers leave for a recovery.

use rntuple::root::RecordKind;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_tests::disk::Disk;

use super::{assert_sound, fill, recover};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Wave {
    number: u64,
    samples: Vec<u16>,
}

fn wave(number: u64) -> Wave {
    let sample = |at: u64| ((number * 48_271 + at * 7919) % 65_521) as u16;
    Wave { number, samples: (0..200).map(sample).collect() }
}

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

/// Bytes of 500 entries: 200 kB.
const CLUSTER: u64 = 500;

#[test]
fn all_clusters_of_a_writer_that_died_are_saved() {
    let disk = Disk::default();
    let mut writer = Writer::<Wave, _>::new(disk.clone(), "Waves", options()).unwrap();
    fill(&mut writer, 0..2300, CLUSTER, wave);
    std::mem::forget(writer);
    let (recovery, file) = recover(disk.bytes()).unwrap();
    assert_eq!((recovery.entries(), recovery.ntuples[0].clusters), (2000, 4));
    assert_eq!((recovery.ntuples[0].counted, recovery.unknown_bytes), (None, 0));
    let reader = rntuple::Reader::<Wave>::open(&file, "Waves").unwrap();
    for (number, entry) in (0..).zip(reader.entries()) {
        assert_eq!(entry.unwrap(), wave(number));
    }
}

/// They are small, and a file with them is as sound as one without.
#[test]
fn they_cost_less_than_half_a_percent() {
    let mut writer = Writer::<Wave, _>::new(Memory::new(), "Waves", options()).unwrap();
    fill(&mut writer, 0..2300, CLUSTER, wave);
    let (summary, storage) = writer.finish_into().unwrap();
    let file = RootFile::from_storage(storage).unwrap();
    assert_sound(&file);
    let dataset = Dataset::open(&file, "Waves").unwrap();
    let mut used = vec![dataset.anchor().header.offset, dataset.anchor().footer.offset];
    let offset = |locator| if let Locator::File { offset, .. } = locator { offset } else { panic!() };
    used.push(offset(dataset.cluster_groups()[0].page_list));
    for cluster in dataset.clusters() {
        let cluster = cluster.unwrap();
        let pages = cluster.columns.iter().flat_map(|column| column.pages.iter());
        used.extend(pages.map(|page| offset(page.locator)));
    }
    let records = file.records().map(|record| record.unwrap()).filter(|record| match &record.kind {
        RecordKind::Object { class, .. } if class == "RBlob" => {
            !used.iter().any(|at| (record.offset..record.offset + record.size).contains(at))
        }
        _ => false,
    });
    let sizes: Vec<u64> = records.map(|record| record.size).collect();
    let (size, pages) = (sizes.iter().sum::<u64>(), summary.page_size + 8 * summary.pages);
    assert!(sizes.len() == 5 && size < pages / 200, "{size} of {pages} in {}", sizes.len());
}

/// Where the page list at the end is damaged, they have what it said.
#[test]
fn a_damaged_page_list_costs_what_came_after_the_last_record() {
    let mut writer = Writer::<Wave, _>::new(Memory::new(), "Waves", options()).unwrap();
    fill(&mut writer, 0..2020, CLUSTER, wave);
    let mut bytes = writer.finish_into().unwrap().1.into_bytes();
    let file = RootFile::from_storage(bytes.clone()).unwrap();
    let group = Dataset::open(&file, "Waves").unwrap().cluster_groups()[0].clone();
    let Locator::File { offset, .. } = group.page_list else { panic!() };
    bytes[offset as usize + 20] ^= 1;
    let (recovery, _) = recover(bytes).unwrap();
    let waves = &recovery.ntuples[0];
    assert_eq!((&waves.saved[..], waves.counted), (&[0..2000][..], Some(2020)));
    assert_eq!(waves.lost[0].entries, 2000..2020);
    let fault = &waves.lost[0].faults[0];
    assert_eq!(fault.location().offset, Some(offset));
    assert!(fault.to_string().contains("the page list of the entries is damaged"), "{fault}");
}

/// Small clusters have none of their own: it would be too large next to them.
#[test]
fn small_clusters_share_one() {
    let disk = Disk::default();
    let mut writer = Writer::<Wave, _>::new(disk.clone(), "Waves", options()).unwrap();
    fill(&mut writer, 0..2300, 200, wave);
    std::mem::forget(writer);
    let (recovery, _) = recover(disk.bytes()).unwrap();
    assert_eq!(recovery.entries(), 2000, "{recovery}");
    assert!(recovery.unknown_bytes > 0);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct More {
    extra: Vec<u16>,
}

/// Columns that came later are known from them, too.
#[test]
fn later_columns_are_saved() {
    let disk = Disk::default();
    let mut writer = Writer::<Wave, _>::new(disk.clone(), "Waves", options()).unwrap();
    fill(&mut writer, 0..700, CLUSTER, wave);
    let mut writer = writer.extend::<More>().unwrap();
    for number in 700..1600 {
        writer.fill_both(&wave(number), &More { extra: vec![number as u16] }).unwrap();
        if (number + 1) % CLUSTER == 0 {
            writer.commit_cluster().unwrap();
        }
    }
    std::mem::forget(writer);
    let (recovery, file) = recover(disk.bytes()).unwrap();
    assert_eq!(recovery.entries(), 1500);
    let reader = rntuple::Reader::<More>::open(&file, "Waves").unwrap();
    for (number, entry) in (0..).zip(reader.entries()) {
        let wanted = if number < 700 { vec![] } else { vec![number as u16] };
        assert_eq!(entry.unwrap().extra, wanted, "{number}");
    }
}
