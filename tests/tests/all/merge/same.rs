//! Inputs of one schema.

use proptest::prelude::*;
use rntuple::compression::Algorithm;
use rntuple::merge::{Input, MergeOptions, Summary, merge_into};
use rntuple::root::FileOptions;
use rntuple::schema::{Locator, PageLocation};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, RNTuple, RootFile, RootFileWriter, WriteOptions};
use rntuple_tests::clusters;
use rntuple_tests::forge::Forge;
use rntuple_tests::sample::{Event, One, Sample, samples};

use super::common::{all_entries, entries, merge, refused, typed, write};

fn settings() -> impl Strategy<Value = Compression> {
    prop_oneof![
        Just(Compression::NONE),
        (0..Algorithm::ALL.len(), 1..4u8).prop_map(|(index, level)| Compression::new(
            Algorithm::ALL[index],
            level
        )
        .unwrap()),
    ]
}

prop_compose! {
    fn input()(
        count in 0..60usize,
        seed in any::<u64>(),
        settings in settings(),
        cluster in 200..6000u64,
        page in 8..600usize,
        checksums in any::<bool>(),
        share in any::<bool>(),
    ) -> (usize, u64, WriteOptions) {
        let options = WriteOptions::new()
            .compression(settings)
            .cluster_size(cluster)
            .max_page_length(page)
            .checksums(checksums)
            .share_pages(share);
        (count, seed, options)
    }
}

