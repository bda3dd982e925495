//! Answers of XRootD servers.

use rntuple_xrootd::__fuzz;

use crate::mutator::Mutator;

/// What an answer begins with: the stream, the status, the length of the body.
const HEADER: usize = 8;

/// Reads bytes as answers, and as a URL that a server redirects to.
pub(crate) fn answers(bytes: &[u8]) {
    __fuzz::answers(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        __fuzz::url(text);
    }
}

/// Changes one of the answers; its length is right afterwards, most of the time.
pub(crate) fn mutate(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let mut answers = split(bytes);
    if answers.is_empty() || mutator.one_in(8) {
        return mutator.bytes(bytes, max);
    }
    let at = mutator.below(answers.len());
    match mutator.below(8) {
        0 => drop(answers.remove(at)),
        1 => answers.swap(at, 0),
        _ => {
            if let Some((header, body)) = answers.get_mut(at) {
                match mutator.one_in(4) {
                    true => {
                        let mut changed = header.to_vec();
                        mutator.bytes(&mut changed, HEADER);
                        header.iter_mut().zip(changed).for_each(|(old, new)| *old = new);
                    }
                    false => mutator.bytes(body, max),
                }
            }
        }
    }
    bytes.clear();
    for (mut header, body) in answers {
        if !mutator.one_in(16) {
            let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
            header.iter_mut().skip(4).zip(length).for_each(|(old, new)| *old = new);
        }
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&body);
    }
    bytes.truncate(max);
}

/// One of each kind.
pub(crate) fn recorded() -> Vec<u8> {
    __fuzz::recorded()
}

fn split(bytes: &[u8]) -> Vec<([u8; HEADER], Vec<u8>)> {
    let mut answers = Vec::new();
    let mut left = bytes;
    while let Some((header, rest)) = left.split_first_chunk::<HEADER>() {
        let length = header.iter().skip(4).fold(0usize, |length, &byte| length << 8 | usize::from(byte));
        let (body, rest) = rest.split_at(length.min(rest.len()));
        answers.push((*header, body.to_vec()));
        left = rest;
    }
    answers
}
