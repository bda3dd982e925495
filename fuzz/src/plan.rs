//! Parts of plans that workers, schedulers and executors get, but for what is DataFusion's own in them.

use url::Url;

use self::wire::{Format, Members, Options, Part, Path, Scan, Sink, Snapshot, Table};
use crate::mutator::Mutator;

// The crate needs DataFusion, which would have to be compiled for each sanitizer.
#[path = "../../rntuple-datafusion/src/stores.rs"]
mod stores;
#[path = "../../rntuple-datafusion/src/codec/wire.rs"]
mod wire;

/// A version of DataFusion, which is a text here.
const DATAFUSION: &str = "55.2.0";

/// Reads bytes as a part of a plan, which is the same once it was written again.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(part) = wire::decode(bytes, DATAFUSION) else { return };
    assert!(wire::is_ours(bytes));
    let mut again = Vec::new();
    assert!(wire::encode(part.clone(), DATAFUSION, &mut again).is_ok());
    assert!(wire::decode(&again, DATAFUSION).is_ok_and(|again| again == part));
    if let Part::Scan(Scan { snapshot, .. }) | Part::Table(Table { snapshot, .. }) = &part {
        snapshot.iter().for_each(|snapshot| one_host(&snapshot.root));
    }
}

/// A store that is registered is found by the host that a URL leads to, and a container of Azure by its user.
fn one_host(text: &str) {
    let Some(store) = stores::store_of(text).filter(|_| wire::has_one_host(text)) else { return };
    // A store that is no URL is not registered.
    if let (Ok(url), Ok(store)) = (Url::parse(text), Url::parse(&store)) {
        let place = |url: &Url| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port());
        assert_eq!(place(&url), place(&store));
        // What else is in a name may be escaped in the URL.
        let is_plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if let Some(container) = stores::container_of(text).filter(is_plain) {
            assert_eq!(url.username(), container);
        }
    }
}

/// A member of a part.
enum Member<'a> {
    Bytes(&'a mut Vec<u8>),
    Text(&'a mut String),
}

/// Changes bytes, or one member of the part that they are: then they stay one.
pub(crate) fn mutate(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let part = wire::decode(bytes, DATAFUSION).ok().filter(|_| !mutator.one_in(8));
    let Some(mut part) = part else { return mutator.bytes(bytes, max) };
    let mut members = members(&mut part);
    let at = mutator.below(members.len().max(1));
    match members.get_mut(at) {
        Some(Member::Bytes(member)) => mutator.bytes(member, max),
        Some(Member::Text(member)) => {
            let mut changed = member.as_bytes().to_vec();
            mutator.bytes(&mut changed, max);
            **member = String::from_utf8_lossy(&changed).into_owned();
        }
        None => return mutator.bytes(bytes, max),
    }
    bytes.clear();
    let _ = wire::encode(part, DATAFUSION, bytes);
    bytes.truncate(max);
}

fn members(part: &mut Part) -> Vec<Member<'_>> {
    let mut found = Vec::new();
    let (options, snapshot) = match part {
        Part::Format(Format { name, options }) => {
            found.push(Member::Text(name));
            found.extend(options.values_mut().map(Member::Text));
            return found;
        }
        Part::Sink(Sink { config, order, ntuple, compression, .. }) => {
            found.extend(config.iter_mut().chain(order).map(Member::Bytes));
            found.extend(ntuple.iter_mut().chain(compression).map(Member::Text));
            return found;
        }
        Part::Scan(Scan { base, filter, options, snapshot, wanted, .. }) => {
            found.extend(base.iter_mut().chain(filter).map(Member::Bytes));
            let paths = wanted.iter_mut().flat_map(|members| &mut members.paths);
            found.extend(paths.flat_map(|path| &mut path.members).map(Member::Text));
            (options, snapshot)
        }
        Part::Table(Table { store, files, options, snapshot, order }) => {
            found.extend(files.iter_mut().map(Member::Bytes));
            found.extend(order.iter_mut().chain([store]).map(Member::Text));
            (options, snapshot)
        }
    };
    found.extend(options.iter_mut().filter_map(|options| options.ntuple.as_mut()).map(Member::Text));
    found.extend(snapshot.iter_mut().map(|snapshot| Member::Text(&mut snapshot.root)));
    found
}

/// One of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = |text: &str| Some(text.to_owned());
    let options = || Some(Options { ntuple: text("Events"), leaves: true, ..Options::default() });
    let snapshot = |root: &str| Some(Snapshot { root: root.to_owned(), version: 7 });
    let path = Path { members: vec!["muons".to_owned(), "pt".to_owned()] };
    let scan = Scan {
        base: Some(vec![8, 1]),
        filter: Some(vec![10, 2, 8, 1]),
        options: options(),
        snapshot: snapshot("https://me:secret@host:8080/events.rnds"),
        wanted: vec![Members { all: true, paths: Vec::new() }, Members { all: false, paths: vec![path] }],
        limit: Some(1 << 40),
    };
    let sink = Sink {
        config: Some(vec![8, 1]),
        ntuple: text("Skim"),
        compression: text("zstd:5"),
        statistics: true,
        nested_nulls: true,
        order: Some(vec![8, 1]),
    };
    let table = Table {
        store: "root://host/".to_owned(),
        files: vec![vec![8, 1], Vec::new()],
        options: options(),
        snapshot: snapshot("root://[::1]:1094//events.rnds"),
        order: vec!["run".to_owned(), "number".to_owned()],
    };
    let format =
        Format { name: "root".to_owned(), options: [("format.ntuple".to_owned(), "Skim".to_owned())].into() };
    let parts = [Part::Scan(scan), Part::Sink(sink), Part::Table(table), Part::Format(format)];
    let encode = |part| {
        let mut bytes = Vec::new();
        wire::encode(part, DATAFUSION, &mut bytes).is_ok().then_some(bytes)
    };
    parts.into_iter().filter_map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive;

    /// What is of another version is refused at its first bytes, so that a target which starts from it finds nothing.
    #[test]
    fn inputs_that_are_kept_are_parts_of_every_kind() {
        let mut kinds = [0; 4];
        for input in archive::unpack(include_bytes!("../corpus/plan")).unwrap() {
            read(&input);
            match wire::decode(&input, DATAFUSION) {
                Ok(Part::Scan(_)) => kinds[0] += 1,
                Ok(Part::Sink(_)) => kinds[1] += 1,
                Ok(Part::Table(_)) => kinds[2] += 1,
                Ok(Part::Format(_)) => kinds[3] += 1,
                Err(_) => {}
            }
        }
        assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    }
}
