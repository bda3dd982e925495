//! Types of other crates: they come back, lie on storage as their plain twins do, and refuse what they cannot hold.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::fmt::Debug;

use arrayvec::{ArrayString, ArrayVec};
use nalgebra::{
    Matrix2x3, Matrix3, Point1, Point2, Point3, Point4, Quaternion, RowVector3, SVector, UnitQuaternion,
    Vector3,
};
use num_complex::Complex;
use ordered_float::{NotNan, OrderedFloat};
use rntuple::columns::{Columnar, ColumnsOf, ReadColumnar, WriteColumnar};
use rntuple::encoding::ColumnType;
use rntuple::field::{ReadField, WriteField};
use rntuple::schema::{FieldId, Schema};
use rntuple::storage::Memory;
use rntuple::{
    Compression, Error, ErrorKind, RNTuple, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::places::places;
use rntuple_tests::sample::One;
use smallvec::SmallVec;
use uuid::Uuid;

/// A type in all kinds of company.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct All<T> {
    value: T,
    pair: [T; 2],
    list: Vec<T>,
    maybe: Option<T>,
    nested: Vec<(u8, SmallVec<[T; 2]>)>,
}

/// The values in all kinds of company, differently in each entry.
fn company<T: Clone>(values: &[T]) -> Vec<All<T>> {
    let entry = |index: usize| All {
        value: values[index].clone(),
        pair: [values[index].clone(), values[0].clone()],
        list: values[..index % 5 % values.len()].to_vec(),
        maybe: index.is_multiple_of(3).then(|| values[index].clone()),
        nested: (0..index % 4).map(|n| (n as u8, values[..n].iter().cloned().collect())).collect(),
    };
    (0..values.len()).map(entry).collect()
}

fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

fn read<T: rntuple::Entry + ReadField>(file: &Memory) -> Result<Vec<T>, Error> {
    Reader::<T>::open(file.clone(), "Events")?.entries().collect()
}

/// Entries of a file in order, at random, and in place of others.
fn check_entries<T: rntuple::Entry + ReadField + PartialEq + Debug + Clone>(file: &Memory, entries: &[T]) {
    assert_eq!(read::<T>(file).unwrap(), entries);
    let reader = Reader::<T>::open(file.clone(), "Events").unwrap();
    for index in (0..entries.len()).rev().step_by(3) {
        assert_eq!(reader.get(index as u64).unwrap(), entries[index], "entry {index}");
    }
    let mut slot = entries.last().unwrap().clone();
    let mut walk = reader.entries();
    for wanted in entries {
        assert!(walk.read_into(&mut slot).unwrap());
        assert_eq!(slot, *wanted);
    }
}

/// A field and all below it: `value: record; value.x: float Real32`.
fn layout(schema: &Schema, id: FieldId) -> String {
    let field = schema.field(id).unwrap();
    let name = if field.type_name.is_empty() { field.role.name() } else { &field.type_name };
    let mut text = format!("{}: {name}", schema.path(id));
    for column in schema.representations(id).iter().flatten() {
        let column = ColumnType::from_code(schema.column(*column).unwrap().type_code).unwrap();
        text += &format!(" {}", column.name());
    }
    for &child in schema.children(id) {
        text += &format!("; {}", layout(schema, child));
    }
    text
}

/// The type comes back, its fields are those of `expected`, and its file is that of its plain twin.
fn check<T, P>(values: &[T], twins: &[P], expected: &str)
where
    T: WriteField + ReadField + PartialEq + Debug + Clone,
    P: WriteField + ReadField + PartialEq + Debug + Clone,
{
    assert_eq!(values.len(), twins.len());
    let (entries, plain) = (company(values), company(twins));
    let small = || WriteOptions::new().compression(Compression::NONE).max_page_length(512).cluster_size(2048);
    let (file, twin) = (write(&entries, small()), write(&plain, small()));
    check_entries(&file, &entries);
    check_entries(&file, &plain);
    check_entries(&twin, &entries);
    check_entries(&write(&entries, WriteOptions::new()), &entries);
    assert_eq!(read::<Value>(&file).unwrap().len(), entries.len());

    let reader = Reader::<All<T>>::open(file, "Events").unwrap();
    let schema = reader.schema();
    assert_eq!(layout(schema, schema.find("value").unwrap()), expected);
}

/// Records as the derive makes them.
macro_rules! twins {
    ($($name:ident: $($member:ident)+;)*) => {$(
        #[derive(RNTuple, Clone, Debug, PartialEq)]
        struct $name<T> {
            $($member: T,)+
        }
    )*};
}

