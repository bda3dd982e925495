//! Answers of XRootD servers.

use rntuple_xrootd::__fuzz;

use crate::mutator::Mutator;

/// What an answer begins with: the stream, the status, the length of the body.
const HEADER: usize = 8;

/// The status of an answer whose length does not count the pages after it.
const PAGES: [u8; 2] = 4007u16.to_be_bytes();

/// The length of what says where those pages are.
const STATUS: usize = 24;

/// Reads bytes as answers, as all that comes on a connection, and as a URL that a server redirects to.
pub(crate) fn answers(bytes: &[u8]) {
    __fuzz::answers(bytes);
    __fuzz::connection(bytes);
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
    for (mut header, mut body) in answers {
        if !mutator.one_in(16) {
            let length = if is_pages(&header) { mend_pages(&mut body) } else { body.len() };
            let length = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
            header.iter_mut().skip(4).zip(length).for_each(|(old, new)| *old = new);
        }
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&body);
    }
    bytes.truncate(max);
}

/// One of each kind, and what comes on a connection.
pub(crate) fn recorded() -> Vec<Vec<u8>> {
    vec![__fuzz::recorded(), __fuzz::recorded_connection()]
}

fn is_pages(header: &[u8; HEADER]) -> bool {
    header.get(2..4) == Some(&PAGES)
}

/// Sets the length of the pages in what says where they are, and its checksum; returns its length.
fn mend_pages(body: &mut [u8]) -> usize {
    let length = STATUS.min(body.len());
    let (status, pages) = body.split_at_mut(length);
    let pages = u32::try_from(pages.len()).unwrap_or(u32::MAX).to_be_bytes();
    status.iter_mut().skip(12).zip(pages).for_each(|(old, new)| *old = new);
    if let Some((checksum, rest)) = status.split_at_mut_checked(4) {
        checksum.copy_from_slice(&__fuzz::checksum(rest).to_be_bytes());
    }
    length
}

fn split(bytes: &[u8]) -> Vec<([u8; HEADER], Vec<u8>)> {
    let mut answers = Vec::new();
    let mut left = bytes;
    while let Some((header, rest)) = left.split_first_chunk::<HEADER>() {
        let number =
            |bytes: &[u8]| bytes.iter().fold(0usize, |length, &byte| length << 8 | usize::from(byte));
        let mut length = number(header.get(4..).unwrap_or_default());
        if is_pages(header) {
            length = length.saturating_add(number(rest.get(12..16).unwrap_or_default()));
        }
        let (body, rest) = rest.split_at(length.min(rest.len()));
        answers.push((*header, body.to_vec()));
        left = rest;
    }
    answers
}
