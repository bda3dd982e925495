//! What a server says of how much one request may ask for.

use std::sync::{Arc, Mutex};

use rntuple::storage::ReadAt;

use super::server::{QUERY, READV, Then, serve};
use super::{data, open};

/// The lengths of the pieces of each `kXR_readv` that reads ranges from a server with these limits, all of whose bytes are
/// compared.
fn vectors(pieces: usize, longest: u32) -> Vec<Vec<u32>> {
    let vectors: Arc<Mutex<Vec<Vec<u32>>>> = Arc::default();
    let seen = vectors.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code == QUERY {
            peer.answer(asked.stream, 0, format!("{pieces}\n{longest}\n").as_bytes());
            return Then::Answered;
        }
        if asked.code == READV {
            let lengths = asked.payload.chunks(16).map(|piece| piece[4..8].try_into().unwrap());
            seen.lock().unwrap().push(lengths.map(u32::from_be_bytes).collect());
        }
        Then::Usual
    });
    let file = open(port).unwrap();
    // From 10 bytes to 100 000.
    let ranges: Vec<_> =
        (0..40u64).map(|number| number * 70_000..number * 70_000 + 10 + number * number * 65).collect();
    let data = data();
    for (range, block) in ranges.iter().zip(file.blocks(&ranges).unwrap()) {
        assert_eq!(block[..], data[range.start as usize..range.end as usize], "{range:?}");
    }
    let vectors = vectors.lock().unwrap().clone();
    for vector in &vectors {
        assert!(vector.len() <= pieces, "{} pieces, of which {pieces} are permitted", vector.len());
        assert!(vector.iter().all(|length| *length <= longest), "{longest}: {vector:?}");
    }
    vectors
}

#[test]
fn vectors_have_no_more_and_no_longer_pieces_than_the_server_permits() {
    let most = |vectors: &[Vec<u32>]| vectors.iter().map(Vec::len).max();
    let longest = |vectors: &[Vec<u32>]| vectors.iter().flatten().max().copied();
    // What is usual, in one request.
    let usual = vectors(1024, 2_097_136);
    assert_eq!((usual.len(), most(&usual)), (1, Some(40)));
    assert_eq!(longest(&usual), Some(10 + 39 * 39 * 65));
    // Few pieces.
    for pieces in [4, 7] {
        let few = vectors(pieces, 2_097_136);
        assert_eq!((few.len(), most(&few)), (40usize.div_ceil(pieces), Some(pieces)));
    }
    // Short pieces: what is longer is read otherwise, and the others together.
    let short = vectors(1024, 1_000);
    assert_eq!((short.len(), most(&short)), (1, Some(4)));
    assert!(longest(&short).unwrap() > 500);
    let both = vectors(2, 20_000);
    assert_eq!(most(&both), Some(2));
    assert!(longest(&both).unwrap() > 15_000);
    vectors(1, 1);
}
