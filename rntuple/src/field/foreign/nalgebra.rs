//! `nalgebra`: vectors and matrices of fixed size are arrays, points and quaternions are records.
//!
//! | Rust | on storage |
//! | --- | --- |
//! | `SVector<T, N>`, among them `Vector2<T>` .. `Vector6<T>` | `std::array<T,N>` |
//! | `SMatrix<T, R, C>`, among them `Matrix3<T>`, `RowVector3<T>` | `std::array<T,R*C>`, column by column |
//! | `Point1<T>` .. `Point4<T>` | record of `x`, `y`, `z`, `w` |
//! | `Quaternion<T>`, `UnitQuaternion<T>` | record of `x`, `y`, `z`, `w`, as they are: nothing is normalised |
//!
//! A vector is a matrix of one column, so it is stored as one: `std::array`, not a record.
//!
//! ```
//! use nalgebra::{Matrix3, Point3, Vector3};
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(Debug, PartialEq, RNTuple)]
//! struct Track {
//!     origin: Point3<f32>,
//!     momentum: Vector3<f64>,
//!     covariance: Matrix3<f32>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let track = Track {
//!     origin: Point3::new(0.1, 0.2, 4.0),
//!     momentum: Vector3::new(1.0, 2.0, 3.0),
//!     covariance: Matrix3::identity(),
//! };
//! let mut writer = Writer::<Track, _>::new(Memory::new(), "Tracks", WriteOptions::new())?;
//! writer.fill(&track)?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Track>::open(file, "Tracks")?;
//! assert_eq!(reader.get(0)?, track);
//! # Ok(())
//! # }
//! ```

use ::nalgebra::{
    ArrayStorage, Point1, Point2, Point3, Point4, Quaternion, SMatrix, Scalar, Unit, UnitQuaternion,
};

use super::record::{RecordReader, RecordWriter, records};
use crate::error::Result;
use crate::field::fallible::try_from_fn;
use crate::field::{
    ArrayReader, ArrayWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField,
};
use crate::schema::TypeName;

records! {
    [T: Scalar] Point1<T>, class::<T>("Point1"), [T; 1]: x = coords.x => Point1::new(x);
    [T: Scalar] Point2<T>, class::<T>("Point2"), [T; 2]: x = coords.x, y = coords.y => Point2::new(x, y);
    [T: Scalar] Point3<T>, class::<T>("Point3"), [T; 3]:
        x = coords.x, y = coords.y, z = coords.z => Point3::new(x, y, z);
    [T: Scalar] Point4<T>, class::<T>("Point4"), [T; 4]:
        x = coords.x, y = coords.y, z = coords.z, w = coords.w => Point4::new(x, y, z, w);
    [T: Scalar] Quaternion<T>, class::<T>("Quaternion"), [T; 4]:
        x = coords.x, y = coords.y, z = coords.z, w = coords.w => Quaternion::new(w, x, y, z);
    [T: Scalar] UnitQuaternion<T>, class::<T>("Quaternion"), [T; 4]:
        x = coords.x, y = coords.y, z = coords.z, w = coords.w
            => Unit::new_unchecked(Quaternion::new(w, x, y, z));
}

/// The name of a class of items.
fn class<T: WriteField>(name: &str) -> String {
    format!("{name}<{}>", T::type_name().spelling())
}

impl<T, W: FieldWriter<T>, const ROWS: usize, const COLUMNS: usize> FieldWriter<SMatrix<T, ROWS, COLUMNS>>
    for ArrayWriter<W>
{
    #[inline]
    fn append(&mut self, value: &SMatrix<T, ROWS, COLUMNS>) -> usize {
        let ArrayStorage(columns) = &value.data;
        self.item.append_slice(columns.as_flattened())
    }
}

impl<T: WriteField, const ROWS: usize, const COLUMNS: usize> WriteField for SMatrix<T, ROWS, COLUMNS> {
    type Writer = ArrayWriter<T::Writer>;

    fn type_name() -> TypeName {
        T::array_type_name(ROWS * COLUMNS)
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        ArrayWriter { item: T::declare_array(field, ROWS * COLUMNS) }
    }
}

impl<T, R: FieldReader<T>, const ROWS: usize, const COLUMNS: usize> FieldReader<SMatrix<T, ROWS, COLUMNS>>
    for ArrayReader<R>
{
    #[inline]
    fn read(&mut self) -> Result<SMatrix<T, ROWS, COLUMNS>> {
        let columns: [[T; ROWS]; COLUMNS] = try_from_fn(|| self.item.read_array())?;
        Ok(SMatrix::from_array_storage(ArrayStorage(columns)))
    }
}

impl<T: ReadField, const ROWS: usize, const COLUMNS: usize> ReadField for SMatrix<T, ROWS, COLUMNS> {
    type Reader = ArrayReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        let count = ROWS * COLUMNS;
        reader.size = count as u64;
        T::connect_array(field, count, &mut reader.item)
    }
}
