//! Real bytes, a naive twin of every transform, and the matrix.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

use half::f16;
use proptest::prelude::*;

use super::*;

fn encode<E: Element>(packing: ColumnEncoding, values: &[E]) -> Vec<u8> {
    let mut out = vec![0xAA];
    E::encode(&packing, values, &mut out).unwrap();
    assert_eq!(out.remove(0), 0xAA, "what stood in the buffer stays");
    assert_eq!(out.len() as u64, packing.page_length(values.len() as u32));
    out
}

fn decode<E: Element>(packing: ColumnEncoding, bytes: &[u8], count: usize) -> Vec<E> {
    let mut out = Vec::new();
    E::decode(&packing, bytes, count as u32, &mut out).unwrap();
    out
}

fn of(name: ColumnType) -> ColumnEncoding {
    ColumnEncoding::of(name)
}

#[track_caller]
fn both_ways<E: Element>(packing: ColumnEncoding, values: &[E], bytes: &[u8]) {
    assert_eq!(encode(packing, values), bytes);
    assert_eq!(decode::<E>(packing, bytes, values.len()), values);
}

#[test]
fn split_floats_as_root_writes_them() {
    let values = [9.9f32, 8.8, 7.7, 6.6, 5.5, 4.4, 3.3, 2.2, 1.1, 0.0];
    let bytes = [
        0x66, 0xcd, 0x66, 0x33, 0x00, 0xcd, 0x33, 0xcd, 0xcd, 0x00, 0x66, 0xcc, 0x66, 0x33, 0x00, 0xcc, 0x33,
        0xcc, 0xcc, 0x00, 0x1e, 0x0c, 0xf6, 0xd3, 0xb0, 0x8c, 0x53, 0x0c, 0x8c, 0x00, 0x41, 0x41, 0x40, 0x40,
        0x40, 0x40, 0x40, 0x40, 0x3f, 0x00,
    ];
    both_ways(of(ColumnType::SplitReal32), &values, &bytes);
}

#[test]
fn zigzag_integers_as_root_writes_them() {
    let values = [9i32, 8, 7, 6, 5, 4, 3, 2, 1, 0];
    let mut bytes = vec![0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x06, 0x04, 0x02, 0x00];
    bytes.resize(40, 0);
    both_ways(of(ColumnType::SplitInt32), &values, &bytes);
}

#[test]
fn delta_offsets_as_root_writes_them() {
    let values = [3, 6, 11, 15, 19].map(Index);
    let mut bytes = vec![3, 3, 5, 4, 4];
    bytes.resize(40, 0);
    both_ways(of(ColumnType::SplitIndex64), &values, &bytes);
    bytes.truncate(20);
    both_ways(of(ColumnType::SplitIndex32), &values, &bytes);
}

#[test]
fn switches_as_root_writes_them() {
    let values = [(0, 1), (0, 0), (0, 2)].map(|(index, tag)| Switch { index, tag });
    let mut bytes = vec![0; 36];
    bytes[8] = 1;
    bytes[32] = 2;
    both_ways(of(ColumnType::Switch), &values, &bytes);
}

#[test]
fn bits_start_at_the_lowest() {
    let values = [true, false, false, true, false, false, false, true, true];
    both_ways(of(ColumnType::Bit), &values, &[0b1000_1001, 1]);
}

#[test]
fn truncated_floats_as_root_writes_them() {
    let ten = ColumnEncoding::truncated(10).unwrap();
    let bytes = [0xfe, 0x54, 0x05, 0xe7, 0xbf];
    let values: Vec<f32> = decode(ten, &bytes, 4);
    assert_eq!(encode(ten, &values), bytes);
    let all = ColumnEncoding::truncated(31).unwrap();
    let bytes =
        [0x29, 0x03, 0xcf, 0x1f, 0x55, 0x55, 0x55, 0x15, 0xfe, 0xc0, 0x87, 0xf3, 0x9f, 0x3f, 0xff, 0x0b];
    let finer: Vec<f32> = decode(all, &bytes, 4);
    assert_eq!(encode(all, &finer), bytes);
    for (coarse, fine) in values.iter().zip(&finer) {
        assert_eq!(coarse.to_bits() >> 22, fine.to_bits() >> 22);
    }
    assert!((finer[0] - 1.234).abs() < 1e-3 && (finer[3] + 1.9).abs() < 0.1);
}

