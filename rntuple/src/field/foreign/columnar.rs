//! Types of other crates among columns: values as they are.

#[cfg(any(
    feature = "arrayvec",
    feature = "num-complex",
    feature = "ordered-float",
    feature = "smallvec"
))]
use std::fmt;

use crate::field::columnar::as_rows;

macro_rules! rows {
    ($($feature:literal: $([$($generics:tt)*] $type:ty),+;)*) => {$($(
        #[cfg(feature = $feature)]
        as_rows!([$($generics)*] $type);
    )+)*};
}

rows! {
    "arrayvec": [T: Clone + fmt::Debug + 'static, const N: usize] arrayvec::ArrayVec<T, N>, [const N: usize] arrayvec::ArrayString<N>;
    "glam":
        [] glam::Vec2, [] glam::Vec3, [] glam::Vec3A, [] glam::Vec4,
        [] glam::DVec2, [] glam::DVec3, [] glam::DVec4,
        [] glam::I8Vec2, [] glam::I8Vec3, [] glam::I8Vec4,
        [] glam::U8Vec2, [] glam::U8Vec3, [] glam::U8Vec4,
        [] glam::I16Vec2, [] glam::I16Vec3, [] glam::I16Vec4,
        [] glam::U16Vec2, [] glam::U16Vec3, [] glam::U16Vec4,
        [] glam::IVec2, [] glam::IVec3, [] glam::IVec4,
        [] glam::UVec2, [] glam::UVec3, [] glam::UVec4,
        [] glam::I64Vec2, [] glam::I64Vec3, [] glam::I64Vec4,
        [] glam::U64Vec2, [] glam::U64Vec3, [] glam::U64Vec4,
        [] glam::Quat, [] glam::DQuat,
        [] glam::Mat2, [] glam::Mat3, [] glam::Mat3A, [] glam::Mat4,
        [] glam::DMat2, [] glam::DMat3, [] glam::DMat4,
        [] glam::Affine2, [] glam::Affine3, [] glam::Affine3A, [] glam::DAffine2, [] glam::DAffine3;
    "nalgebra":
        [T: nalgebra::Scalar, const R: usize, const C: usize] nalgebra::SMatrix<T, R, C>,
        [T: nalgebra::Scalar] nalgebra::Point1<T>, [T: nalgebra::Scalar] nalgebra::Point2<T>,
        [T: nalgebra::Scalar] nalgebra::Point3<T>, [T: nalgebra::Scalar] nalgebra::Point4<T>,
        [T: nalgebra::Scalar] nalgebra::Quaternion<T>,
        [T: nalgebra::Scalar] nalgebra::UnitQuaternion<T>;
    "num-complex": [T: Clone + fmt::Debug + 'static] num_complex::Complex<T>;
    "ordered-float": [T: Clone + fmt::Debug + 'static] ordered_float::OrderedFloat<T>, [T: Clone + fmt::Debug + 'static] ordered_float::NotNan<T>;
    "smallvec": [A: smallvec::Array<Item: Clone + fmt::Debug> + 'static] smallvec::SmallVec<A>;
    "uuid": [] uuid::Uuid;
}
