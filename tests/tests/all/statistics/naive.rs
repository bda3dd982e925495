//! What statistics should say, found by reading every element of every column through the public readers.

use rntuple::encoding::{ColumnType, Element};
use rntuple::schema::{ClusterId, ColumnId, Role};
use rntuple::statistics::{Bounds, Statistics};
use rntuple::storage::Memory;
use rntuple::{Dataset, Limits, Reader, RootFile, Value};

pub(super) fn dataset(storage: &Memory) -> Dataset {
    let file = RootFile::from_storage(storage.clone()).unwrap().with_limits(Limits::new());
    Dataset::open(&file, "Events").unwrap()
}

/// A page: elements, nulls, not numbers, bounds.
type Page = (u64, u64, u64, Bounds);

fn real(values: impl IntoIterator<Item = f64>) -> Page {
    let (mut all, mut nan, mut min, mut max) = (0, 0, f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        all += 1;
        nan += u64::from(value.is_nan());
        min = min.min(value);
        max = max.max(value);
    }
    if all == nan {
        (min, max) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    (all, 0, nan, Bounds::Real { min, max })
}

fn signed(values: Vec<i64>) -> Page {
    let bounds = Bounds::Signed { min: *values.iter().min().unwrap(), max: *values.iter().max().unwrap() };
    (values.len() as u64, 0, 0, bounds)
}

fn unsigned(values: Vec<u64>, has_nulls: bool) -> Page {
    let nulls = if has_nulls { values.iter().filter(|value| **value == 0).count() } else { 0 };
    let bounds = Bounds::Unsigned { min: *values.iter().min().unwrap(), max: *values.iter().max().unwrap() };
    (values.len() as u64, nulls as u64, 0, bounds)
}

/// What is known of each page of a field's columns, cluster by cluster.
fn pages_of<E: Element>(
    storage: &Memory,
    path: &str,
    dataset: &Dataset,
    columns: &[ColumnId],
    page: impl Fn(Vec<E>) -> Page,
) -> Vec<Vec<Page>> {
    let reader = Reader::<Value>::open(storage.clone(), "Events").unwrap();
    let mut values = reader.column::<E>(path).unwrap();
    by_cluster(dataset, columns, |count| {
        let mut out = Vec::new();
        values.read_into(count as usize, &mut out).unwrap();
        page(out)
    })
}

fn by_cluster(dataset: &Dataset, columns: &[ColumnId], mut next: impl FnMut(u32) -> Page) -> Vec<Vec<Page>> {
    let clusters = dataset.clusters().map(|cluster| {
        let cluster = cluster.unwrap();
        let mut ranges = columns.iter().filter_map(|column| cluster.columns.get(column.index()));
        let range = ranges.rfind(|range| range.first_element.is_some());
        range.map_or_else(Vec::new, |range| range.pages.iter().map(|page| next(page.count)).collect())
    });
    clusters.collect()
}

/// Compares statistics of every column with what its elements say; returns how many columns had any.
pub(super) fn assert_right(storage: &Memory, statistics: &Statistics) -> usize {
    let dataset = dataset(storage);
    let schema = dataset.schema();
    let mut known = 0;
    for (id, field) in schema.fields() {
        let representations = schema.representations(id);
        let Some(first) = representations.first().and_then(|columns| columns.first()) else { continue };
        if field.projection_source.is_some() {
            continue;
        }
        let columns: Vec<ColumnId> = representations.iter().map(|columns| columns[0]).collect();
        let path = schema.path(id);
        use ColumnType as C;
        let expected = match schema.column(*first).unwrap().column_type().unwrap() {
            C::Bit => pages_of::<bool>(storage, &path, &dataset, &columns, |values| {
                unsigned(values.into_iter().map(u64::from).collect(), false)
            }),
            C::Int8 | C::Int16 | C::SplitInt16 | C::Int32 | C::SplitInt32 | C::Int64 | C::SplitInt64 => {
                pages_of::<i64>(storage, &path, &dataset, &columns, signed)
            }
            C::UInt8
            | C::UInt16
            | C::SplitUInt16
            | C::UInt32
            | C::SplitUInt32
            | C::UInt64
            | C::SplitUInt64 => {
                pages_of::<u64>(storage, &path, &dataset, &columns, |values| unsigned(values, false))
            }
            C::Index32 | C::SplitIndex32 | C::Index64 | C::SplitIndex64 => {
                let reader = Reader::<Value>::open(storage.clone(), "Events").unwrap();
                if representations[0].len() == 2 {
                    let mut texts = texts_of(storage, &path).into_iter();
                    by_cluster(&dataset, &columns, |count| {
                        unsigned(
                            texts.by_ref().take(count as usize).map(|text| text.len() as u64).collect(),
                            true,
                        )
                    })
                } else {
                    let mut sizes = reader.sizes(&path).unwrap();
                    by_cluster(&dataset, &columns, |count| {
                        let mut out = Vec::new();
                        sizes.read_into(count as usize, &mut out).unwrap();
                        unsigned(out, true)
                    })
                }
            }
            C::Switch | C::Byte | C::Char => continue,
            // As numbers of either precision.
            _ => {
                let exact = pages_of::<f64>(storage, &path, &dataset, &columns, real);
                let column_type = |column: &ColumnId| schema.column(*column).unwrap().column_type();
                let single = if columns.iter().any(|column| column_type(column) == Some(C::Real32Quant)) {
                    pages_of::<f32>(storage, &path, &dataset, &columns, |values| {
                        real(values.into_iter().map(f64::from))
                    })
                } else {
                    exact.clone()
                };
                let is_quant = |cluster: usize| {
                    let cluster = dataset.cluster(cluster as u64).unwrap();
                    columns.iter().any(|column| {
                        let range = cluster.columns.get(column.index());
                        let column = schema.column(*column).unwrap();
                        column.column_type() == Some(C::Real32Quant)
                            && range.is_some_and(|range| range.first_element.is_some())
                    })
                };
                let both = exact.into_iter().zip(single).enumerate().map(|(number, (exact, single))| {
                    if !is_quant(number) {
                        return exact;
                    }
                    let wider = |(exact, single): (Page, Page)| {
                        let (Bounds::Real { min, max }, Bounds::Real { min: low, max: high }) =
                            (exact.3, single.3)
                        else {
                            panic!()
                        };
                        (exact.0, exact.1, exact.2, Bounds::Real { min: min.min(low), max: max.max(high) })
                    };
                    exact.into_iter().zip(single).map(wider).collect()
                });
                both.collect()
            }
        };
        let found = statistics.field(id, 0).unwrap();
        for (number, expected) in expected.iter().enumerate() {
            let cluster = ClusterId(number as u32);
            let pages = found.pages(cluster).unwrap_or_else(|| panic!("{path}: cluster {number}"));
            let pages: Vec<Page> =
                pages.iter().map(|page| (page.elements, page.nulls, page.nan_count, page.bounds)).collect();
            assert_eq!(&pages, expected, "{path}: cluster {number}");
            for page in &pages {
                if let Bounds::Real { min, max } = page.3 {
                    assert!(min != 0.0 || min.is_sign_negative(), "{path}");
                    assert!(max != 0.0 || max.is_sign_positive(), "{path}");
                }
            }
            let whole = found.cluster(cluster).unwrap();
            assert_eq!(whole.elements, expected.iter().map(|page| page.0).sum::<u64>(), "{path}");
            assert_eq!(whole.nulls, expected.iter().map(|page| page.1).sum::<u64>(), "{path}");
            assert_eq!(whole.nan_count, expected.iter().map(|page| page.2).sum::<u64>(), "{path}");
            let numbers: Vec<&Page> = expected.iter().filter(|page| page.0 > page.2).collect();
            match whole.bounds {
                Bounds::Real { min, max } if !numbers.is_empty() => {
                    let bounds = numbers.iter().map(|page| match page.3 {
                        Bounds::Real { min, max } => (min, max),
                        _ => panic!("{path}"),
                    });
                    let all = bounds.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (min, max)| {
                        (low.min(min), high.max(max))
                    });
                    assert_eq!((min, max), all, "{path}");
                }
                Bounds::Real { min, max } => {
                    assert_eq!((min, max), (f64::NEG_INFINITY, f64::INFINITY), "{path}");
                }
                _ => {}
            }
        }
        if schema.field(id).unwrap().role == Role::Plain && representations[0].len() == 2 {
            assert_texts(storage, &path, &dataset, statistics);
        }
        assert_eq!(
            found.file().map(|all| all.elements),
            Some(expected.iter().flatten().map(|page| page.0).sum()).filter(|_| !expected.is_empty())
        );
        known += 1;
    }
    known
}

