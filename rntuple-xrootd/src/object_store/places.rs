//! Where files are: a server may redirect to another copy each time, and copies may have other times.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::mem;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::file::XrootdFile;
use crate::locks::lock;
use crate::options::Options;
use crate::url::{Host, Place, Url};

/// How long a place is used for requests that name no version. Another program may replace the file, and the new
/// one may be elsewhere.
const TIME: Duration = Duration::from_secs(10);

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

/// A place, and when the server of the URL was asked for it.
#[derive(Clone)]
struct Known {
    place: Place,
    asked: Instant,
}

impl Known {
    fn new(place: Place) -> Self {
        Self { place, asked: Instant::now() }
    }
}

/// Two generations, each of half of the size. When the young one is full, it replaces the old one.
#[derive(Default)]
struct Memory {
    young: HashMap<String, Known>,
    /// What was put into the young one, in bytes.
    size: usize,
    old: HashMap<String, Known>,
}

impl Places {
    /// Opens a file where it was. If that fails, or the file there is not the `version` that is asked for, or no
    /// version is asked for and the place is old, opens it where the server of the URL redirects to.
    pub(super) fn open(
        &self,
        path: &str,
        version: Option<&str>,
        url: &Url,
        options: &Options,
    ) -> io::Result<XrootdFile> {
        if let Some(known) = self.find(path, version.is_some()) {
            let file = self.open_at(path, &known, url, options)?;
            if version.is_none_or(|version| file.stat().version() == version) {
                return Ok(file);
            }
        }
        self.open_at(path, &Known::new(Place::of(url)), url, options)
    }

    fn open_at(&self, path: &str, known: &Known, url: &Url, options: &Options) -> io::Result<XrootdFile> {
        let now = Instant::now();
        // Each of the other files on that host would wait for it as long.
        let forget_host = || self.forget_host(&known.place.host);
        let opened = XrootdFile::open_where_it_was(url.clone(), &known.place, options, &forget_host);
        match &opened {
            Ok(file) if file.place().host != url.host => {
                // The server of the URL was not asked again.
                let asked = if *file.place() == known.place { known.asked } else { now };
                self.put(path, Known { place: file.place().clone(), asked });
            }
            // After an error, the server of the URL is asked the next time.
            _ => self.forget(path),
        }
        opened
    }

    /// The place of a file, for a request that names a version or not.
    fn find(&self, path: &str, has_version: bool) -> Option<Known> {
        let memory = lock(&self.0);
        let known = memory.young.get(path).or_else(|| memory.old.get(path));
        known.filter(|known| has_version || known.asked.elapsed() < TIME).cloned()
    }

    fn put(&self, path: &str, known: Known) {
        let memory = &mut *lock(&self.0);
        if let Some(young) = memory.young.get_mut(path)
            && young.place == known.place
        {
            young.asked = young.asked.max(known.asked);
            return;
        }
        let size = size(path, &known.place);
        if memory.size.saturating_add(size) > MOST / 2 {
            memory.old = mem::take(&mut memory.young);
            memory.size = 0;
        }
        memory.size += size;
        memory.young.insert(path.to_owned(), known);
    }

    /// Forgets where a file is that this store replaces or removes.
    pub(super) fn forget(&self, path: &str) {
        let memory = &mut *lock(&self.0);
        memory.young.remove(path);
        memory.old.remove(path);
    }

    /// Forgets all places on a host that cannot be reached.
    fn forget_host(&self, host: &Host) {
        let memory = &mut *lock(&self.0);
        let is_elsewhere =
            |known: &Known| (&known.place.host.name, known.place.host.port) != (&host.name, host.port);
        memory.young.retain(|_, known| is_elsewhere(&*known));
        memory.old.retain(|_, known| is_elsewhere(&*known));
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
        // Those that name a version: a slow machine may take longer than the others have.
        let find = |path: &str| places.find(path, true).map(|known| known.place);
        places.put("used", Known::new(b.clone()));
        for number in 0..count {
            places.put(&name(number), Known::new(a.clone()));
            assert!(find("used") == Some(b.clone()), "{number}");
            places.put("used", Known::new(b.clone()));
        }
        let kept = (0..count).filter(|number| find(&name(*number)).is_some()).count();
        let bytes = kept * (1000 + PLACE);
        assert!(bytes <= MOST && bytes > MOST / 3, "{bytes} bytes of {kept} files");
        assert!(find(&name(count - 1)) == Some(a) && find(&name(0)).is_none());
        places.forget("used");
        assert!(find("used").is_none());
    }

    #[test]
    fn an_old_place_is_used_for_requests_that_name_a_version_alone() {
        let (places, a) = (Places::default(), place("a"));
        let old = Known { place: a.clone(), asked: Instant::now().checked_sub(TIME).unwrap() };
        places.put("x", old.clone());
        assert!(places.find("x", false).is_none());
        assert!(places.find("x", true).is_some_and(|known| known.place == a));
        // The server of the URL has redirected to it again. A request that does not ask that server does not change
        // the time.
        places.put("x", Known::new(a.clone()));
        places.put("x", old);
        assert!(places.find("x", false).is_some_and(|known| known.place == a));
    }
}