twins! {
    X: x;
    Xy: x y;
    Xyz: x y z;
    Xyzw: x y z w;
    ReIm: re im;
}

/// Values of a type and of its twin, made of some numbers each.
fn check_made<N: Copy, T, P, const COUNT: usize>(
    number: impl Fn(u8) -> N,
    value: impl Fn([N; COUNT]) -> T,
    twin: impl Fn([N; COUNT]) -> P,
    expected: &str,
) where
    T: WriteField + ReadField + PartialEq + Debug + Clone,
    P: WriteField + ReadField + PartialEq + Debug + Clone,
{
    let numbers: Vec<[N; COUNT]> =
        (0..60).map(|n| std::array::from_fn(|member| number(n + 7 * member as u8))).collect();
    let values: Vec<T> = numbers.iter().map(|&numbers| value(numbers)).collect();
    let twins: Vec<P> = numbers.iter().map(|&numbers| twin(numbers)).collect();
    check(&values, &twins, expected);
}

/// Numbers whose bytes all differ.
fn float(n: u8) -> f32 {
    f32::from(n) * 1.01 - 20.0
}

fn double(n: u8) -> f64 {
    f64::from(n) * 1.01 - 20.0
}

#[test]
fn vectors_of_glam_are_records() {
    use glam::*;

    macro_rules! family {
        ($number:expr, $cxx:literal $column:literal: $two:ident $three:ident $four:ident) => {
            let x = concat!("value.x: ", $cxx, " ", $column);
            let y = concat!("; value.y: ", $cxx, " ", $column);
            let z = concat!("; value.z: ", $cxx, " ", $column);
            let w = concat!("; value.w: ", $cxx, " ", $column);
            let two = format!("value: record; {x}{y}");
            check_made($number, $two::from_array, |[x, y]| Xy { x, y }, &two);
            let three = format!("{two}{z}");
            check_made($number, $three::from_array, |[x, y, z]| Xyz { x, y, z }, &three);
            let four = format!("{three}{w}");
            check_made($number, $four::from_array, |[x, y, z, w]| Xyzw { x, y, z, w }, &four);
        };
    }
    family!(float, "float" "Real32": Vec2 Vec3 Vec4);
    family!(float, "float" "Real32": Vec2 Vec3A Quat);
    family!(double, "double" "Real64": DVec2 DVec3 DVec4);
    family!(double, "double" "Real64": DVec2 DVec3 DQuat);
    family!(|n| n as i8 - 50, "std::int8_t" "Int8": I8Vec2 I8Vec3 I8Vec4);
    family!(|n| n, "std::uint8_t" "UInt8": U8Vec2 U8Vec3 U8Vec4);
    family!(|n| i16::from(n) * 301 - 9000, "std::int16_t" "Int16": I16Vec2 I16Vec3 I16Vec4);
    family!(|n| u16::from(n) * 301, "std::uint16_t" "UInt16": U16Vec2 U16Vec3 U16Vec4);
    family!(|n| i32::from(n) * 70_001 - 9000, "std::int32_t" "Int32": IVec2 IVec3 IVec4);
    family!(|n| u32::from(n) * 70_001, "std::uint32_t" "UInt32": UVec2 UVec3 UVec4);
    family!(|n| i64::from(n) << 40, "std::int64_t" "Int64": I64Vec2 I64Vec3 I64Vec4);
    family!(|n| u64::from(n) << 40, "std::uint64_t" "UInt64": U64Vec2 U64Vec3 U64Vec4);
}

#[test]
fn matrices_of_glam_are_arrays_column_by_column() {
    use glam::*;

    macro_rules! matrices {
        ($($type:ident $number:ident $cxx:literal $column:literal $count:literal;)*) => {$(
            let expected = concat!(
                "value: std::array<", $cxx, ",", $count, ">; value._0: ", $cxx, " ", $column
            );
            check_made::<_, _, _, $count>($number, |array| $type::from_cols_array(&array), |array| array, expected);
        )*};
    }
    matrices! {
        Mat2 float "float" "Real32" 4;
        Mat3 float "float" "Real32" 9;
        Mat3A float "float" "Real32" 9;
        Mat4 float "float" "Real32" 16;
        Affine2 float "float" "Real32" 6;
        Affine3 float "float" "Real32" 12;
        Affine3A float "float" "Real32" 12;
        DMat2 double "double" "Real64" 4;
        DMat3 double "double" "Real64" 9;
        DMat4 double "double" "Real64" 16;
        DAffine2 double "double" "Real64" 6;
        DAffine3 double "double" "Real64" 12;
    }
    // The first three numbers are the first column.
    let matrix = Mat3::from_cols(vec3(1., 2., 3.), vec3(4., 5., 6.), vec3(7., 8., 9.));
    let file = write(&[One { value: matrix }], WriteOptions::new());
    assert_eq!(read::<One<[f32; 9]>>(&file).unwrap()[0].value, [1., 2., 3., 4., 5., 6., 7., 8., 9.]);
}

