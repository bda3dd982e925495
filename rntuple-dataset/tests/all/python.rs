//! The data set that the tests of the Python package read: it has a column that was added, and deleted rows.

use std::path::Path;

use rntuple::RNTuple;
use rntuple_dataset::Table;

#[derive(RNTuple)]
struct Row {
    number: u64,
    energy: f64,
}

#[derive(RNTuple)]
struct Raw {
    energy: f64,
}

#[derive(RNTuple)]
struct Calibrated {
    calibrated: f64,
    hits: Vec<u8>,
}

#[test]
#[ignore = "it writes a folder of the Python package"]
fn write_the_data_set_of_the_python_package() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rntuple-python/tests/data/columns.rnds");
    let _ = std::fs::remove_dir_all(&folder);
    let table = Table::create::<Row>(folder.to_str().unwrap(), "Events").unwrap();
    let rows = |numbers: std::ops::Range<u32>| numbers.map(|n| Row { number: n.into(), energy: n.into() });
    for numbers in [0..10, 10..30] {
        table.append::<Row>(|writer| rows(numbers).try_for_each(|row| writer.fill(&row))).unwrap();
    }
    table.delete_where(&"number >= 5 and number < 12".parse().unwrap()).unwrap();
    let calibrate = |raw: Raw| Calibrated {
        calibrated: 2.0 * raw.energy,
        hits: if raw.energy < 20.0 { vec![] } else { vec![1, 2] },
    };
    table.add_columns(|rows: Vec<Raw>| rows.into_iter().map(calibrate).collect()).unwrap();
    table.rename_column("energy", "raw").unwrap();
}
