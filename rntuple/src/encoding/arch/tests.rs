//! Every kernel against its scalar twin, at all lengths around the size of a block, wherever the memory begins.

use proptest::prelude::*;

use super::*;

/// Lengths with every number of values behind the last block, and some of many blocks.
fn lengths() -> impl Iterator<Item = usize> {
    (0..300).chain([1023, 1024, 1025, 4093, 16_384, 32_769])
}

/// Bytes without a pattern (xorshift).
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut out: Vec<u8> =
        std::iter::repeat_with(|| next().to_le_bytes()).take(count / 8 + 1).flatten().collect();
    out.truncate(count);
    out
}

/// What the twin alone writes.
fn twin<T>(count: usize, fill: impl FnOnce(&mut [MaybeUninit<T>])) -> Vec<T> {
    let mut out = Vec::new();
    // SAFETY: each twin, taking up the work at 0, writes every element.
    unsafe { append(&mut out, count, fill) };
    out
}

fn check_words<M: Step, W: Split + PartialEq + std::fmt::Debug>(values: &[W], offset: usize) {
    let values = values.get(offset..).unwrap_or_default();
    let wanted = twin(size_of_val(values), |planes| scalar::split::<_, M>(values, 0, planes));
    // What stands in the buffer stays, and moves what is appended away from an aligned address.
    let mut planes = vec![0xAA; offset + 1];
    split::<M, W>(values, &mut planes);
    assert!(planes[..=offset].iter().all(|byte| *byte == 0xAA));
    assert_eq!(planes[offset + 1..], wanted, "{:?} of {} words", M::KIND, values.len());

    let planes = &planes[offset + 1..];
    let wanted = twin(values.len(), |words| scalar::unsplit::<W, M>(planes, 0, W::default(), words));
    let mut words = vec![W::default(); offset];
    unsplit::<M, W>(planes, values.len(), &mut words);
    assert_eq!(words[offset..], wanted, "{:?} of {} words", M::KIND, values.len());
    assert_eq!(wanted, values, "{:?} comes back", M::KIND);
}

fn check_width<W: Split + PartialEq + std::fmt::Debug>(bytes: &[u8], offset: usize) {
    let values: Vec<W> = W::from_bytes(bytes).collect();
    check_words::<AsIs, W>(&values, offset);
    check_words::<Zigzag, W>(&values, offset);
    check_words::<Delta, W>(&values, offset);
    let mut plain = vec![0xAA; offset];
    put_plain(&values, &mut plain);
    assert_eq!(plain[offset..], bytes[..values.len() * W::WIDTH]);
    let mut back = vec![W::default(); offset];
    take_plain(&plain[offset..], &mut back);
    assert_eq!(back[offset..], values);
}

fn check(bytes: &[u8], offset: usize) {
    check_width::<u8>(bytes, offset);
    check_width::<u16>(bytes, offset);
    check_width::<u32>(bytes, offset);
    check_width::<u64>(bytes, offset);
}

fn check_bits(values: &[bool], offset: usize) {
    let values = values.get(offset..).unwrap_or_default();
    let wanted = twin(values.len().div_ceil(8), |bytes| scalar::pack(values, 0, bytes));
    let mut bytes = vec![0xAA; offset];
    pack(values, &mut bytes);
    assert_eq!(bytes[offset..], wanted, "{} bits", values.len());
    let wanted = twin(values.len(), |slots| scalar::unpack(&bytes[offset..], 0, slots));
    let mut back = vec![true; offset];
    unpack(&bytes[offset..], values.len(), &mut back);
    assert_eq!(back[offset..], wanted, "{} bits", values.len());
    assert_eq!(wanted, values);
}

#[test]
fn kernels_equal_their_twins_at_every_length() {
    for length in lengths() {
        let seed = (length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        check_width::<u16>(&noise(length * 2, seed), length % 3);
        check_width::<u32>(&noise(length * 4, seed), length % 3);
        check_width::<u64>(&noise(length * 8, seed), length % 3);
        let bits: Vec<bool> = noise(length, seed).iter().map(|byte| byte & 4 != 0).collect();
        check_bits(&bits, length % 5);
    }
}

#[test]
fn the_ends_of_the_range_survive() {
    for byte in [0, 1, 0x7f, 0x80, 0xfe, 0xff] {
        check(&vec![byte; 8 * 131], 0);
        check(&[noise(8 * 40, 7), vec![byte; 8 * 91]].concat(), 1);
    }
    check_bits(&[true; 131], 0);
    check_bits(&[false; 131], 1);
}

proptest! {
    #[test]
    fn kernels_equal_their_twins(bytes in prop::collection::vec(any::<u8>(), 0..3000), offset in 0usize..9) {
        check(&bytes, offset);
        let bits: Vec<bool> = bytes.iter().map(|byte| byte & 1 != 0).collect();
        check_bits(&bits, offset);
    }
}

#[test]
fn too_few_bytes_append_nothing() {
    for length in (0..320).chain(321..400) {
        let mut words = vec![7u64];
        unsplit::<Delta, u64>(&vec![1; length], 40, &mut words);
        assert_eq!(words, [7]);
    }
    let mut words = Vec::<u64>::new();
    unsplit::<AsIs, u64>(&[], usize::MAX, &mut words);
    unsplit::<AsIs, u64>(&[1; 8], usize::MAX / 8 + 2, &mut words);
    assert!(words.is_empty());
    let mut bits = vec![true];
    unpack(&[0; 12], 97, &mut bits);
    assert_eq!(bits, [true]);
}

#[test]
fn kernels_refuse_planes_that_are_not_there() {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = avx2::Avx2::new() {
        let mut room = [MaybeUninit::new(0u8); 100];
        assert_eq!(avx2.split4::<AsIs>(&[1; 64], &mut room), 0);
        let mut words = [MaybeUninit::new(0u32); 64];
        assert_eq!(avx2.unsplit4::<AsIs>(&[0; 100], &mut words), (0, 0));
        assert_eq!(avx2.pack(&[true; 64], &mut [MaybeUninit::new(0); 4]), 32);
        assert_eq!(avx2.unpack(&[1; 4], &mut [MaybeUninit::new(false); 64]), 32);
    }
}

#[test]
fn bytes_are_seen_as_values_only_where_they_could_stand() {
    // Aligned to 8 bytes, whatever the allocator does.
    let words = [1u64, u64::MAX, 3];
    let bytes = as_bytes(&words);
    if cfg!(target_endian = "big") {
        assert_eq!(view::<u64>(bytes), None);
        return;
    }
    assert_eq!(view::<u64>(bytes), Some(&words[..]));
    assert_eq!(view::<u8>(&bytes[3..]).map(<[u8]>::len), Some(21));
    for start in 1..8 {
        assert_eq!(view::<u64>(&bytes[start..start + 16]), None, "from byte {start}");
        assert_eq!(view::<u16>(&bytes[start..start + 16]).is_some(), start % 2 == 0);
        assert_eq!(view::<u64>(&bytes[..8 + start]), None, "{start} bytes are left");
    }
    assert_eq!(view::<u64>(&[]), Some(&[][..]));
}

#[test]
fn a_panic_while_a_buffer_is_lent_loses_its_values_and_nothing_else() {
    let mut values = vec![1.0f32; 100];
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        with_words(&mut values, |_| panic!("on purpose"));
    }));
    assert!(result.is_err() && values.is_empty());
    values.push(2.0);
    assert_eq!(values, [2.0]);
}