#[test]
fn matrices_of_nalgebra_are_arrays_column_by_column() {
    let three = "value: std::array<float,3>; value._0: float Real32";
    check_made(float, Vector3::from, |array| array, three);
    check_made(float, |[a, b, c]| RowVector3::new(a, b, c), |array| array, three);
    let five = "value: std::array<std::uint8_t,5>; value._0: std::uint8_t UInt8";
    check_made(|n| n, SVector::<u8, 5>::from, |array| array, five);
    let nine = "value: std::array<double,9>; value._0: double Real64";
    check_made::<_, _, _, 9>(double, |array| Matrix3::from_column_slice(&array), |array| array, nine);
    let bits = "value: std::bitset<3> Bit";
    check_made(|n| n % 3 == 0, Vector3::from, |array| array, bits);
    let matrix = Matrix2x3::new(1, 2, 3, 4, 5, 6);
    let file = write(&[One { value: matrix }], WriteOptions::new());
    assert_eq!(read::<One<[i32; 6]>>(&file).unwrap()[0].value, [1, 4, 2, 5, 3, 6]);
    assert_eq!(read::<One<Matrix2x3<i32>>>(&file).unwrap()[0].value, matrix);
}

#[test]
fn items_of_matrices_may_be_anything() {
    let values: Vec<Vector3<String>> =
        (0..20).map(|n| Vector3::from([0, 1, 2].map(|i| "x".repeat(n * i % 7)))).collect();
    let twins: Vec<[String; 3]> = values.iter().map(|value| value.data.0[0].clone()).collect();
    check(&values, &twins, "value: std::array<std::string,3>; value._0: std::string Index64 Char");
}

#[test]
fn points_and_quaternions_of_nalgebra_are_records() {
    let mut expected = "value: record; value.x: float Real32".to_owned();
    check_made(float, |[x]| Point1::new(x), |[x]| X { x }, &expected);
    expected += "; value.y: float Real32";
    check_made(float, Point2::from, |[x, y]| Xy { x, y }, &expected);
    expected += "; value.z: float Real32";
    check_made(float, Point3::from, |[x, y, z]| Xyz { x, y, z }, &expected);
    expected += "; value.w: float Real32";
    check_made(float, Point4::from, |[x, y, z, w]| Xyzw { x, y, z, w }, &expected);
    let quaternion = |[x, y, z, w]: [f32; 4]| Quaternion::new(w, x, y, z);
    check_made(float, quaternion, |[x, y, z, w]| Xyzw { x, y, z, w }, &expected);
    // As it is, even where it is no unit.
    let unit = |numbers| UnitQuaternion::new_unchecked(quaternion(numbers));
    check_made(float, unit, |[x, y, z, w]| Xyzw { x, y, z, w }, &expected);
}

#[test]
fn complex_numbers_are_records() {
    let expected = "value: record; value.re: double Real64; value.im: double Real64";
    check_made(double, |[re, im]| Complex::new(re, im), |[re, im]| ReIm { re, im }, expected);
    // Where the format wants a class, it is named.
    let file = write(&[One { value: [Some(Complex::new(1.0f32, 2.0))] }], WriteOptions::new());
    let reader = Reader::<One<[Option<Complex<f32>>; 1]>>::open(file, "Events").unwrap();
    let id = reader.schema().find("value").unwrap();
    let expected = "value: std::array<std::optional<Complex<float>>,1>";
    assert_eq!(reader.schema().field(id).unwrap().type_name, expected.strip_prefix("value: ").unwrap());
}