#[test]
fn quantized_floats_as_root_writes_them() {
    for (bits, bytes) in [
        (8, vec![0xa5, 0xbb, 0x66, 0x05]),
        (25, vec![0x41, 0x38, 0x4b, 0xed, 0xee, 0xee, 0x32, 0x33, 0x33, 0xf3, 0x4c, 0x00, 0x00]),
        (1, vec![0x03]),
    ] {
        let packing = ColumnEncoding::quantized(bits, -2.0, 3.0).unwrap();
        let doubles: Vec<f64> = decode(packing, &bytes, 4);
        assert_eq!(encode(packing, &doubles), bytes, "{bits} bits");
        let floats: Vec<f32> = decode(packing, &bytes, 4);
        for (float, double) in floats.iter().zip(&doubles) {
            assert_eq!(float.to_bits(), (*double as f32).to_bits(), "narrowed after decoding");
        }
    }
}

#[test]
fn quantizing_refuses_what_lies_outside() {
    let packing = ColumnEncoding::quantized(12, -5.0, 5.0).unwrap();
    for value in [5.1f32, -5.1, f32::NAN, f32::INFINITY] {
        let fault = f32::encode(&packing, &[0.0, value], &mut Vec::new()).unwrap_err();
        assert!(matches!(fault, Fault::OutOfQuantizedRange { position: 1, .. }), "{fault}");
    }
    assert_eq!(encode(packing, &[-5.0f32, 5.0]), [0x00, 0xf0, 0xff]);
}

#[test]
fn impossible_packings_are_refused() {
    assert!(ColumnEncoding::truncated(9).is_err() && ColumnEncoding::truncated(32).is_err());
    assert!(
        ColumnEncoding::quantized(0, 0.0, 1.0).is_err() && ColumnEncoding::quantized(33, 0.0, 1.0).is_err()
    );
    for (min, max) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (0.0, 1e-310)] {
        assert!(ColumnEncoding::quantized(8, min, max).is_err(), "{min}..{max}");
    }
    assert!(ColumnEncoding::quantized(8, f64::MIN, f64::MAX).is_err(), "the width overflows");
    assert!(ColumnEncoding::checked(ColumnType::Int32, 16, None).is_err());
    assert!(ColumnEncoding::checked(ColumnType::Real32Quant, 8, None).is_err());
}

#[test]
fn a_page_of_the_wrong_length_is_refused() {
    for length in [0, 3, 5, 400] {
        let fault = i32::decode(&of(ColumnType::Int32), &vec![0; length], 1, &mut Vec::new()).unwrap_err();
        assert_eq!(fault, Fault::Length { wanted: 4, found: length as u64 });
    }
    assert!(bool::decode(&of(ColumnType::Bit), &[0, 0], 8, &mut Vec::new()).is_err());
    assert!(u8::decode(&of(ColumnType::UInt8), &[], u32::MAX, &mut Vec::new()).is_err());
}

#[test]
fn integers_convert_with_a_check() {
    let packing = of(ColumnType::SplitInt32);
    let bytes = encode(packing, &[1i32, -1, 300]);
    assert_eq!(decode::<i64>(packing, &bytes, 3), [1, -1, 300]);
    let mut out = Vec::new();
    assert_eq!(u16::decode(&packing, &bytes, 3, &mut out), Err(Fault::OutOfRange { position: 1 }));
    out.clear();
    let mut out = Vec::new();
    assert_eq!(i8::decode(&packing, &bytes, 3, &mut out), Err(Fault::OutOfRange { position: 2 }));
    assert_eq!(decode::<u64>(of(ColumnType::Bit), &[0b101], 3), [1, 0, 1]);
    assert_eq!(decode::<bool>(of(ColumnType::UInt8), &[1, 0, 2], 3), [true, false, true]);
    assert_eq!(decode::<bool>(packing, &bytes, 3), [true; 3]);
    assert_eq!(decode::<CxxChar>(of(ColumnType::Char), b"x", 1), [CxxChar(b'x')]);
}

