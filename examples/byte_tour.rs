//! Walks through the bytes of a small file. Explained in the book, chapter "What is in the file".

use std::fmt::Write as _;

use rntuple::root::{EnvelopeSpan, RecordKind};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, RNTuple, Result, RootFile, WriteOptions, Writer};

// ANCHOR: file
#[derive(RNTuple)]
struct Event {
    number: u32,
    hits: Vec<f32>,
}

/// Three entries, nothing compressed.
fn file() -> Result<Vec<u8>> {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::new(Memory::new(), "Events", options)?;
    writer.fill(&Event { number: 7, hits: vec![1.0] })?;
    writer.fill(&Event { number: 8, hits: vec![] })?;
    writer.fill(&Event { number: 9, hits: vec![2.0, 3.0] })?;
    Ok(writer.finish_into()?.1.into_bytes())
}
// ANCHOR_END: file

/// Bytes from `offset` on, sixteen to a line, with what they look like as text.
fn dump(bytes: &[u8], offset: u64, size: u64) -> String {
    let (start, size) = (usize::try_from(offset).unwrap_or(usize::MAX), usize::try_from(size).unwrap_or(0));
    let mut out = String::new();
    let part = bytes.get(start..start + size).unwrap_or_default();
    for (line, row) in part.chunks(16).enumerate() {
        let hex: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = row.iter().map(|&byte| if (b' '..=b'~').contains(&byte) { char::from(byte) } else { '.' });
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "{:>5}  {:<47}  {}", start + 16 * line, hex.join(" "), text.collect::<String>());
    }
    out
}

/// All records of the file, one to a line.
pub(crate) fn records() -> Result<String> {
    let file = RootFile::from_storage(file()?)?;
    let dataset = Dataset::open(&file, "Events")?;
    let mut parts: Vec<(&str, u64)> =
        vec![("header", dataset.anchor().header.offset), ("footer", dataset.anchor().footer.offset)];
    let is_at = |locator: &Locator| if let Locator::File { offset, .. } = locator { *offset } else { 0 };
    parts.extend(dataset.cluster_groups().iter().map(|group| ("page list", is_at(&group.page_list))));
    for cluster in dataset.clusters() {
        let cluster = cluster?;
        let pages = cluster.columns.iter().flat_map(|column| &column.pages);
        parts.extend(pages.map(|page| ("pages", is_at(&page.locator))));
    }
    let mut out =
        "offset  size  class          what it is\n     0   100  -              file header\n".to_owned();
    for record in file.records() {
        let record = record?;
        let (class, name) = match &record.kind {
            RecordKind::Object { class, name, .. } => (class.as_str(), name.as_str()),
            _ => ("-", "gap"),
        };
        let inside = record.offset..record.offset + record.size;
        let part = parts.iter().find(|(_, offset)| inside.contains(offset)).map(|(part, _)| *part);
        let what = match (class, part, record.offset) {
            ("RBlob", Some(part), _) => part.to_owned(),
            ("TFile", _, 100) => "root directory".to_owned(),
            ("TFile", ..) => "a list of the root directory".to_owned(),
            ("ROOT::RNTuple", ..) => format!("anchor of {name}"),
            _ => name.to_owned(),
        };
        let _ = writeln!(out, "{:>6} {:>5}  {class:<14} {what}", record.offset, record.size);
    }
    Ok(out)
}

/// The bytes of one part.
pub(crate) fn part(name: &str) -> Result<String> {
    let bytes = file()?;
    let file = RootFile::from_storage(bytes.clone())?;
    let dataset = Dataset::open(&file, "Events")?;
    let span = |EnvelopeSpan { offset, size, .. }| (offset, size);
    let at = |locator: &Locator| match locator {
        Locator::File { offset, size } => (*offset, *size),
        _ => (0, 0),
    };
    let (offset, size) = match name {
        "file-header" => (0, 63),
        "header" => span(dataset.anchor().header),
        "footer" => span(dataset.anchor().footer),
        "anchor" => {
            let key = file.anchor("Events")?.0;
            (key.offset, key.size)
        }
        "page-list" => dataset.cluster_groups().first().map_or((0, 0), |group| at(&group.page_list)),
        _ => {
            let clusters = dataset.clusters().collect::<Result<Vec<_>>>()?;
            let columns = clusters.iter().flat_map(|cluster| &cluster.columns);
            let pages: Vec<_> =
                columns.flat_map(|column| &column.pages).map(|page| at(&page.locator)).collect();
            let first = pages.iter().map(|page| page.0).min().unwrap_or(0);
            let last = pages.iter().map(|page| page.0 + page.1 + 8).max().unwrap_or(0);
            (first, last - first)
        }
    };
    Ok(dump(&bytes, offset, size))
}

/// The parts that the book shows.
pub(crate) const PARTS: [&str; 6] = ["file-header", "anchor", "header", "pages", "page-list", "footer"];

fn main() -> Result<()> {
    print!("{}", records()?);
    for name in PARTS {
        print!("\n{name}\n{}", part(name)?);
    }
    Ok(())
}

#[test]
fn what_the_book_says_of_the_pages_is_true() -> Result<()> {
    let bytes = file()?;
    let dataset = Dataset::open(&RootFile::from_storage(bytes.clone())?, "Events")?;
    let page = |column: usize| {
        let page = dataset.cluster(0).unwrap().columns[column].pages[0];
        let Locator::File { offset, size } = page.locator else { panic!("a page is somewhere else") };
        let (offset, size) = (usize::try_from(offset).unwrap(), usize::try_from(size).unwrap());
        &bytes[offset..offset + size]
    };
    assert_eq!(page(0), [7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
    assert_eq!(page(1), [1u64, 1, 3].map(u64::to_le_bytes).concat());
    assert_eq!(page(2), [1.0f32, 2.0, 3.0].map(f32::to_le_bytes).concat());
    main()
}