fn compare<T: Sample + rntuple::Entry + rntuple::field::WriteField>(
    specs: &[(usize, u64, WriteOptions)],
    compression: Option<Compression>,
    single: bool,
) {
    let files: Vec<RootFile> = specs
        .iter()
        .map(|(count, seed, options)| write::<T>(&samples(*count, *seed), options.clone()))
        .collect();
    let options = || {
        let options = MergeOptions::new().single_group(single);
        match compression {
            Some(settings) => options.compression(settings),
            None => options,
        }
    };
    let (summary, merged) = merge(&files, options());
    assert_eq!(entries(&merged, "Events"), all_entries(&files, "Events"));
    let count: usize = specs.iter().map(|(count, _, _)| count).sum();
    assert_eq!(summary.entries, count as u64);
    let dataset = Dataset::open(&merged, "Events").unwrap();
    assert_eq!(dataset.entry_count(), count as u64);
    assert_eq!(dataset.cluster_count(), summary.clusters);
    let filled = specs.iter().filter(|(count, _, _)| *count > 0).count();
    assert_eq!(dataset.cluster_groups().len(), if single { filled.min(1) } else { filled });
    for column in clusters(&dataset).iter().flat_map(|cluster| &cluster.columns) {
        assert!(column.pages.iter().all(|page| page.has_checksum));
        if let Some(settings) = compression.filter(|_| column.first_element.is_some()) {
            assert_eq!(column.compression, settings.code());
        }
    }
    // Once more, and merged with itself.
    let again = merge_into(&super::common::inputs(&files), Memory::new(), options()).unwrap().1;
    let bytes = merged.storage().block(0..merged.end()).unwrap();
    assert!(again.as_bytes() == &*bytes, "the same inputs and options give the same bytes");
    let twice = merge(&[merged.clone(), merged.clone()], MergeOptions::new()).1;
    let mut wanted = entries(&merged, "Events");
    wanted.extend(wanted.clone());
    assert_eq!(entries(&twice, "Events"), wanted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_merged_file_holds_the_entries_of_its_inputs(
        specs in prop::collection::vec(input(), 1..5),
        compression in prop::option::of(settings()),
        single in any::<bool>(),
        which in 0..4,
    ) {
        match which {
            0 => compare::<Event>(&specs, compression, single),
            1 => compare::<One<Vec<Option<String>>>>(&specs, compression, single),
            2 => compare::<One<rntuple_tests::sample::Process>>(&specs, compression, single),
            _ => compare::<One<[(u8, bool); 3]>>(&specs, compression, single),
        }
    }
}

#[test]
fn nothing_is_compressed_anew_unless_asked_for() {
    let entries: Vec<Event> = samples(500, 1);
    let file = write(&entries, WriteOptions::new().compression(Compression::zstd(3)));
    let (kept, merged) = merge(&[file.clone(), file.clone()], MergeOptions::new());
    assert_eq!((kept.recompressed_pages, kept.zero_pages), (0, 0));
    let (same, _) = merge(std::slice::from_ref(&file), MergeOptions::new().compression(Compression::zstd(3)));
    assert_eq!(same.recompressed_pages, 0);
    let (other, lz4) =
        merge(std::slice::from_ref(&file), MergeOptions::new().compression(Compression::lz4(4)));
    assert_eq!(other.recompressed_pages, other.pages);
    assert!(other.page_size > same.page_size);
    // What is stored is what was stored.
    let pages = |file: &RootFile, cluster: usize| {
        let dataset = Dataset::open(file, "Events").unwrap();
        let columns = clusters(&dataset)[cluster].columns.clone();
        let pages = columns.iter().flat_map(|column| column.pages.clone());
        pages
            .map(|page| {
                let Locator::File { offset, size } = page.locator else { panic!() };
                (page.count, file.storage().block(offset..offset + size + 8).unwrap().to_vec())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(pages(&file, 0), pages(&merged, 0));
    assert_eq!(pages(&file, 0), pages(&merged, 1));
    assert_ne!(pages(&file, 0), pages(&lz4, 0));
    assert_eq!(typed::<Event>(&lz4), entries);
}

#[test]
fn pages_that_share_their_bytes_go_on_doing_so() {
    #[derive(RNTuple, Clone)]
    struct Twins {
        a: u64,
        b: u64,
    }
    let twins: Vec<Twins> = (0..1000).map(|i| Twins { a: i, b: i }).collect();
    for compression in [None, Some(Compression::lz4(1))] {
        let file = write(&twins, WriteOptions::new());
        let mut options = MergeOptions::new();
        if let Some(settings) = compression {
            options = options.compression(settings);
        }
        let (summary, merged) = merge(&[file], options);
        assert_eq!(summary.pages, 1);
        let dataset = Dataset::open(&merged, "Events").unwrap();
        let columns = &dataset.cluster(0).unwrap().columns;
        assert_eq!(columns[0].pages, columns[1].pages);
    }
}

#[test]
fn raw_pages_keep_their_alignment() {
    let entries: Vec<Event> = samples(200, 1);
    let options = || WriteOptions::new().max_page_length(100).compression(Compression::NONE);
    let file = write(&entries, options());
    let unsigned = write(&entries, options().checksums(false));
    let (_, merged) = merge(&[file, unsigned], MergeOptions::new());
    let dataset = Dataset::open(&merged, "Events").unwrap();
    for page in
        clusters(&dataset).iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages)
    {
        let Locator::File { offset, .. } = page.locator else { panic!() };
        assert_eq!(offset % 8, 0);
    }
}

#[test]
fn pages_in_several_blobs_are_gathered() {
    let entries: Vec<One<String>> =
        (0..3000u32).map(|i| One { value: i.wrapping_mul(2_654_435_761).to_string() }).collect();
    let options = WriteOptions::new().compression(Compression::NONE).max_page_length(1000).max_key_size(1008);
    let file = write(&entries, options);
    let (_, merged) = merge(&[file.clone(), file], MergeOptions::new());
    assert_eq!(typed::<One<String>>(&merged), [entries.clone(), entries].concat());
    assert_eq!(Dataset::open(&merged, "Events").unwrap().anchor().max_key_size, 1 << 30);
}

/// uproot up to 5.6.2 writes one for a column without elements.
#[test]
fn pages_without_elements_are_left_out() {
    let some = [vec![1u16, 2], vec![], vec![3]].map(|value| One { value });
    for lists in [&some[..], &[One { value: vec![] }]] {
        let file = write(lists, WriteOptions::new().compression(Compression::NONE));
        let bytes = file.storage().block(0..file.end()).unwrap().to_vec();
        let forged = Forge::new(bytes).clusters(|clusters| {
            for column in &mut clusters[0].columns {
                let empty = PageLocation::new(0, false, Locator::File { offset: 100, size: 0 });
                column.pages.insert(0, empty);
                column.pages.push(empty);
            }
        });
        let files = [RootFile::from_storage(Memory::from(forged.into_bytes())).unwrap(), file];
        for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::lz4(1))] {
            let merged = merge(&files, options).1;
            assert_eq!(typed::<One<Vec<u16>>>(&merged), [lists, lists].concat());
            for cluster in clusters(&Dataset::open(&merged, "Events").unwrap()) {
                let mut pages = cluster.columns.iter().flat_map(|column| &column.pages);
                assert!(pages.all(|page| page.count > 0), "{cluster:?}");
            }
        }
    }
}

#[test]
fn ntuples_are_chosen_by_path_and_get_a_path() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    for (path, number) in [("Events", 1u8), ("reco/Events", 2)] {
        let mut writer = file.writer::<One<u8>>(path, WriteOptions::new().description("said")).unwrap();
        writer.fill(&One { value: number }).unwrap();
        writer.finish().unwrap();
    }
    let file = RootFile::from_storage(file.finish().unwrap()).unwrap();
    let error = refused(std::slice::from_ref(&file), MergeOptions::new());
    assert_eq!(error.message(), "the file has 2 ntuples, choose one: \"Events\", \"reco/Events\"");
    let inputs = [Input::open(&file).ntuple("reco/Events"), Input::open(&file).ntuple("Events")];
    for (path, options) in
        [("reco/Events", MergeOptions::new()), ("a/b/All", MergeOptions::new().ntuple("a/b/All"))]
    {
        let (_, memory) = merge_into(&inputs, Memory::new(), options).unwrap();
        let merged = RootFile::from_storage(memory).unwrap();
        assert_eq!(merged.ntuples().unwrap()[0].path(), path);
        assert_eq!(entries(&merged, path), [r#"{"value":2}"#, r#"{"value":1}"#]);
        let dataset = Dataset::open(&merged, path).unwrap();
        assert_eq!(dataset.description(), "said");
        assert_eq!(dataset.name(), path.rsplit('/').next().unwrap());
    }
    let (_, error) = (0, merge_into(&inputs, Memory::new(), MergeOptions::new().ntuple("a b")).unwrap_err());
    assert!(error.to_string().contains("a b"), "{error}");
    assert!(
        merge_into(&[], Memory::new(), MergeOptions::new())
            .unwrap_err()
            .to_string()
            .contains("at least one input")
    );
}

#[test]
fn progress_ends_with_all_entries() {
    let file = write::<Event>(&samples(300, 4), WriteOptions::new().cluster_size(4000));
    let mut seen = Vec::new();
    let options = MergeOptions::new().progress(|at| {
        assert_eq!(at.entry_count, 600);
        seen.push((at.entries, at.bytes));
    });
    let (summary, _) = merge(&[file.clone(), file], options);
    assert!(seen.is_sorted_by_key(|at| at.0), "{seen:?}");
    assert_eq!(seen.last().unwrap().0, summary.entries);
    assert!(seen.len() as u64 >= summary.clusters);
}

#[test]
fn a_summary_adds_up() {
    let file = write::<Event>(&samples(300, 4), WriteOptions::new().cluster_size(4000));
    let (summary, merged) = merge(&[file.clone(), file], MergeOptions::new());
    let Summary { entries, file_size, page_size, .. } = summary;
    assert_eq!(entries, 600);
    assert_eq!(file_size, merged.end());
    assert!(page_size < file_size && page_size > file_size / 2);
}