#[test]
fn the_matrix_keeps_integers_and_reals_apart() {
    use ColumnType as C;
    for &column_type in C::ALL {
        let integer = matches!(
            column_type,
            C::Bit
                | C::Byte
                | C::Char
                | C::Int8
                | C::UInt8
                | C::Int16
                | C::UInt16
                | C::Int32
                | C::UInt32
                | C::Int64
                | C::UInt64
                | C::SplitInt16
                | C::SplitUInt16
                | C::SplitInt32
                | C::SplitUInt32
                | C::SplitInt64
                | C::SplitUInt64
        );
        let index = matches!(column_type, C::Index32 | C::Index64 | C::SplitIndex32 | C::SplitIndex64);
        let switch = column_type == C::Switch;
        let real = !integer && !index && !switch;
        assert_eq!(i64::reads(column_type), integer, "{column_type}");
        assert_eq!(bool::reads(column_type), integer, "{column_type}");
        assert_eq!(CxxChar::reads(column_type), integer, "{column_type}");
        assert_eq!(f32::reads(column_type), real, "{column_type}");
        assert_eq!(f64::reads(column_type), real, "{column_type}");
        assert_eq!(Index::reads(column_type), index, "{column_type}");
        assert_eq!(Switch::reads(column_type), switch, "{column_type}");
    }
    let fault = f32::decode(&of(C::Int32), &[0; 4], 1, &mut Vec::new());
    assert_eq!(fault, Err(Fault::Unrelated));
}

#[test]
fn what_is_written_is_what_the_list_allows() {
    fn check<E: Element>() {
        for &column_type in ColumnType::ALL {
            let range = (column_type == ColumnType::Real32Quant).then_some((-1.0, 1.0));
            let packing =
                ColumnEncoding::checked(column_type, *column_type.bit_range().end(), range).unwrap();
            let written = E::encode(&packing, &[E::default()], &mut Vec::new()).is_ok();
            let listed = E::WRITES.contains(&column_type);
            assert!(!listed || written, "{} as {column_type}", E::NAME);
        }
        for compressed in [false, true] {
            assert!(E::WRITES.contains(&E::default_type(compressed)));
        }
    }
    check::<bool>();
    check::<Byte>();
    check::<CxxChar>();
    check::<i8>();
    check::<u8>();
    check::<i16>();
    check::<u16>();
    check::<i32>();
    check::<u32>();
    check::<i64>();
    check::<u64>();
    check::<f16>();
    check::<f32>();
    check::<f64>();
    check::<Index>();
    check::<Switch>();
}

/// Version 1 has no code for these: no file of version 1 has such columns, and none is written.
#[test]
fn types_that_version_1_left_out_are_read_and_never_written() {
    use ColumnType as C;
    let old = [C::HalvedSwitch, C::PackedSwitch, C::RawSplitInt16, C::RawSplitInt32, C::RawSplitInt64];
    for column_type in old {
        assert!(column_type.is_old() && !C::ALL.contains(&column_type));
        assert_eq!(C::from_code(column_type as u16), None);
        let packing = of(column_type);
        let mut out = Vec::new();
        assert_eq!(Switch::encode(&packing, &[Switch::default()], &mut out), Err(Fault::Unrelated));
        assert_eq!(i16::encode(&packing, &[1], &mut out), Err(Fault::Unrelated));
        assert_eq!(i64::encode(&packing, &[1], &mut out), Err(Fault::Unrelated));
        assert_eq!(Switch::reads(column_type), packing.bits() == 64 && column_type < C::RawSplitInt16);
        assert_eq!(i32::reads(column_type), column_type >= C::RawSplitInt16);
    }
    assert!(C::ALL.iter().all(|column_type| !column_type.is_old()));
}

/// In rc1.0 and rc1.1 the bytes of signed numbers are those of unsigned ones, split.
#[test]
fn raw_signed_numbers_are_the_bytes_of_unsigned_ones() {
    let values = [0, -1, 1, i32::MIN, i32::MAX, -300];
    let mut bytes = Vec::new();
    u32::encode(&of(ColumnType::SplitUInt32), &values.map(i32::cast_unsigned), &mut bytes).unwrap();
    let raw = of(ColumnType::RawSplitInt32);
    let mut back = Vec::new();
    i32::decode(&raw, &bytes, 6, &mut back).unwrap();
    assert_eq!(back, values);
    let mut wide = Vec::new();
    i64::decode(&raw, &bytes, 6, &mut wide).unwrap();
    assert_eq!(wide, values.map(i64::from));
    let (mut some, how) = (Vec::new(), Conversion { skip: 4, lossy: false });
    i32::decode_as(&raw, &bytes, 6, how, &mut some).unwrap();
    assert_eq!(some, values[4..]);
    assert_eq!(u32::decode(&raw, &bytes, 6, &mut Vec::new()), Err(Fault::OutOfRange { position: 1 }));
}

