//! Stores a type in a form of its own. Explained in the book, chapter "Types of your own".

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rntuple::field::{
    ColumnReader, ColumnWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField,
};
use rntuple::schema::TypeName;
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

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

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        u64::connect(field)
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

fn main() -> Result<()> {
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

    let reader = Reader::<Event>::from_storage(storage, "Events")?;
    for (n, read) in (0..).zip(reader.entries()) {
        assert_eq!(read?, event(n));
    }
    let path = |id| reader.schema().field(id).map(|field| field.type_name.clone());
    assert_eq!(reader.schema().find("time").and_then(path).as_deref(), Some("std::uint64_t"));
    println!("{} events, each with its time", reader.len());
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
