//! Types of other crates, each crate behind a Cargo feature of its name and in a file of its own.
//!
//! | feature | types | on storage |
//! | --- | --- | --- |
//! | `glam` | `Vec2`, `Vec3`, `Vec3A`, `Vec4` and their kin of all widths | record of `x`, `y`, `z`, `w` |
//! | | `Quat`, `DQuat` | record of `x`, `y`, `z`, `w` |
//! | | `Mat2`, `Mat3`, `Mat3A`, `Mat4`, `Affine2`, `Affine3`, `Affine3A`, the same of `f64` | `std::array<float,N>`, column by column |
//! | `nalgebra` | `SVector<T, N>`, `SMatrix<T, R, C>` | `std::array<T,N>`; matrices column by column |
//! | | `Point1<T>` to `Point4<T>` | record of `x`, `y`, `z`, `w` |
//! | | `Quaternion<T>`, `UnitQuaternion<T>` | record of `x`, `y`, `z`, `w` |
//! | `num-complex` | `Complex<T>` | record of `re`, `im` |
//! | `uuid` | `Uuid` | `std::array<std::uint8_t,16>`, first byte first |
//! | `bitflags` | flags named by `bitflags_field!` | their integer |
//! | `ordered-float` | `OrderedFloat<T>`, `NotNan<T>` | as `T` |
//! | `smallvec` | `SmallVec<[T; N]>` | `std::vector<T>` |
//! | `arrayvec` | `ArrayVec<T, N>` | `std::vector<T>` |
//! | | `ArrayString<N>` | `std::string` |
//!
//! What is on storage is plain: each of these types can be read as the struct, array, number, `Vec` or
//! `String` that the right column says, and each of those as one of these types.
//!
//! A type that cannot hold what a file has says so with an error that names the field: no `NotNan` is made
//! of NaN, nothing is cut to fit into an `ArrayVec`. Bits that have no name among the flags are kept.
//!
//! Records are untyped where the format allows it, as structs with the derive are; inside `std::optional`,
//! `std::array` and other typed fields they are classes named like the type: `Vec3`, `Complex<float>`.

#[cfg(any(
    feature = "arrayvec",
    feature = "glam",
    feature = "nalgebra",
    feature = "num-complex",
    feature = "ordered-float",
    feature = "smallvec",
    feature = "uuid"
))]
mod columnar;
#[cfg(any(feature = "glam", feature = "nalgebra", feature = "num-complex"))]
mod record;

#[cfg(feature = "arrayvec")]
pub mod arrayvec;
#[cfg(feature = "bitflags")]
pub mod bitflags;
#[cfg(feature = "glam")]
pub mod glam;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "num-complex")]
pub mod num_complex;
#[cfg(feature = "ordered-float")]
pub mod ordered_float;
#[cfg(feature = "smallvec")]
pub mod smallvec;
#[cfg(feature = "uuid")]
pub mod uuid;

#[cfg(any(feature = "glam", feature = "nalgebra", feature = "num-complex"))]
pub use record::{RecordReader, RecordWriter};
