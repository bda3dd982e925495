//! Everything that reads bytes of a server, for the fuzzer.

use crate::connection::{Abilities, Answer, limits};
use crate::plan::plan;
use crate::url::{Place, Url};
use crate::wire::code::Status;
use crate::wire::cursor::Cursor;
use crate::wire::login::{Protocol, methods};
use crate::wire::response::{Control, Header, Opened, Pages};
use crate::wire::stat::{Stat, read_list};

/// Reads bytes as answers of a server, one after the other, each in every way that a body of its kind may be read.
pub fn answers(bytes: &[u8]) {
    let mut cursor = Cursor(bytes);
    while let Ok(header) = cursor.array().and_then(Header::read) {
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        let Ok(body) = cursor.take(length.min(cursor.0.len())) else { return };
        match Control::read(header.status, body) {
            Ok(Some(Control::Redirect(redirect))) => {
                if let Ok(url) = Url::parse("root://localhost//x") {
                    let _ = Place::of(&url).redirected(&redirect);
                }
            }
            Ok(None) if header.status == Status::Pages => {
                let _ = Pages::read(header.stream, body);
            }
            Ok(None) => data(body),
            _ => {}
        }
    }
}

/// Reads a body as each of the answers that have data.
fn data(body: &[u8]) {
    let _ = Stat::read(body);
    let _ = read_list(body);
    let _ = Opened::read(body);
    let _ = Protocol::read(body);
    let _ = methods(body);
    let _ = limits(body);
    let abilities = Abilities { pieces: 4, piece: 1 << 20, pages: true, security_level: 0 };
    for ranges in [vec![100..200_000, 7..7], vec![5..9, 0..2, 7..4096]] {
        for job in plan(&ranges, &abilities) {
            let answer =
                Answer { data: body.to_vec(), parts: vec![(100, body.len() / 2), (4096, body.len())] };
            let mut buffers = vec![Vec::new(); ranges.len()];
            if job.store([0; 4], &answer, &mut buffers).is_err() {
                assert!(buffers.iter().all(Vec::is_empty), "an answer that is refused leaves nothing");
            }
        }
    }
}

/// Reads a text as a URL.
pub fn url(text: &str) {
    let _ = Url::parse(text);
}