#[test]
fn an_offset_beyond_32_bits_is_refused_by_a_32_bit_column() {
    let fault = Index::encode(&of(ColumnType::Index32), &[Index(1), Index(1 << 32)], &mut Vec::new());
    assert_eq!(fault, Err(Fault::OutOfRange { position: 1 }));
}

#[test]
fn codes_and_names_are_those_of_the_format() {
    assert_eq!(ColumnType::ALL.len(), 0x1E);
    for (code, &column_type) in ColumnType::ALL.iter().enumerate() {
        assert_eq!(ColumnType::from_code(code as u16), Some(column_type));
        assert_eq!(column_type as usize, code);
    }
    assert_eq!(ColumnType::from_code(0x1E), None);
    assert_eq!(ColumnEncoding::quantized(8, 0.0, 1.0).unwrap().to_string(), "Real32Quant(8, 0..1)");
}

/// The definition of section 6.1, element by element.
fn naive_split(words: &[u64], width: usize) -> Vec<u8> {
    let mut out = vec![0; words.len() * width];
    for (i, word) in words.iter().enumerate() {
        for b in 0..width {
            out[b * words.len() + i] = (word >> (8 * b)) as u8;
        }
    }
    out
}

/// The definition of section 6.4, bit by bit.
fn naive_bits(words: &[u32], bits: usize) -> Vec<u8> {
    let mut out = vec![0; (words.len() * bits).div_ceil(8)];
    for (i, word) in words.iter().enumerate() {
        for j in 0..bits {
            out[(i * bits + j) / 8] |= ((word >> j & 1) as u8) << ((i * bits + j) % 8);
        }
    }
    out
}

proptest! {
    #[test]
    fn split_equals_the_definition(values: Vec<u64>) {
        both_ways(of(ColumnType::SplitUInt64), &values, &naive_split(&values, 8));
        let halves: Vec<u32> = values.iter().map(|v| *v as u32).collect();
        both_ways(of(ColumnType::SplitUInt32), &halves, &naive_split(&values, 4));
        let quarters: Vec<u16> = values.iter().map(|v| *v as u16).collect();
        both_ways(of(ColumnType::SplitUInt16), &quarters, &naive_split(&values, 2));
    }

    #[test]
    fn zigzag_equals_the_definition(values: Vec<i64>) {
        let zigzag = |x: i64| if x < 0 { !(x as u64) * 2 + 1 } else { x as u64 * 2 };
        let words: Vec<u64> = values.iter().map(|&x| zigzag(x)).collect();
        both_ways(of(ColumnType::SplitInt64), &values, &naive_split(&words, 8));
        let small: Vec<i16> = values.iter().map(|&x| x as i16).collect();
        let words: Vec<u64> = small.iter().map(|&x| zigzag(x.into())).collect();
        both_ways(of(ColumnType::SplitInt16), &small, &naive_split(&words, 2));
        let middle: Vec<i32> = values.iter().map(|&x| x as i32).collect();
        let words: Vec<u64> = middle.iter().map(|&x| zigzag(x.into())).collect();
        both_ways(of(ColumnType::SplitInt32), &middle, &naive_split(&words, 4));
    }

    #[test]
    fn delta_equals_the_definition(values: Vec<u64>) {
        let mut words = values.clone();
        for i in (1..words.len()).rev() {
            words[i] = words[i].wrapping_sub(words[i - 1]);
        }
        let values: Vec<Index> = values.into_iter().map(Index).collect();
        both_ways(of(ColumnType::SplitIndex64), &values, &naive_split(&words, 8));
    }

    #[test]
    fn truncation_equals_the_definition(values: Vec<f32>, bits in 10u16..=31) {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits() >> (32 - bits)).collect();
        let packing = ColumnEncoding::truncated(bits).unwrap();
        let bytes = encode(packing, &values);
        prop_assert_eq!(&bytes, &naive_bits(&words, bits.into()));
        let back: Vec<f32> = decode(packing, &bytes, values.len());
        for (back, word) in back.iter().zip(words) {
            prop_assert_eq!(back.to_bits(), word << (32 - bits));
        }
    }

    #[test]
    fn quantization_errs_by_half_a_step(
        values in prop::collection::vec(-3.0f64..=7.0, 0..40), bits in 1u16..=32,
    ) {
        let packing = ColumnEncoding::quantized(bits, -3.0, 7.0).unwrap();
        let back: Vec<f64> = decode(packing, &encode(packing, &values), values.len());
        let step = 10.0 / ((1u64 << bits) - 1) as f64;
        for (value, back) in values.iter().zip(&back) {
            prop_assert!((value - back).abs() <= step * 0.500001, "{value} became {back}");
        }
        // What came back is a fixed point: another trip changes nothing.
        let again: Vec<f64> = decode(packing, &encode(packing, &back), values.len());
        prop_assert_eq!(again, back);
    }

    #[test]
    fn bits_and_plain_equal_the_definition(bits: Vec<bool>, reals: Vec<f64>, halves: Vec<u16>) {
        let words: Vec<u32> = bits.iter().map(|&b| b.into()).collect();
        both_ways(of(ColumnType::Bit), &bits, &naive_bits(&words, 1));
        let bytes: Vec<u8> = reals.iter().flat_map(|v| v.to_le_bytes()).collect();
        prop_assert_eq!(encode(of(ColumnType::Real64), &reals), bytes);
        let bytes: Vec<u8> = halves.iter().flat_map(|v| v.to_le_bytes()).collect();
        let halves: Vec<f16> = halves.into_iter().map(f16::from_bits).collect();
        prop_assert_eq!(encode(of(ColumnType::Real16), &halves), bytes);
    }

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, count: u32, code in 0u16..0x1E) {
        let column_type = ColumnType::from_code(code).unwrap();
        let range = (column_type == ColumnType::Real32Quant).then_some((-1.0, 1.0));
        for bits in column_type.bit_range() {
            let packing = ColumnEncoding::checked(column_type, bits, range).unwrap();
            let fitting = bytes.len() * 8 / usize::from(bits);
            for count in [count, fitting as u32] {
                let _ = u8::decode(&packing, &bytes, count, &mut Vec::new());
                let _ = f32::decode(&packing, &bytes, count, &mut Vec::new());
                let _ = Index::decode(&packing, &bytes, count, &mut Vec::new());
                let _ = Switch::decode(&packing, &bytes, count, &mut Vec::new());
            }
        }
    }
}