/// Strings are within their bounds, which are tight where strings are short.
fn assert_texts(storage: &Memory, path: &str, dataset: &Dataset, statistics: &Statistics) {
    let id = dataset.schema().find(path).unwrap();
    let found = statistics.field(id, 0).unwrap();
    let mut all = texts_of(storage, path).into_iter();
    for (number, cluster) in dataset.clusters().enumerate() {
        let cluster = cluster.unwrap();
        let column = dataset.schema().representations(id)[0][0];
        let count = cluster.columns[column.index()].stored_count();
        let texts: Vec<String> = all.by_ref().take(count as usize).collect();
        let whole = found.cluster(ClusterId(number as u32)).unwrap();
        let Some(least) = texts.iter().min() else {
            assert_eq!(whole.text, None);
            continue;
        };
        let greatest = texts.iter().max().unwrap();
        let text = whole.text.as_ref().unwrap();
        assert!(text.min.as_ref().unwrap() <= least);
        assert!(text.max.as_ref().is_none_or(|max| max >= greatest));
        if greatest.len() <= 64 {
            assert_eq!(text.max.as_ref(), Some(greatest));
        }
        if least.len() <= 64 {
            assert_eq!(text.min.as_ref(), Some(least));
        }
    }
}

/// All strings at a path, in their order.
fn texts_of(storage: &Memory, path: &str) -> Vec<String> {
    let reader = Reader::<Value>::open(storage.clone(), "Events").unwrap();
    let mut texts = Vec::new();
    for event in reader.entries() {
        gather(&event.unwrap(), path, &mut texts);
    }
    texts
}

/// Appends the strings at a path.
fn gather(value: &Value, path: &str, out: &mut Vec<String>) {
    if let Some(items) = value.items() {
        let rest = path.strip_prefix("_0").map_or(path, |rest| rest.trim_start_matches('.'));
        items.iter().for_each(|item| gather(item, rest, out));
        return;
    }
    if path.is_empty() {
        if let Value::String(text) = value {
            out.push(text.clone());
        }
        return;
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if let Some(member) = value.get(name) {
        gather(member, rest, out);
    }
}
