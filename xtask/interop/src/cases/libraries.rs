//! Types of other crates.

use glam::{DVec2, Mat2, Vec3};
use num_complex::Complex;
use ordered_float::OrderedFloat;
use serde_json::Value as Json;
use smallvec::SmallVec;
use uuid::Uuid;

use crate::json::object;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::record;
use crate::sample::Sample;
use crate::shape::Shape;

macro_rules! records {
    ($([$($param:ident)?] $type:ty, $class:expr, $item:ty: $($member:ident),+;)*) => {$(
        impl$(<$param: Model>)? Model for $type {
            fn shape(compressed: bool) -> Shape {
                Shape::record(&$class, vec![$((stringify!($member), <$item>::shape(compressed))),+])
            }

            fn json(&self, side: Side) -> Json {
                object([$((stringify!($member), self.$member.json(side))),+])
            }
        }

        impl$(<$param: Sample>)? Sample for $type {
            fn sample(random: &mut Random) -> Self {
                let [$($member),+] = Sample::sample(random);
                Self { $($member),+ }
            }
        }
    )*};
}

records! {
    [] Vec3, "Vec3", f32: x, y, z;
    [] DVec2, "DVec2", f64: x, y;
    [T] Complex<T>, format!("Complex<{}>", T::shape(true).name), T: re, im;
}

/// Types that are stored as another one.
macro_rules! stand_ins {
    ($([$($generics:tt)*] $type:ty as $other:ty: $store:expr, $load:expr;)*) => {$(
        impl<$($generics)*> Model for $type {
            fn shape(compressed: bool) -> Shape {
                <$other>::shape(compressed)
            }

            fn json(&self, side: Side) -> Json {
                let store: fn(&Self) -> $other = $store;
                store(self).json(side)
            }
        }

        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                let load: fn($other) -> Self = $load;
                load(Sample::sample(random))
            }
        }
    )*};
}

stand_ins! {
    [] Mat2 as [f32; 4]: Self::to_cols_array, |columns| Self::from_cols_array(&columns);
    [] Uuid as [u8; 16]: |uuid| *uuid.as_bytes(), Self::from_bytes;
    [] OrderedFloat<f32> as f32: |float| float.0, Self;
    [] SmallVec<[i16; 4]> as Vec<i16>: |items| items.to_vec(), Self::from_vec;
    [] SmallVec<[String; 1]> as Vec<String>: |items| items.to_vec(), Self::from_vec;
}

record! {
    untyped struct Libraries {
        position: Vec3,
        positions: Vec<Vec3>,
        point: DVec2,
        rotation: Mat2,
        id: Uuid,
        ids: Vec<Uuid>,
        impedance: Complex<f32>,
        impedances: Vec<Complex<f64>>,
        order: OrderedFloat<f32>,
        orders: Vec<Option<OrderedFloat<f32>>>,
        hits: SmallVec<[i16; 4]>,
        words: Vec<SmallVec<[String; 1]>>,
    }
}
