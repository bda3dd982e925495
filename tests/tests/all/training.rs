//! Epochs: every entry of a part once, in an order that stays what it is.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use rntuple::storage::Memory;
use rntuple::training::{Epoch, Window};
use rntuple::{ErrorKind, RNTuple, Reader, RootFile, WriteOptions, Writer};

#[derive(RNTuple)]
struct Event {
    number: u64,
    halves: Vec<u32>,
}

fn file(numbers: std::ops::Range<u64>) -> RootFile {
    let options = WriteOptions::new().cluster_size(30_000).max_page_length(4096);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in numbers {
        writer.fill(&Event { number, halves: vec![number as u32 / 2; number as usize % 3] }).unwrap();
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

/// The numbers of the entries of a window, in its order.
fn numbers(window: &Window) -> Vec<u64> {
    let entries: Vec<u64> = window.entries().iter().collect();
    assert_eq!(entries.len(), window.order().len());
    window.order().iter().map(|position| entries[*position]).collect()
}

/// The numbers of the entries in the order of an epoch.
fn order(epoch: &Epoch, entry_count: u64) -> Vec<u64> {
    epoch.windows(entry_count).flat_map(|window| numbers(&window)).collect()
}

#[test]
fn entries_come_in_the_order_of_the_epoch() {
    let reader = Reader::<Event>::open(vec![file(0..30_000), file(30_000..50_000)], "Events").unwrap();
    for epoch in [Epoch::new(7), Epoch::new(7).number(3).buffer(5000), Epoch::new(8).part(0.25..0.5).unwrap()]
    {
        let events: Vec<Event> = reader.epoch(&epoch).unwrap().map(Result::unwrap).collect();
        let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
        assert_eq!(numbers, order(&epoch, 50_000));
        for event in &events {
            assert_eq!(event.halves, vec![event.number as u32 / 2; event.number as usize % 3]);
        }
    }
}

#[test]
fn the_order_of_a_seed_stays_what_it_is() {
    let first = |epoch: &Epoch, count| numbers(&epoch.windows(count).next().unwrap())[..8].to_vec();
    // As computed by an implementation in another language.
    assert_eq!(first(&Epoch::new(0), 10), [3, 4, 0, 9, 5, 2, 8, 6]);
    assert_eq!(
        first(&Epoch::new(42), 100_000),
        [21_033, 51_295, 67_701, 94_284, 34_926, 79_762, 41_341, 15_036]
    );
    assert_eq!(
        first(&Epoch::new(42).number(1), 100_000),
        [39_037, 37_559, 62_238, 31_487, 37_481, 48_255, 82_031, 28_848]
    );
    let far = first(&Epoch::new(42).buffer(1), 1 << 60);
    assert_eq!(far[..2], [564_095_818_785_342_962, 564_095_818_785_348_200]);
}

#[test]
fn orders_differ_by_seed_and_by_number() {
    let orders: BTreeSet<Vec<u64>> = (0..4)
        .flat_map(|seed| (0..4).map(move |number| order(&Epoch::new(seed).number(number), 20_000)))
        .collect();
    assert_eq!(orders.len(), 16);
    assert_eq!(order(&Epoch::in_order(), 20_000), (0..20_000).collect::<Vec<_>>());
}

#[test]
fn neighbours_are_far_apart() {
    // In a random order of n, neighbours are n / 3 apart on average.
    let order = order(&Epoch::new(1), 90_000);
    let sum: u64 = order.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
    let mean = sum / order.len() as u64;
    assert!((28_000..32_000).contains(&mean), "{mean}");
    // And no position keeps its entry more often than by chance.
    let kept = order.iter().enumerate().filter(|(position, entry)| *position as u64 == **entry).count();
    assert!(kept < 10, "{kept}");
}

#[test]
fn parts_are_exact_in_every_block() {
    for (part, wanted) in [(0.0..0.8, 80_000), (0.8..1.0, 20_000)] {
        let epoch = Epoch::new(3).part(part).unwrap();
        assert!(order(&epoch, 100_000).len().abs_diff(wanted) < 13);
        // The same entries in every epoch.
        let sets = [0, 1]
            .map(|number| order(&epoch.clone().number(number), 100_000).into_iter().collect::<BTreeSet<_>>());
        assert_eq!(sets[0], sets[1]);
    }
}

#[test]
fn parts_are_within_the_whole() {
    let refused = [0.5..0.4, -0.1..0.5, 0.0..1.1, f64::NAN..1.0, 0.0..f64::NAN];
    for part in refused {
        let error = Epoch::new(0).part(part).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().starts_with("a part is within 0.0..1.0, and not "), "{error}");
    }
}

/// What a file claims costs neither memory nor time before it is read.
#[test]
fn any_number_of_entries_is_ordered() {
    for epoch in [Epoch::new(1), Epoch::in_order()] {
        let window = epoch.windows(u64::MAX).next().unwrap();
        assert_eq!(window.order().len(), 106_496);
        assert_eq!(epoch.clone().part(0.5..0.5).unwrap().windows(u64::MAX).next(), None);
        assert_eq!(epoch.part(0.0..1e-9).unwrap().windows(u64::MAX).next(), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_entry_is_in_one_part_once(
        seed: u64,
        number: u64,
        entry_count in 0u64..40_000,
        buffer in 0u64..50_000,
        cuts in proptest::collection::vec(0.0f64..1.0, 0..4),
        is_shuffled: bool,
    ) {
        let mut cuts = cuts;
        cuts.extend([0.0, 1.0]);
        cuts.sort_by(f64::total_cmp);
        let epoch = if is_shuffled { Epoch::new(seed).number(number) } else { Epoch::in_order() };
        let mut found = Vec::new();
        for pair in cuts.windows(2) {
            let part = epoch.clone().buffer(buffer).part(pair[0]..pair[1]).unwrap();
            for window in part.windows(entry_count) {
                prop_assert!(window.entries().entry_count() < buffer + 8192 + u64::from(buffer == 0));
            }
            let numbers = order(&part, entry_count);
            prop_assert_eq!(numbers.len() as u64, part.entry_count(entry_count));
            found.extend(numbers);
        }
        found.sort_unstable();
        prop_assert!(found.into_iter().eq(0..entry_count));
    }
}