#[test]
fn values_come_up_to_the_one_that_does_not_fit_and_behind_it() {
    let values = [1i32, 2, -3, 4, 500, 6];
    let packing = of(ColumnType::SplitInt32);
    let mut bytes = Vec::new();
    i32::encode(&packing, &values, &mut bytes).unwrap();
    let from = |skip: usize, lossy: bool| {
        let mut out = Vec::<u8>::new();
        let misfit = decode_fitting(&packing, &bytes, 6, Conversion { skip, lossy }, &mut out).unwrap();
        (out, misfit.map(|misfit| (misfit.position, misfit.value.unwrap())))
    };
    assert_eq!(from(0, false), (vec![1, 2], Some((2, -3))));
    assert_eq!(from(2, false), (vec![], Some((2, -3))));
    assert_eq!(from(3, false), (vec![4], Some((4, 500))));
    assert_eq!(from(5, false), (vec![6], None));
    assert_eq!(from(9, false), (vec![], None));
    assert_eq!(from(0, true), (vec![1, 2, 0, 4, 255, 6], None));
    assert_eq!(from(4, true), (vec![255, 6], None));
    let mut out = Vec::<i32>::new();
    i32::decode_as(&packing, &bytes, 6, Conversion { skip: 4, lossy: false }, &mut out).unwrap();
    assert_eq!(out, [500, 6], "also where nothing is converted");
}