#[test]
fn a_record_needs_its_members_and_no_others() {
    let file = write(&[One { value: Xyzw { x: 1.0f32, y: 2.0, z: 3.0, w: 4.0 } }], WriteOptions::new());
    assert_eq!(read::<One<glam::Vec2>>(&file).unwrap()[0].value, glam::vec2(1.0, 2.0));
    let file = write(&[One { value: glam::vec2(1.0, 2.0) }], WriteOptions::new());
    let error = read::<One<glam::Vec4>>(&file).unwrap_err();
    let fields: Vec<&str> = error.mismatches().iter().map(|mismatch| &*mismatch.field).collect();
    assert_eq!(fields, ["value.z", "value.w"], "{error}");
    let error = read::<One<Vector3<f32>>>(&file).unwrap_err();
    assert!(error.to_string().contains("the type wants an array of 3"), "{error}");
}

#[test]
fn a_uuid_is_its_bytes() {
    let expected = "value: std::array<std::uint8_t,16>; value._0: std::uint8_t UInt8";
    check_made(|n| n, Uuid::from_bytes, |bytes| bytes, expected);
}

bitflags::bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Trigger: u32 {
        const MUON = 1;
        const JET = 1 << 20;
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Quality: i8 {
        const LOOSE = 1;
        const TIGHT = -128;
    }
}
rntuple::bitflags_field!(Trigger, Quality);

#[test]
fn flags_are_integers_and_keep_unknown_bits() {
    let bits: Vec<u32> = (0..100).map(|n| (n << 16) | (n % 2)).collect();
    let flags: Vec<Trigger> = bits.iter().map(|&bits| Trigger::from_bits_retain(bits)).collect();
    assert!(flags.iter().any(bitflags::Flags::contains_unknown_bits));
    check(&flags, &bits, "value: std::uint32_t UInt32");
    let bits = [0i8, 1, -128, -127, 77];
    check(&bits.map(Quality::from_bits_retain), &bits, "value: std::int8_t Int8");
}

#[test]
fn ordered_floats_are_floats() {
    let expected = "value: float Real32";
    check_made(float, |[x]| OrderedFloat(x), |[x]| x, expected);
    check_made(float, |[x]| NotNan::new(x).unwrap(), |[x]| x, expected);
    check_made(double, |[x]| NotNan::new(x).unwrap(), |[x]| OrderedFloat(x), "value: double Real64");
}

#[test]
fn nan_is_not_made_not_nan() {
    let values = [0.5, f32::NAN, f32::INFINITY].map(|number| One { value: vec![OrderedFloat(number)] });
    let file = write(&values, WriteOptions::new());
    assert_eq!(read::<One<Vec<OrderedFloat<f32>>>>(&file).unwrap(), values);
    let reader = Reader::<One<Vec<NotNan<f32>>>>::open(file, "Events").unwrap();
    let error = reader.get(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.location().field.as_deref(), Some("value._0"), "{error}");
    assert!(error.to_string().contains("NaN"), "{error}");
    assert_eq!(reader.get(2).unwrap().value, [f32::INFINITY]);
    assert_eq!(reader.get(0).unwrap().value, [0.5]);
}

#[test]
fn small_vectors_are_collections() {
    let twins: Vec<Vec<u16>> = (0..100).map(|n| (0..n % 11).collect()).collect();
    let values: Vec<SmallVec<[u16; 4]>> = twins.iter().map(|twin| twin.iter().copied().collect()).collect();
    let expected = "value: std::vector<std::uint16_t> Index64; value._0: std::uint16_t UInt16";
    check(&values, &twins, expected);
    let twins: Vec<Vec<String>> =
        (0..50).map(|n| (0..n % 5).map(|i| "y".repeat(i * n % 4)).collect()).collect();
    let values: Vec<SmallVec<[String; 2]>> =
        twins.iter().map(|twin| twin.iter().cloned().collect()).collect();
    let expected = "value: std::vector<std::string> Index64; value._0: std::string Index64 Char";
    check(&values, &twins, expected);
}

#[test]
fn array_vectors_are_collections() {
    let twins: Vec<Vec<f64>> = (0..100).map(|n| (0..n % 9).map(double).collect()).collect();
    let values: Vec<ArrayVec<f64, 8>> = twins.iter().map(|twin| twin.iter().copied().collect()).collect();
    check(&values, &twins, "value: std::vector<double> Index64; value._0: double Real64");
    let values: Vec<ArrayVec<Vec<f64>, 3>> =
        twins.chunks(3).map(|twins| twins.iter().cloned().collect()).collect();
    let twins: Vec<Vec<Vec<f64>>> = twins.chunks(3).map(<[_]>::to_vec).collect();
    let expected = "value: std::vector<std::vector<double>> Index64; \
                    value._0: std::vector<double> Index64; value._0._0: double Real64";
    check(&values, &twins, expected);
}

