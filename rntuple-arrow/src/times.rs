//! Times of another unit than that of the field: those that it can hold are converted, others are refused.

use std::fmt;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array};
use arrow_schema::{DataType, TimeUnit};
use rntuple::schema::Scalar;
use rntuple::{Error, ErrorKind, Result};

/// What times are counted from.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Date,
    TimeOfDay,
    Duration,
    /// A time of no zone in particular.
    Local,
    /// A point in time, whichever zone it is shown in.
    Instant,
}

/// The type of times, as far as it counts for their values.
#[derive(Clone, Copy, PartialEq)]
struct Times {
    kind: Kind,
    unit: Unit,
}

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Days,
    Of(TimeUnit),
}

impl Times {
    /// `None`: not times.
    fn of(data_type: &DataType) -> Option<Self> {
        let (kind, unit) = match data_type {
            DataType::Date32 => (Kind::Date, Unit::Days),
            DataType::Date64 => (Kind::Date, Unit::Of(TimeUnit::Millisecond)),
            DataType::Time32(unit) | DataType::Time64(unit) => (Kind::TimeOfDay, Unit::Of(*unit)),
            DataType::Duration(unit) => (Kind::Duration, Unit::Of(*unit)),
            DataType::Timestamp(unit, None) => (Kind::Local, Unit::Of(*unit)),
            DataType::Timestamp(unit, Some(_)) => (Kind::Instant, Unit::Of(*unit)),
            _ => return None,
        };
        Some(Self { kind, unit })
    }
}

impl Unit {
    fn nanoseconds(self) -> i128 {
        match self {
            Self::Days => 86_400_000_000_000,
            Self::Of(TimeUnit::Second) => 1_000_000_000,
            Self::Of(TimeUnit::Millisecond) => 1_000_000,
            Self::Of(TimeUnit::Microsecond) => 1_000,
            Self::Of(TimeUnit::Nanosecond) => 1,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Days => "days",
            Self::Of(unit) => crate::metadata::unit_name(*unit),
        })
    }
}

/// The values of an array without nulls as those of a field of integers whose description names the type `marked`.
///
/// # Errors
/// The array has times and the field has others or none, or the field has times and the array has none; a time that the field
/// cannot hold exactly.
pub(crate) fn in_field(array: &ArrayRef, scalar: Scalar, marked: Option<&DataType>) -> Result<ArrayRef> {
    let width = match scalar {
        Scalar::I32 => Some(4),
        Scalar::I64 => Some(8),
        _ => None,
    };
    // What does not fit the field is not what it is read as either.
    let marked = marked.filter(|marked| marked.primitive_width() == width);
    let (wanted, found) = (marked.and_then(Times::of), Times::of(array.data_type()));
    match (wanted, found) {
        (None, None) => Ok(array.clone()),
        (Some(wanted), Some(found)) if wanted == found && array.data_type().primitive_width() == width => {
            Ok(array.clone())
        }
        (Some(wanted), Some(found)) if wanted.kind == found.kind => {
            converted(array, found.unit, wanted.unit, scalar)
        }
        _ => {
            let holds = marked.filter(|_| wanted.is_some());
            let holds = holds.map_or_else(|| "values that are not times".to_owned(), DataType::to_string);
            let message = format!("the field holds {holds}, not {}", array.data_type());
            Err(Error::new(ErrorKind::InvalidArgument, message))
        }
    }
}

fn converted(array: &ArrayRef, from: Unit, to: Unit, scalar: Scalar) -> Result<ArrayRef> {
    let data = array.to_data();
    let values: Vec<i64> = match array.data_type().primitive_width() {
        Some(4) => data.buffer::<i32>(0).iter().take(array.len()).copied().map(i64::from).collect(),
        _ => data.buffer::<i64>(0).iter().take(array.len()).copied().collect(),
    };
    Ok(match scalar {
        Scalar::I32 => Arc::new(Int32Array::from(exact::<i32>(&values, from, to)?)),
        _ => Arc::new(Int64Array::from(exact::<i64>(&values, from, to)?)),
    })
}

/// Times in another unit, which loses nothing.
fn exact<T: TryFrom<i128>>(values: &[i64], from: Unit, to: Unit) -> Result<Vec<T>> {
    let convert = |value: &i64| {
        let nanoseconds = i128::from(*value) * from.nanoseconds();
        let is_whole = nanoseconds % to.nanoseconds() == 0;
        let converted = T::try_from(nanoseconds / to.nanoseconds()).ok().filter(|_| is_whole);
        converted.ok_or_else(|| {
            let message = format!("a time of {value} {from}, which the field cannot hold: it counts {to}");
            Error::new(ErrorKind::InvalidArgument, message)
        })
    };
    values.iter().map(convert).collect()
}
