//! `glam`: vectors and quaternions are records, matrices are arrays.
//!
//! | Rust | on storage |
//! | --- | --- |
//! | `Vec2`, `DVec2`, `I8Vec2` .. `U64Vec2` | record of `x`, `y` |
//! | `Vec3`, `Vec3A`, `DVec3`, `I8Vec3` .. `U64Vec3` | record of `x`, `y`, `z` |
//! | `Vec4`, `DVec4`, `I8Vec4` .. `U64Vec4` | record of `x`, `y`, `z`, `w` |
//! | `Quat`, `DQuat` | record of `x`, `y`, `z`, `w`, as they are: nothing is normalised |
//! | `Mat2`, `Mat3`, `Mat3A`, `Mat4`, `DMat2` .. `DMat4` | `std::array<float,N>`, column by column |
//! | `Affine2`, `Affine3`, `Affine3A`, `DAffine2`, `DAffine3` | the same, translation last |
//!
//! ```
//! use glam::{Mat3, Vec3};
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Hit {
//!     position: Vec3,
//!     covariance: Mat3,
//! }
//!
//! // What another program may make of it.
//! #[derive(RNTuple)]
//! struct Plain {
//!     position: Position,
//!     covariance: [f32; 9],
//! }
//!
//! #[derive(RNTuple)]
//! struct Position {
//!     x: f32,
//!     y: f32,
//!     z: f32,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let mut writer = Writer::<Hit, _>::new(Memory::new(), "Hits", WriteOptions::new())?;
//! writer.fill(&Hit { position: Vec3::new(1.0, 2.0, 3.0), covariance: Mat3::IDENTITY })?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Plain>::open(file, "Hits")?;
//! let hit = reader.get(0)?;
//! assert_eq!([hit.position.x, hit.position.y, hit.position.z], [1.0, 2.0, 3.0]);
//! assert_eq!(hit.covariance[..4], [1.0, 0.0, 0.0, 0.0]);
//! # Ok(())
//! # }
//! ```

use ::glam::*;

use super::record::{RecordReader, RecordWriter, records};
use crate::error::Result;
use crate::field::own::stored_as;
use crate::field::{
    ArrayReader, ArrayWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField,
};
use crate::schema::TypeName;

macro_rules! vectors {
    ($($item:ty: $two:ident $three:ident $four:ident;)*) => {
        records! {$(
            [] $two, stringify!($two), [$item; 2]: x = x, y = y => $two { x, y };
            [] $three, stringify!($three), [$item; 3]: x = x, y = y, z = z => $three { x, y, z };
            [] $four, stringify!($four), [$item; 4]: x = x, y = y, z = z, w = w => $four::new(x, y, z, w);
        )*}
    };
}

vectors! {
    f32: Vec2 Vec3 Vec4;
    f64: DVec2 DVec3 DVec4;
    i8: I8Vec2 I8Vec3 I8Vec4;
    u8: U8Vec2 U8Vec3 U8Vec4;
    i16: I16Vec2 I16Vec3 I16Vec4;
    u16: U16Vec2 U16Vec3 U16Vec4;
    i32: IVec2 IVec3 IVec4;
    u32: UVec2 UVec3 UVec4;
    i64: I64Vec2 I64Vec3 I64Vec4;
    u64: U64Vec2 U64Vec3 U64Vec4;
}

records! {
    // The alignment is a matter of memory alone.
    [] Vec3A, "Vec3", [f32; 3]: x = x, y = y, z = z => Vec3A::new(x, y, z);
    [] Quat, "Quat", [f32; 4]: x = x, y = y, z = z, w = w => Quat::from_xyzw(x, y, z, w);
    [] DQuat, "DQuat", [f64; 4]: x = x, y = y, z = z, w = w => DQuat::from_xyzw(x, y, z, w);
}

macro_rules! matrices {
    ($($type:ident: [$item:ty; $count:literal];)*) => {$(
        impl<W: FieldWriter<$item>> FieldWriter<$type> for ArrayWriter<W> {
            #[inline]
            fn append(&mut self, value: &$type) -> usize {
                self.item.append_slice(&value.to_cols_array())
            }
        }

        impl<R: FieldReader<$item>> FieldReader<$type> for ArrayReader<R> {
            #[inline]
            fn read(&mut self) -> Result<$type> {
                self.item.read_array().map(|columns| $type::from_cols_array(&columns))
            }
        }

        stored_as! { [] $type as [$item; $count]; }
    )*};
}

matrices! {
    Mat2: [f32; 4];
    Mat3: [f32; 9];
    Mat3A: [f32; 9];
    Mat4: [f32; 16];
    Affine2: [f32; 6];
    Affine3: [f32; 12];
    Affine3A: [f32; 12];
    DMat2: [f64; 4];
    DMat3: [f64; 9];
    DMat4: [f64; 16];
    DAffine2: [f64; 6];
    DAffine3: [f64; 12];
}