/// Every number becomes the nearest one, as arithmetic in a wider type says.
#[test]
fn losses_are_those_of_saturating_arithmetic() {
    fn as_type<E: Element>(packing: ColumnEncoding, bytes: &[u8], count: u32) -> Vec<E> {
        let mut out = Vec::new();
        E::decode_as(&packing, bytes, count, Conversion { skip: 0, lossy: true }, &mut out).unwrap();
        out
    }
    macro_rules! check {
        ($from:ty, $column:ident: $($to:ty)*) => {{
            let values: Vec<$from> = [0i128, 1, -1, 127, 128, -128, -129, 255, 256, i128::from(i64::MAX), i128::from(i64::MIN)]
                .iter()
                .map(|value| (*value).clamp(<$from>::MIN.into(), <$from>::MAX.into()) as $from)
                .collect();
            let packing = of(ColumnType::$column);
            let mut bytes = Vec::new();
            <$from>::encode(&packing, &values, &mut bytes).unwrap();
            let count = values.len() as u32;
            $(
                let wanted: Vec<$to> = values
                    .iter()
                    .map(|value| i128::from(*value).clamp(<$to>::MIN.into(), <$to>::MAX.into()) as $to)
                    .collect();
                assert_eq!(as_type::<$to>(packing, &bytes, count), wanted);
            )*
            assert_eq!(as_type::<f64>(packing, &bytes, count), values.iter().map(|v| *v as f64).collect::<Vec<_>>());
            assert_eq!(as_type::<f32>(packing, &bytes, count), values.iter().map(|v| *v as f32).collect::<Vec<_>>());
            assert_eq!(as_type::<bool>(packing, &bytes, count), values.iter().map(|v| *v != 0).collect::<Vec<_>>());
        }};
    }
    check!(i8, Int8: i8 u8 i16 u16 i32 u32 i64 u64);
    check!(u8, UInt8: i8 u8 i16 u16 i32 u32 i64 u64);
    check!(i16, SplitInt16: i8 u8 i16 u16 i32 u32 i64 u64);
    check!(u32, UInt32: i8 u8 i16 u16 i32 u32 i64 u64);
    check!(i64, SplitInt64: i8 u8 i16 u16 i32 u32 i64 u64);
    check!(u64, UInt64: i8 u8 i16 u16 i32 u32 i64 u64);
}

#[test]
fn pages_are_lent_where_memory_and_storage_are_the_same() {
    fn lent<E: Element>(column_type: ColumnType, bytes: &[u8]) -> Option<Vec<E>> {
        let packing = ColumnEncoding::checked(column_type, *column_type.bit_range().end(), None).ok()?;
        let values = as_elements::<E>(bytes, &packing)?.to_vec();
        assert_eq!(values, decode::<E>(packing, bytes, values.len()), "{column_type}");
        Some(values)
    }
    use ColumnType as C;
    // Sixteen bytes at an address that suits all.
    let words = [0x0102_0304_0506_0708u64, 0x1112_1314_1516_1718];
    let bytes = words.map(u64::to_le_bytes).concat();
    let mut room = [0u8; 64];
    let start = room.as_ptr().align_offset(16);
    room[start..start + 16].copy_from_slice(&bytes);
    let bytes = &room[start..start + 16];
    let is_little = cfg!(target_endian = "little");
    assert_eq!(lent::<u64>(C::UInt64, bytes), is_little.then(|| words.to_vec()));
    assert_eq!(lent::<Index>(C::Index64, bytes), is_little.then(|| words.map(Index).to_vec()));
    assert_eq!(lent::<f64>(C::Real64, bytes).is_some(), is_little);
    assert_eq!(lent::<f32>(C::Real32, bytes).is_some(), is_little);
    assert_eq!(lent::<f16>(C::Real16, bytes).is_some(), is_little);
    assert_eq!(lent::<i16>(C::Int16, bytes).is_some(), is_little);
    assert_eq!(lent::<Byte>(C::Byte, bytes).is_some(), is_little);
    assert_eq!(lent::<CxxChar>(C::Char, bytes).is_some(), is_little);
    assert_eq!(lent::<u8>(C::Char, &bytes[3..]).is_some(), is_little);
    // Not aligned; a part of a value; converted; transformed; never plain memory.
    assert_eq!(lent::<u64>(C::UInt64, &room[start + 1..start + 9]), None);
    assert_eq!(lent::<u64>(C::UInt64, &bytes[..12]), None);
    assert_eq!(lent::<u64>(C::UInt32, bytes), None);
    assert_eq!(lent::<i64>(C::UInt64, bytes), None);
    assert_eq!(lent::<Index>(C::Index32, bytes), None);
    assert_eq!(lent::<f32>(C::SplitReal32, bytes), None);
    assert_eq!(lent::<bool>(C::Bit, bytes), None);
    assert_eq!(lent::<bool>(C::UInt8, bytes), None);
    assert_eq!(lent::<Switch>(C::Switch, &bytes[..12]), None);
}

