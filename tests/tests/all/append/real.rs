//! Files by ROOT that grow.

use rntuple::cxx::Cardinality;
use rntuple::field::{ReadField, WriteField};
use rntuple::{Compression, Dataset, ErrorKind, RNTuple, Reader, Value, WriteOptions, Writer};
use rntuple_tests::reference;

use super::types::*;
use super::{append, assert_sound, assert_untouched, open, read};

fn bytes(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(reference::directory()?.join(format!("{name}.root"))).unwrap())
}

/// Appends all entries of the file again, twice; the second time in clusters of their own and uncompressed.
fn grow<T: rntuple::Entry + WriteField + ReadField + Clone + PartialEq + std::fmt::Debug>(
    name: &str,
    path: &str,
) {
    let Some(old) = bytes(name) else { return };
    let entries: Vec<T> = read(&old, path);
    assert!(!entries.is_empty(), "{name}");
    let once = append(old.clone(), path, &entries, WriteOptions::new());
    assert_untouched(&old, &once);
    assert_sound(&once);
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let mut writer =
        Writer::<T, _>::append_to(rntuple::storage::Memory::from(once.clone()), path, options).unwrap();
    for entry in entries.iter().take(20) {
        writer.fill(entry).unwrap();
        writer.commit_cluster().unwrap();
    }
    assert_eq!(writer.entry_count() as usize, 2 * entries.len() + entries.len().min(20));
    let summary = writer.finish_into().unwrap();
    assert_eq!(summary.0.entries as usize, entries.len().min(20));
    let twice = summary.1.into_bytes();
    assert_eq!(summary.0.file_size, twice.len() as u64);
    assert_untouched(&once, &twice);
    assert_sound(&twice);
    let found: Vec<T> = read(&twice, path);
    let wanted = [&entries[..], &entries, &entries[..entries.len().min(20)]].concat();
    assert_eq!(found, wanted, "{name}");
    // What else is in the file is as it was.
    let (before, after) = (open(&old), open(&twice));
    let names = |file: &rntuple::RootFile| -> Vec<_> {
        file.keys().unwrap().iter().map(|key| (key.path(), key.cycle, key.class.clone())).collect()
    };
    assert_eq!(names(&before), names(&after), "{name}");
    for other in before.ntuples().unwrap().iter().map(|key| key.path()).filter(|other| other != path) {
        let values = |file| -> Vec<Value> {
            let reader = Reader::<Value>::open(file, &other).unwrap();
            reader.entries().map(Result::unwrap).collect()
        };
        assert_eq!(values(&before), values(&after), "{name} {other}");
    }
}

#[test]
fn every_file_that_a_type_can_be_written_for_grows() {
    grow::<Lists>("1jag_int_float-v1.0.0.0", "ntuple");
    grow::<Flag>("bit-v1.0.0.0", "ntuple");
    grow::<Oddities>("emptystruct_invalidvar-v1.0.0.0", "ntuple");
    grow::<Reals>("float_types-v1.0.0.0", "ntuple");
    grow::<Pair>("int_float-v1.0.0.0", "ntuple");
    grow::<Vectors>("int_vfloat_tlv_vtlv-v1.0.0.0", "ntuple");
    grow::<Number>("minimal-v1.0.0.0", "myntuple");
    grow::<Groups>("multiple_cluster_groups-v1.0.0.0", "ntuple");
    grow::<Nested>("nested_structs-v1.0.0.0", "ntuple");
    grow::<Split>("split_3e4-v1.0.0.0", "ntuple");
    grow::<Containers>("stl_containers-v1.0.0.0", "ntuple");
    grow::<Contributors>("uncompressed_single-v1.0.0.0", "Contributors");
    grow::<Staff>("ntpl001_staff-v1.0.0.0", "Staff");
    grow::<Staff>("ntpl001_staff-v1.0.1.0", "Staff");
    grow::<Muons>("Run2012BC_DoubleMuParked_Muons_1000evts-v1.0.0.0", "Events");
}

#[test]
fn each_of_several_ntuples_grows() {
    grow::<First>("multiple_rntuples-v1.0.0.0", "A");
    grow::<Second>("multiple_rntuples-v1.0.0.0", "B");
}

#[test]
fn projections_show_the_new_entries() {
    let Some(old) = bytes("Run2012BC_DoubleMuParked_Muons_1000evts-v1.0.0.0") else { return };
    let entries: Vec<Muons> = read(&old, "Events");
    let new = append(old, "Events", &entries[..100], WriteOptions::new());

    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Projected {
        #[rntuple(rename = "Muon_pt")]
        pt: Vec<f32>,
        #[rntuple(rename = "nMuon")]
        count: Cardinality,
    }

    let found: Vec<Projected> = read(&new, "Events");
    assert_eq!(found.len(), 1100);
    for (projected, entry) in found[1000..].iter().zip(&entries) {
        assert_eq!(projected.count.0, entry.muons().len() as u64);
        assert!(projected.pt.iter().copied().eq(entry.muons().iter().map(|muon| muon.pt)));
    }
}

#[test]
fn columns_stay_as_the_file_has_them() {
    let Some(old) = bytes("float_types-v1.0.0.0") else { return };
    let new = append(old.clone(), "ntuple", &read::<Reals>(&old, "ntuple"), WriteOptions::new());
    let columns = |bytes: &[u8]| -> Vec<_> {
        let dataset = Dataset::open(&open(bytes), "ntuple").unwrap();
        dataset.schema().columns().map(|(_, column)| column.clone()).collect()
    };
    assert_eq!(columns(&old), columns(&new));
}

#[test]
fn what_cannot_be_written_is_refused() {
    // Streamed objects, and members that Rust has no words for.
    let Some(old) = bytes("jsroot_all_types-v1.0.1.1") else { return };
    let error = Writer::<Number, _>::append_to(
        rntuple::storage::Memory::from(old.clone()),
        "Data",
        WriteOptions::new(),
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let fields = Dataset::open(&open(&old), "Data").unwrap().schema().top_level().len();
    assert_eq!(error.mismatches().len(), fields + 1, "{error}");
    // Formats before version 1.
    for reference in reference::files("-epoch0-") {
        let old = std::fs::read(&reference.file).unwrap();
        let Ok(ntuples) = open(&old).ntuples() else { continue };
        for key in ntuples {
            let storage = rntuple::storage::Memory::from(old.clone());
            let error =
                Writer::<Number, _>::append_to(storage, &key.path(), WriteOptions::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{}: {error}", reference.name);
        }
    }
}
