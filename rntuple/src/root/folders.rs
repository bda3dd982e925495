//! The records that make up directories: their own, the anchors in them, and the lists of their keys.

use super::directory::{DIRECTORY_SIZE, Directory};
use super::key::Key;
use super::listing::ANCHOR_CLASS;
use super::patch::Place;
use super::raw_key::RawKey;
use super::tail::{Tail, derived_uuid};
use super::tree::{Entry, Folder, Tree};
use crate::bytes::Put;
use crate::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_128;

/// The class string of a directory. ROOT's ntuple reader accepts no other, not even `TDirectoryFile`.
const DIRECTORY_CLASS: &str = "TDirectory";

/// A directory that the file has already.
#[derive(Debug)]
pub(super) struct OldFolder {
    /// Offset of its record, which never moves.
    pub(super) offset: u64,
    /// The key of its key list; `None`: it has none.
    pub(super) list_key: Option<RawKey>,
    /// The keys that it lists, as they are there.
    pub(super) keys: Vec<u8>,
    pub(super) key_count: u32,
}

/// Adds the records of the directories that are `needed`, by folder, and what is new in them; `root` is the key of
/// the root directory. Returns the new key lists, by folder.
pub(super) fn put_folders(
    tail: &mut Tail,
    tree: &Tree,
    root: Key,
    old_folders: &[OldFolder],
    needed: &[bool],
    uuid: [u8; 16],
) -> Result<Vec<Option<Place>>> {
    let is_needed = |id: usize| needed.get(id).copied().unwrap_or(false);
    let old = |folder: &Folder| folder.old.and_then(|number| old_folders.get(number));
    let top = root.offset;
    // A directory's key comes first, as what is in it refers to it; its numbers come when they are known.
    let mut own = vec![root];
    let parent_of = |own: &[Key], folder: &Folder| own.get(folder.parent).map_or(top, |key| key.offset);
    for (id, folder) in tree.folders.iter().enumerate().skip(1) {
        let key = Key::new(DIRECTORY_CLASS, &folder.name, &folder.name);
        let parent = parent_of(&own, folder);
        own.push(match old(folder) {
            Some(old) => Key { offset: old.offset, ..key },
            None if is_needed(id) => tail.record(key, parent, &[0; DIRECTORY_SIZE])?,
            None => key,
        });
    }
    let mut lists = vec![None; own.len()];
    for (id, (folder, key)) in tree.folders.iter().zip(&own).enumerate().filter(|(id, _)| is_needed(*id)) {
        let mut keys = Vec::new();
        for entry in &folder.entries {
            match entry {
                Entry::Folder(id) => {
                    let is_new = tree.folders.get(*id).is_some_and(|folder| old(folder).is_none());
                    keys.extend(own.get(*id).filter(|_| is_new && is_needed(*id)).cloned());
                }
                Entry::Ntuple(name, anchors) => {
                    let first = keys.len();
                    for (anchor, cycle) in anchors.iter().zip(1..) {
                        let anchor_key = Key { cycle, ..Key::new(ANCHOR_CLASS, name, "") };
                        // ROOT takes the first key of a name: the highest cycle.
                        keys.insert(first, tail.record(anchor_key, key.offset, &anchor.write())?);
                    }
                }
                Entry::Other { .. } => {}
            }
        }
        let (old_count, old_keys) = old(folder).map_or((0, &[][..]), |old| (old.key_count, &*old.keys));
        let count = u32::try_from(keys.len()).ok().and_then(|new| new.checked_add(old_count));
        let mut payload = Vec::new();
        payload.put_u32_be(count.ok_or_else(|| Error::limit("a directory has over 2^32 keys"))?);
        payload.put(old_keys);
        keys.iter().for_each(|key| key.write(&mut payload));
        let list = match old(folder).and_then(|old| old.list_key.as_ref()) {
            Some(list_key) => tail.moved(list_key, None, &payload)?,
            // A list is a record like any other, and ROOT gives it the names of its directory.
            None => {
                let list_key = Key::new(&key.class, &key.name, &key.title);
                Place::from(&tail.record(list_key, key.offset, &payload)?)
            }
        };
        if let Some(place) = lists.get_mut(id) {
            *place = Some(list);
        }
        if id > 0 && old(folder).is_none() {
            let record = Directory {
                created: tail.time(),
                modified: tail.time(),
                keys_size: list.size,
                name_size: key.key_size.into(),
                offset: key.offset,
                parent: parent_of(&own, folder),
                keys_offset: list.offset,
                uuid: derived_uuid(xxh3_128(&[&uuid[..], &key.offset.to_be_bytes()].concat())),
            };
            let mut numbers = Vec::new();
            record.write(&mut numbers);
            tail.replace(key.payload_offset(), &numbers);
        }
    }
    Ok(lists)
}