#[test]
fn array_strings_are_strings() {
    let twins: Vec<String> = (0..60).map(|n| "µ".repeat(n % 5)).collect();
    let values: Vec<ArrayString<8>> = twins.iter().map(|twin| ArrayString::from(twin).unwrap()).collect();
    check(&values, &twins, "value: std::string Index64 Char");
}

#[test]
fn nothing_is_cut_to_fit() {
    let values = [2, 4, 5, 3].map(|count| One { value: vec![vec![1u8; count]] });
    let file = write(&values, WriteOptions::new());
    let reader = Reader::<One<Vec<ArrayVec<u8, 4>>>>::open(file, "Events").unwrap();
    let error = reader.get(2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.location().field.as_deref(), Some("value._0"), "{error}");
    assert!(error.to_string().ends_with("the file has 5 items, the type has room for 4"), "{error}");
    assert_eq!(reader.get(1).unwrap().value[0].as_slice(), [1; 4]);
    assert_eq!(reader.get(3).unwrap().value[0].as_slice(), [1; 3]);

    let values = ["", "four", "fives", "µµ", "µµµ"].map(|text| One { value: text.to_owned() });
    let file = write(&values, WriteOptions::new());
    let reader = Reader::<One<ArrayString<4>>>::open(file, "Events").unwrap();
    for (index, One { value }) in (0..).zip(&values) {
        match reader.get(index) {
            Ok(read) => assert_eq!(read.value.as_str(), value),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
                assert!(value.len() > 4 && error.location().field.as_deref() == Some("value"), "{error}");
                assert!(error.to_string().ends_with("bytes of text, the type has room for 4"), "{error}");
            }
        }
    }
    assert!(reader.get(2).is_err() && reader.get(4).is_err());
}

#[test]
fn they_stand_in_one_another() {
    type Inner = ArrayVec<Complex<OrderedFloat<f32>>, 2>;
    type Outer = SmallVec<[ArrayVec<Option<SmallVec<[Vec<Point2<NotNan<f64>>>; 2]>>, 2>; 2]>;
    type Twin = Vec<Vec<Option<Vec<Vec<Xy<f64>>>>>>;
    let inner: Inner = [Complex::new(OrderedFloat(1.0), OrderedFloat(f32::INFINITY))].into_iter().collect();
    let values = [One { value: (Vector3::from_element(inner), Uuid::from_u128(1)) }];
    let file = write(&values, WriteOptions::new());
    assert_eq!(read::<One<(Vector3<Inner>, Uuid)>>(&file).unwrap(), values);
    assert_eq!(read::<One<([Vec<ReIm<f32>>; 3], [u8; 16])>>(&file).unwrap()[0].value.0[2].len(), 1);

    let points =
        |n: u8| (0..n).map(|x| Point2::from([x, n].map(|x| NotNan::new(double(x)).unwrap()))).collect();
    let outer = |n: u8| (0..n % 4).map(|_| [Some((0..n % 3).map(points).collect()), None].into()).collect();
    let values: Vec<One<Outer>> = (0..50).map(|n| One { value: outer(n) }).collect();
    let file = write(&values, WriteOptions::new().cluster_size(2048).max_page_length(512));
    check_entries(&file, &values);
    let twins = read::<One<Twin>>(&file).unwrap();
    assert_eq!(read::<One<Outer>>(&write(&twins, WriteOptions::new())).unwrap(), values);
}

/// One of each kind.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    origin: Point3<f32>,
    position: glam::Vec3,
    rotation: glam::Mat2,
    covariance: Matrix3<f32>,
    amplitude: Complex<f64>,
    id: Uuid,
    trigger: Trigger,
    energy: NotNan<f32>,
    leptons: SmallVec<[OrderedFloat<f32>; 2]>,
    jets: ArrayVec<u16, 3>,
    stream: ArrayString<8>,
}

fn events() -> Vec<Event> {
    let event = |n: u8| Event {
        origin: Point3::new(float(n), 1.0, 2.0),
        position: glam::vec3(float(n), 3.0, 4.0),
        rotation: glam::Mat2::from_angle(float(n)),
        covariance: Matrix3::from_diagonal_element(float(n)),
        amplitude: Complex::new(double(n), 5.0),
        id: Uuid::from_u128(u128::from(n) << 77),
        trigger: Trigger::JET,
        energy: NotNan::new(float(n)).unwrap(),
        leptons: (0..n % 4).map(|n| OrderedFloat(float(n))).collect(),
        jets: (0..u16::from(n) % 4).collect(),
        stream: ArrayString::from("dimuon").unwrap(),
    };
    (0..4).map(event).collect()
}

