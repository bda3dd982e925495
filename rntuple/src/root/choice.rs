//! Which ntuple of a file is meant, and what the file has instead where there is none.

use super::anchor::Anchor;
use super::directories::Directories;
use super::index::Found;
use super::listing::{FileKey, KeyKind};
use super::names::with_article;
use super::reader::RootFile;
use crate::error::{Error, ErrorKind, Result};
use crate::message::{counted, list, nearest};

/// Tables that ROOT's `RNTupleImporter` converts to ntuples.
const TREES: [&str; 3] = ["TTree", "TNtuple", "TNtupleD"];

impl RootFile {
    /// The anchor of the ntuple at `path`: `Events` or `directory/Events`.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) names the ntuples that are there;
    /// [`Unsupported`](ErrorKind::Unsupported) names the format of one that is too old or too new.
    pub fn anchor(&self, path: &str) -> Result<(FileKey, Anchor)> {
        self.find_anchor(path).map_err(|error| self.locate(error))
    }

    fn find_anchor(&self, path: &str) -> Result<(FileKey, Anchor)> {
        let wanted = path.strip_prefix('/').unwrap_or(path);
        let found = self.look_up(&mut self.index(), wanted);
        match found {
            Found::Key(key, record) => {
                let anchor = self.read_anchor(&record, key.kind);
                anchor.map(|anchor| (key, anchor)).map_err(|error| error.in_ntuple(wanted))
            }
            Found::Nothing(names, fault) => Err(fault.unwrap_or_else(|| self.no_ntuple(wanted, &names))),
        }
    }

    /// The only ntuple of the file.
    ///
    /// ```no_run
    /// use rntuple::{Dataset, RootFile};
    ///
    /// let file = RootFile::open("events.root")?;
    /// let dataset = Dataset::open(&file, &file.only_ntuple()?.path())?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) where the file has no ntuple, [`InvalidArgument`](ErrorKind::InvalidArgument)
    /// where it has several; the message names what it has. [`OutOfSpec`](ErrorKind::OutOfSpec) where a directory
    /// is damaged.
    pub fn only_ntuple(&self) -> Result<FileKey> {
        let ntuples = self.ntuples()?;
        let error = match &*ntuples {
            [only] => return Ok(only.clone()),
            [] => {
                Error::new(ErrorKind::NotFound, format!("the file has no ntuple{}", instead(&self.others())))
            }
            several => {
                let (all, names) = (counted(several.len() as u64, "ntuple"), names(several));
                Error::invalid_argument(format!("the file has {all}, choose one: {names}"))
            }
        };
        Err(self.locate(error))
    }

    /// The error for a path that leads to none of `ntuples`, which are all of the file's.
    #[cold]
    pub(super) fn no_ntuple(&self, wanted: &str, ntuples: &[FileKey]) -> Error {
        let others = self.others();
        let has = match ntuples {
            [] => format!("the file has no ntuple{}", instead(&others)),
            _ => format!("the file has {}", names(ntuples)),
        };
        let paths: Vec<String> = ntuples.iter().map(FileKey::path).collect();
        let message = match others.iter().find(|key| key.path() == wanted) {
            Some(key) => {
                let way_out = match ntuples {
                    _ if is_tree(key) => "convert it with ROOT's RNTupleImporter",
                    [] => "the file has no ntuple",
                    _ => &has,
                };
                format!("{wanted:?} is {}, not an RNTuple; {way_out}", class(key))
            }
            None => match near(wanted, &paths).filter(|_| paths.len() > 1) {
                Some(near) => format!("no ntuple {wanted:?}; {has}; did you mean {near:?}?"),
                None => format!("no ntuple {wanted:?}; {has}"),
            },
        };
        Error::new(ErrorKind::NotFound, message)
    }

    /// What is no ntuple, as far as directories can be read, each name with its latest cycle.
    fn others(&self) -> Vec<FileKey> {
        Directories::new(self).flatten().flat_map(|listing| listing.others()).collect()
    }
}

/// The path that may be meant: a misspelled one, or one in a directory.
fn near<'a>(wanted: &str, paths: &'a [String]) -> Option<&'a str> {
    let mut paths = paths.iter().map(|path| &**path);
    let in_directory = |path: &str| path.rsplit_once('/').is_some_and(|(_, name)| name == wanted);
    nearest(wanted, paths.clone()).or_else(|| paths.find(|path| in_directory(path)))
}

/// `"Events", "reco/Events"`
fn names(keys: &[FileKey]) -> String {
    list(keys.iter().map(|key| format!("{:?}", key.path())), keys.len())
}

/// What a file without ntuples has.
fn instead(others: &[FileKey]) -> String {
    // A tree first: it is most likely what is sought.
    let objects = || others.iter().filter(|key| key.kind == KeyKind::Other);
    let (trees, rest): (Vec<&FileKey>, Vec<&FileKey>) = objects().partition(|key| is_tree(key));
    let shown = trees.iter().chain(&rest).map(|key| format!("{} {:?}", class(key), key.path()));
    match (objects().count(), trees.len()) {
        (0, _) => String::new(),
        (all, 0) => format!(", but {}", list(shown, all)),
        (all, _) => format!(", but {}; convert a TTree with ROOT's RNTupleImporter", list(shown, all)),
    }
}

fn is_tree(key: &FileKey) -> bool {
    TREES.contains(&&*key.class)
}

/// `a TTree`, `a directory`
fn class(key: &FileKey) -> String {
    if key.kind == KeyKind::Directory {
        return "a directory".to_owned();
    }
    with_article(&key.class)
}
