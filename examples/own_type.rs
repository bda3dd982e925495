//! Stores a type in a form of its own. Explained in the book, chapter "Types of your own".

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rntuple::field::{
    ColumnReader, ColumnWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField,
};
use rntuple::schema::TypeName;
use rntuple::storage::Memory;
use rntuple::{Entry, RNTuple, Reader, Result, Value, WriteOptions, Writer};

// ANCHOR: newtype
/// A newtype is stored as what is inside it; the derive is all it needs.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
struct Energy(f32);
// ANCHOR_END: newtype

// ANCHOR: write
/// A point in time; in the file: nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Time(SystemTime);

impl WriteField for Time {
    type Writer = ColumnWriter<u64>;

    fn type_name() -> TypeName {
        u64::type_name()
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        u64::declare(field)
    }
}

impl FieldWriter<Time> for ColumnWriter<u64> {
    fn append(&mut self, time: &Time) -> usize {
        let since = time.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        // Until the year 2554.
        self.append(&u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}
// ANCHOR_END: write

// ANCHOR: read
impl ReadField for Time {
    type Reader = ColumnReader<u64>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        u64::connect(field, reader)
    }
}

impl FieldReader<Time> for ColumnReader<u64> {
    fn read(&mut self) -> Result<Time> {
        let nanoseconds: u64 = self.read()?;
        Ok(Time(UNIX_EPOCH + Duration::from_nanos(nanoseconds)))
    }
}
// ANCHOR_END: read

// ANCHOR: use
#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    time: Time,
    /// Wherever a number could stand, so can the type.
    hits: Vec<(Time, Energy)>,
    trigger: Option<Time>,
}
// ANCHOR_END: use

// ANCHOR: generic
/// A file of events of any kind.
struct Recorder<T: RNTuple> {
    writer: Writer<T>,
    last: Option<T>,
}

impl<T: RNTuple + Clone> Recorder<T> {
    fn create(path: &Path) -> Result<Self> {
        Ok(Self { writer: Writer::create(path, "Events", WriteOptions::new())?, last: None })
    }

    fn record(&mut self, event: &T) -> Result<()> {
        self.last = Some(event.clone());
        self.writer.fill(event)
    }
}

fn load<T: RNTuple>(path: &Path) -> Result<Vec<T>> {
    Reader::open(path, "Events")?.entries().collect()
}
// ANCHOR_END: generic

// ANCHOR: halves
/// Entries that borrow can be written, so the bound asks for no more.
fn save<T: Entry + WriteField>(path: &Path, entries: &[T]) -> Result<u64> {
    let mut writer = Writer::create(path, "Events", WriteOptions::new())?;
    for entry in entries {
        writer.fill(entry)?;
    }
    Ok(writer.finish()?.entries)
}

/// What only reads takes `Value` too, the type of entries that are not known.
fn first<T: Entry + ReadField>(path: &Path) -> Result<T> {
    Reader::open(path, "Events")?.get(0)
}
// ANCHOR_END: halves

/// Uses them with types that need the bounds they have.
fn generic() -> Result<()> {
    #[derive(RNTuple)]
    struct Line<'a> {
        text: &'a str,
    }

    let directory = tempfile::tempdir()?;
    let path = directory.path().join("lines.root");
    let text = "one two".to_owned();
    let lines: Vec<_> = text.split(' ').map(|text| Line { text }).collect();
    assert_eq!(save(&path, &lines)?, 2);
    assert_eq!(first::<Value>(&path)?.get("text"), Some(&Value::String("one".into())));

    let path = directory.path().join("events.root");
    let event = Event { time: Time(UNIX_EPOCH), hits: Vec::new(), trigger: None };
    let mut recorder = Recorder::create(&path)?;
    recorder.record(&event)?;
    assert_eq!(recorder.last.as_ref(), Some(&event));
    recorder.writer.finish()?;
    assert_eq!(load::<Event>(&path)?, [event]);
    Ok(())
}

fn main() -> Result<()> {
    generic()?;
    let time = |nanoseconds| Time(UNIX_EPOCH + Duration::from_nanos(nanoseconds));
    let event = |n: u64| Event {
        time: time(1_700_000_000_000_000_000 + n),
        hits: (0..n % 4).map(|i| (time(i), Energy(0.5))).collect(),
        trigger: n.is_multiple_of(2).then(|| time(n)),
    };
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    for n in 0..100 {
        writer.fill(&event(n))?;
    }
    let (_, storage) = writer.finish_into()?;

    let reader = Reader::<Event>::open(storage, "Events")?;
    for (n, read) in (0..).zip(reader.entries()) {
        assert_eq!(read?, event(n));
    }
    let path = |id| reader.schema().field(id).map(|field| field.type_name.clone());
    assert_eq!(reader.schema().find("time").and_then(path).as_deref(), Some("std::uint64_t"));
    println!("{} events, each with its time", reader.entry_count()?);
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
