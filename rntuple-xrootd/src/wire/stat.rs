//! What a server says of a file or a directory.

use super::Fault;
use super::code::stats;

/// The answer to `kXR_stat`: a line of numbers, of which these are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// The number that the server has for the file; `None`: what it says is not a number.
    pub(crate) id: Option<i128>,
    pub(crate) size: u64,
    pub(crate) flags: u32,
    /// Time of the last change, in seconds since 1970.
    pub(crate) modified: i64,
}

impl Stat {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Fault> {
        let end = body.iter().position(|&byte| byte == 0).unwrap_or(body.len());
        let text = std::str::from_utf8(body.get(..end).unwrap_or_default()).map_err(|_| Fault::NotANumber)?;
        // `id size flags modified`, and since version 5 more that is not needed here.
        let mut words = text.split_ascii_whitespace();
        let mut word = || words.next().ok_or(Fault::TooShort);
        let id = word()?.parse().ok();
        let size = word()?.parse().map_err(|_| Fault::NotANumber)?;
        let flags = word()?.parse().map_err(|_| Fault::NotANumber)?;
        let modified = word()?.parse().map_err(|_| Fault::NotANumber)?;
        Ok(Self { id, size, flags, modified })
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.flags & stats::DIRECTORY != 0
    }

    /// Whether it is a file and not a directory, a device or a socket.
    #[cfg(feature = "object-store")]
    pub(crate) fn is_file(&self) -> bool {
        self.flags & (stats::DIRECTORY | stats::OTHER) == 0
    }

    /// Time and size, which are the same for all copies that have the time of the original.
    pub(crate) fn version(&self) -> String {
        format!("{}-{}", self.modified, self.size)
    }
}

/// A name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// `None`: the server does not say.
    pub(crate) stat: Option<Stat>,
}

/// Reads the answer to `kXR_dirlist`: lines of names, each followed by one of numbers where the list begins with a dot.
/// Names that are not UTF-8, or are paths, are left out.
pub(crate) fn read_list(body: &[u8]) -> Result<Vec<Entry>, Fault> {
    let mut lines = body
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\0").unwrap_or(line))
        .filter(|line| !line.is_empty())
        .peekable();
    let has_stat = lines.next_if(|line| *line == b".").is_some() && lines.next().is_some();
    let mut entries = Vec::new();
    while let Some(name) = lines.next() {
        let stat = match has_stat {
            true => Some(Stat::read(lines.next().ok_or(Fault::TooShort)?)?),
            false => None,
        };
        let name = std::str::from_utf8(name).ok().filter(|name| !name.contains('/'));
        if let Some(name) = name.filter(|name| !matches!(*name, "." | "..")) {
            entries.push(Entry { name: name.to_owned(), stat });
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_what_each_name_is() {
        let entries =
            read_list(b".\n0 0 0 0\nb c.root\n12 34 48 1700000000 1 2 0644 u g\nd\n1 4096 51 5\0").unwrap();
        assert_eq!(entries[0].name, "b c.root");
        assert_eq!(
            entries[0].stat,
            Some(Stat { id: Some(12), size: 34, flags: 48, modified: 1_700_000_000 })
        );
        assert!(entries[1].stat.unwrap().is_directory());
        assert_eq!(entries.len(), 2);

        let plain = read_list(b"a\nb\n..\n../x\n").unwrap();
        assert_eq!(plain.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read_list(b"").unwrap(), []);
        assert_eq!(read_list(b".\n0 0 0 0\na"), Err(Fault::TooShort));
        assert_eq!(read_list(b".\n0 0 0 0\na\n1 x 3 4"), Err(Fault::NotANumber));
    }
}
