//! Types of other crates, for predicates that the compiler checks: what they are on storage.

#[cfg(any(feature = "glam", feature = "nalgebra", feature = "num-complex"))]
use super::Opaque;
use super::{Fields, Path};

#[cfg(any(feature = "glam", feature = "nalgebra", feature = "num-complex"))]
macro_rules! opaque {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Fields for $ty {
            type At = Opaque;

            fn at(path: Path) -> Opaque {
                Opaque::at(path)
            }
        }
    )*};
}

/// Types that are stored as another one.
#[cfg(any(
    feature = "arrayvec",
    feature = "glam",
    feature = "nalgebra",
    feature = "ordered-float",
    feature = "smallvec",
    feature = "uuid"
))]
macro_rules! stored_as {
    ($([$($generics:tt)*] $ty:ty as $stored:ty;)*) => {$(
        impl<$($generics)*> Fields for $ty {
            type At = <$stored as Fields>::At;

            fn at(path: Path) -> Self::At {
                <$stored as Fields>::at(path)
            }
        }
    )*};
}

#[cfg(feature = "arrayvec")]
stored_as! {
    [T, const N: usize] ::arrayvec::ArrayVec<T, N> as Vec<T>;
    [const N: usize] ::arrayvec::ArrayString<N> as String;
}

#[cfg(feature = "glam")]
opaque! {
    [] ::glam::Vec2;
    [] ::glam::Vec3;
    [] ::glam::Vec4;
    [] ::glam::DVec2;
    [] ::glam::DVec3;
    [] ::glam::DVec4;
    [] ::glam::I8Vec2;
    [] ::glam::I8Vec3;
    [] ::glam::I8Vec4;
    [] ::glam::U8Vec2;
    [] ::glam::U8Vec3;
    [] ::glam::U8Vec4;
    [] ::glam::I16Vec2;
    [] ::glam::I16Vec3;
    [] ::glam::I16Vec4;
    [] ::glam::U16Vec2;
    [] ::glam::U16Vec3;
    [] ::glam::U16Vec4;
    [] ::glam::IVec2;
    [] ::glam::IVec3;
    [] ::glam::IVec4;
    [] ::glam::UVec2;
    [] ::glam::UVec3;
    [] ::glam::UVec4;
    [] ::glam::I64Vec2;
    [] ::glam::I64Vec3;
    [] ::glam::I64Vec4;
    [] ::glam::U64Vec2;
    [] ::glam::U64Vec3;
    [] ::glam::U64Vec4;
    [] ::glam::Vec3A;
    [] ::glam::Quat;
    [] ::glam::DQuat;
}

#[cfg(feature = "glam")]
stored_as! {
    [] ::glam::Mat2 as [f32; 4];
    [] ::glam::Mat3 as [f32; 9];
    [] ::glam::Mat3A as [f32; 9];
    [] ::glam::Mat4 as [f32; 16];
    [] ::glam::Affine2 as [f32; 6];
    [] ::glam::Affine3 as [f32; 12];
    [] ::glam::Affine3A as [f32; 12];
    [] ::glam::DMat2 as [f64; 4];
    [] ::glam::DMat3 as [f64; 9];
    [] ::glam::DMat4 as [f64; 16];
    [] ::glam::DAffine2 as [f64; 6];
    [] ::glam::DAffine3 as [f64; 12];
}

#[cfg(feature = "nalgebra")]
opaque! {
    [T: ::nalgebra::Scalar] ::nalgebra::Point1<T>;
    [T: ::nalgebra::Scalar] ::nalgebra::Point2<T>;
    [T: ::nalgebra::Scalar] ::nalgebra::Point3<T>;
    [T: ::nalgebra::Scalar] ::nalgebra::Point4<T>;
    [T: ::nalgebra::Scalar] ::nalgebra::Quaternion<T>;
    [T: ::nalgebra::Scalar] ::nalgebra::UnitQuaternion<T>;
}

// It is stored as an array. A `Vec` is seen in the same way, and needs no length, which nothing can compute here.
#[cfg(feature = "nalgebra")]
stored_as! {
    [T, const ROWS: usize, const COLUMNS: usize] ::nalgebra::SMatrix<T, ROWS, COLUMNS> as Vec<T>;
}

#[cfg(feature = "num-complex")]
opaque! {
    [T] ::num_complex::Complex<T>;
}

#[cfg(feature = "ordered-float")]
stored_as! {
    [T: Fields + ::ordered_float::FloatCore] ::ordered_float::OrderedFloat<T> as T;
    [T: Fields + ::ordered_float::FloatCore] ::ordered_float::NotNan<T> as T;
}

#[cfg(feature = "smallvec")]
stored_as! {
    [A: ::smallvec::Array] ::smallvec::SmallVec<A> as Vec<A::Item>;
}

#[cfg(feature = "uuid")]
stored_as! {
    [] ::uuid::Uuid as [u8; 16];
}