#[test]
fn long_pages_convert_up_to_the_value_that_does_not_fit() {
    for bad in [0usize, 1, 255, 256, 257, 700, 999] {
        let values: Vec<i32> = (0..1000).map(|i| if i == bad { -1 } else { i as i32 }).collect();
        let packing = of(ColumnType::Int32);
        let bytes = encode(packing, &values);
        for skip in [0, bad / 2, bad] {
            let mut out = vec![77u16];
            let fault = u16::decode_as(&packing, &bytes, 1000, Conversion { skip, lossy: false }, &mut out);
            assert_eq!(fault, Err(Fault::OutOfRange { position: bad }));
            assert_eq!(out.len(), 1 + bad - skip);
            assert!(out[1..].iter().zip(skip..).all(|(value, i)| usize::from(*value) == i));
        }
        let mut out = Vec::<u16>::new();
        u16::decode_as(&packing, &bytes, 1000, Conversion { skip: bad + 1, lossy: false }, &mut out).unwrap();
        assert_eq!(out.len(), 999 - bad);
        let offsets: Vec<Index> =
            (0..1000).map(|i| Index(if i == bad { 1 << 32 } else { i as u64 })).collect();
        let fault = Index::encode(&of(ColumnType::SplitIndex32), &offsets, &mut Vec::new());
        assert_eq!(fault, Err(Fault::OutOfRange { position: bad }));
    }
}

#[test]
fn all_halves_convert_as_one_by_one() {
    let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let packing = of(ColumnType::Real16);
    let bytes = encode(packing, &halves);
    let wide: Vec<f32> = decode(packing, &bytes, halves.len());
    for (half, wide) in halves.iter().zip(&wide) {
        assert_eq!(half.to_f32().to_bits(), wide.to_bits());
    }
    let finer: Vec<f32> = wide.iter().map(|x| x * 1.000_3).collect();
    let back: Vec<f16> = decode(packing, &encode(packing, &finer), finer.len());
    for (half, fine) in back.iter().zip(&finer) {
        assert_eq!(half.to_bits(), f16::from_f32(*fine).to_bits());
    }
}

/// Pages of several blocks, of every width, against the definition.
#[test]
fn long_bit_streams_equal_the_definition() {
    for bits in 1..=32u16 {
        for count in [31, 32, 33, 63, 64, 65, 200, 1000] {
            let packing = ColumnEncoding::quantized(bits, 0.0, ((1u64 << bits) - 1) as f64).unwrap();
            let mut state = 0x9E37_79B9u32;
            let words: Vec<u32> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> (32 - bits)
                })
                .collect();
            // A step is one, so values and words are the same.
            let values: Vec<f64> = words.iter().map(|word| f64::from(*word)).collect();
            both_ways(packing, &values, &naive_bits(&words, bits.into()));
            if (10..=31).contains(&bits) {
                let cut: Vec<f32> = words.iter().map(|word| f32::from_bits(word << (32 - bits))).collect();
                let packing = ColumnEncoding::truncated(bits).unwrap();
                let bytes = encode(packing, &cut);
                assert_eq!(bytes, naive_bits(&words, bits.into()));
                let back: Vec<f32> = decode(packing, &bytes, count);
                assert!(back.iter().zip(&cut).all(|(back, cut)| back.to_bits() == cut.to_bits()));
            }
        }
    }
}

#[test]
fn names_say_what_values_are() {
    for &column_type in ColumnType::ALL {
        let name = column_type.name().trim_start_matches("Split");
        let expected = match column_type.kind() {
            ValueKind::Bool => "Bit",
            ValueKind::I8 => "Int8",
            ValueKind::U8 => "UInt8",
            ValueKind::I16 => "Int16",
            ValueKind::U16 => "UInt16",
            ValueKind::I32 => "Int32",
            ValueKind::U32 => "UInt32",
            ValueKind::I64 => "Int64",
            ValueKind::U64 => "UInt64",
            ValueKind::F16 => "Real16",
            ValueKind::F32 => "Real32",
            ValueKind::F64 => "Real64",
            ValueKind::Byte if column_type == ColumnType::Char => "Char",
            ValueKind::Byte => "Byte",
            ValueKind::End => "Index",
            ValueKind::Tag => "Switch",
        };
        assert!(name.starts_with(expected), "{column_type}: {expected}");
    }
}
