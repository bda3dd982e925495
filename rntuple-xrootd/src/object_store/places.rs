//! Where files are: a server may redirect to another copy each time, and copies may have other times.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::mem;
use std::sync::Mutex;

use crate::file::XrootdFile;
use crate::locks::lock;
use crate::options::Options;
use crate::url::{Place, Url};

/// How much memory the places take, in bytes: about.
const MOST: usize = 16 << 20;

/// What a place takes besides its texts, in bytes.
const PLACE: usize = 256;

/// The places where files of a store were opened last, as far as a server has redirected to them.
#[derive(Default)]
pub(super) struct Places(Mutex<Memory>);

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

/// Two generations, each of half of the size. When the young one is full, it replaces the old one.
#[derive(Default)]
struct Memory {
    young: HashMap<String, Place>,
    /// What was put into the young one, in bytes.
    size: usize,
    old: HashMap<String, Place>,
}

impl Places {
    /// Opens a file where it was, and if that fails, where the server of the URL redirects to.
    pub(super) fn open(&self, path: &str, url: &Url, options: &Options) -> io::Result<XrootdFile> {
        let place = self.find(path).unwrap_or_else(|| Place::of(url));
        let opened = XrootdFile::open_where_it_was(url.clone(), &place, options);
        match &opened {
            Ok(file) if file.place().host != url.host => self.put(path, file.place()),
            // After an error, the server of the URL is asked the next time.
            _ => self.forget(path),
        }
        opened
    }

    fn find(&self, path: &str) -> Option<Place> {
        let memory = lock(&self.0);
        memory.young.get(path).or_else(|| memory.old.get(path)).cloned()
    }

    fn put(&self, path: &str, place: &Place) {
        let memory = &mut *lock(&self.0);
        if memory.young.get(path) == Some(place) {
            return;
        }
        let size = size(path, place);
        if memory.size.saturating_add(size) > MOST / 2 {
            memory.old = mem::take(&mut memory.young);
            memory.size = 0;
        }
        memory.size += size;
        memory.young.insert(path.to_owned(), place.clone());
    }

    /// Forgets where a file is that this store replaces or removes.
    pub(super) fn forget(&self, path: &str) {
        let memory = &mut *lock(&self.0);
        memory.young.remove(path);
        memory.old.remove(path);
    }
}

/// What a place takes, in bytes.
fn size(path: &str, place: &Place) -> usize {
    let Place { host, path: there, opaque } = place;
    let others = [host.user.as_deref(), there.as_deref()];
    let texts = [path, host.name.as_str(), host.token.as_str(), opaque.as_str()];
    let texts = texts.into_iter().chain(others.into_iter().flatten());
    texts.map(str::len).fold(PLACE, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &str) -> Place {
        Place::of(&Url::parse(&format!("root://{host}//x")).unwrap())
    }

    #[test]
    fn the_places_of_many_files_take_bounded_memory() {
        let places = Places::default();
        let (a, b) = (place("a"), place("b"));
        let name = |number: usize| format!("{number:01000}");
        let count = 5 * MOST / (1000 + PLACE);
        places.put("used", &b);
        for number in 0..count {
            places.put(&name(number), &a);
            assert!(places.find("used") == Some(b.clone()), "{number}");
            places.put("used", &b);
        }
        let kept = (0..count).filter(|number| places.find(&name(*number)).is_some()).count();
        let bytes = kept * (1000 + PLACE);
        assert!(bytes <= MOST && bytes > MOST / 3, "{bytes} bytes of {kept} files");
        assert!(places.find(&name(count - 1)) == Some(a) && places.find(&name(0)).is_none());
        places.forget("used");
        assert!(places.find("used").is_none());
    }
}