/// What can be read of damaged bytes, whether they are checked or not: an error, or as many entries.
fn try_read(bytes: Vec<u8>) -> Result<usize, Error> {
    let file = RootFile::from_storage(Memory::from(bytes))?;
    let unchecked = ReadOptions::new().verify_checksums(false);
    let reader = Reader::<Event>::open_with(&file, "Events", unchecked)?;
    let mut slot = events().remove(0);
    (0..reader.entry_count().unwrap().min(10)).for_each(|index| drop(reader.read_into(index, &mut slot)));
    reader.entries().try_fold(0, |count, event| event.map(|_| count + 1))
}

#[test]
fn damaged_files_get_an_error_and_nothing_else() {
    let file = write(&events(), WriteOptions::new().compression(Compression::NONE));
    let bytes = file.as_bytes();
    assert_eq!(read::<Event>(&file).unwrap(), events());
    assert_eq!(try_read(bytes.to_vec()).unwrap(), 4);
    let (places, mut refused) = (places(bytes.len()), 0);
    for position in places.clone() {
        let mut damaged = bytes.to_vec();
        damaged[position] ^= 0xFF;
        refused += usize::from(try_read(damaged).is_err());
    }
    assert!(refused > places.len() / 4, "{refused} of {}", places.len());
    for end in places {
        assert!(try_read(bytes[..end].to_vec()).is_err(), "{end} bytes");
    }
}

/// A type in all kinds of company that are columnar.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Many<T> {
    value: T,
    pair: [T; 2],
    list: Vec<T>,
    maybe: Option<T>,
}

/// Among columns the values are a slice, which comes and goes as entries do.
fn check_columns<T>(values: &[T])
where
    T: Columnar + PartialEq + Debug + Clone + 'static,
    Many<T>: rntuple::Entry + WriteColumnar + ReadColumnar + Columnar<Columns = ManyColumns<T>>,
{
    let entries: Vec<Many<T>> = company(values)
        .into_iter()
        .map(|All { value, pair, list, maybe, .. }| Many { value, pair, list, maybe })
        .collect();
    let mut columns = ManyColumns::default();
    entries.iter().for_each(|entry| columns.push(entry));
    let mut expected = ColumnsOf::<T>::default();
    values.iter().for_each(|value| value.push_to(&mut expected));
    assert_eq!(format!("{:?}", columns.value), format!("{expected:?}"));
    let mut writer = Writer::<Many<T>, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_columns(columns.as_slice()).unwrap();
    let file = writer.finish_into().unwrap().1;
    assert_eq!(read::<Many<T>>(&file).unwrap(), entries);
    let reader = Reader::<Many<T>>::open(file, "Events").unwrap();
    let mut batches = reader.batches(1000);
    assert_eq!(format!("{:?}", batches.lend().unwrap().unwrap()), format!("{columns:?}"));
    let found: Vec<_> = reader.batches(1000).collect::<Result<_, _>>().unwrap();
    assert_eq!(format!("{found:?}"), format!("{:?}", [columns]));
}

#[test]
fn columns_hold_them() {
    check_columns(&[glam::Vec3::X, glam::Vec3::Y, glam::Vec3::ZERO]);
    check_columns(&[glam::DMat2::IDENTITY, glam::DMat2::ZERO]);
    check_columns(&[Point3::new(1.0f32, 2.0, 3.0), Point3::new(0.0, 0.5, 0.0)]);
    check_columns(&[Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0), Matrix3::identity()]);
    check_columns(&[Complex::new(1.0f64, -2.0), Complex::new(0.0, 1.0)]);
    check_columns(&[OrderedFloat(1.0f32), OrderedFloat(-2.0)]);
    check_columns(&[NotNan::new(1.0f64).unwrap(), NotNan::new(7.0).unwrap()]);
    check_columns(&[ArrayVec::<u8, 3>::from_iter([1, 2]), ArrayVec::new()]);
    check_columns(&[ArrayString::<8>::from("µ").unwrap(), ArrayString::new()]);
    check_columns(&[SmallVec::<[f32; 2]>::from_slice(&[1.0, 2.0, 3.0]), SmallVec::new()]);
    check_columns(&[Uuid::from_bytes([7; 16]), Uuid::nil()]);
    check_columns(&[Trigger::all(), Trigger::empty()]);
}
