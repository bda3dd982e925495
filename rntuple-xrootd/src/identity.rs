//! Whether a file is still the one that was opened.

use std::io;
use std::net::SocketAddr;

use crate::failure::Failure;
use crate::wire::stat::Stat;

/// What a server said of a file, and which server it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) stat: Stat,
    /// The address, and not the name: a name may be that of many servers.
    pub(crate) server: Option<SocketAddr>,
}

impl Identity {
    /// Compares what is said now with what was said when the file was opened.
    ///
    /// A copy of a file on another server is the same file if it has the same size and time. The number of the file is
    /// the server's own (mostly its inode): two servers of one redirector give different numbers to copies of one file,
    /// so they are not compared.
    pub(crate) fn check(&self, now: &Self) -> Result<(), Failure> {
        let (then, stat) = (&self.stat, &now.stat);
        let same_server = self.server.is_some() && self.server == now.server;
        let other_number = then.id.is_some() && stat.id.is_some() && then.id != stat.id;
        if (then.size, then.modified) != (stat.size, stat.modified) {
            return Err(changed(&format!(
                "it had {} bytes and is of {}, now {} bytes of {} (seconds since 1970)",
                then.size, then.modified, stat.size, stat.modified
            )));
        }
        if same_server && other_number {
            return Err(changed("another file of the same size and time has its name"));
        }
        Ok(())
    }

    /// A text that changes with the bytes: time and size, and the number of the file if `is_direct`: the server of the URL has
    /// the file. After a redirection the number depends on the server, and a cache would keep one copy for each.
    pub(crate) fn version(&self, is_direct: bool) -> String {
        match self.stat.id.filter(|_| is_direct) {
            Some(id) => format!("{}-{id}", self.stat.version()),
            None => self.stat.version(),
        }
    }
}

#[cold]
fn changed(how: &str) -> Failure {
    let text = format!("the file changed while it was read: {how}");
    Failure::Final(io::Error::new(io::ErrorKind::StaleNetworkFileHandle, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(id: Option<i128>, size: u64, modified: i64, server: Option<u16>) -> Identity {
        let server = server.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        Identity { stat: Stat { id, size, flags: 0, modified }, server }
    }

    #[test]
    fn numbers_are_compared_on_the_same_server_only() {
        let opened = identity(Some(1), 10, 20, Some(1094));
        let is_same =
            |id, size, modified, server| opened.check(&identity(id, size, modified, server)).is_ok();
        assert!(is_same(Some(1), 10, 20, Some(1094)));
        assert!(!is_same(Some(2), 10, 20, Some(1094)));
        assert!(is_same(Some(2), 10, 20, Some(1095)), "another server");
        assert!(is_same(Some(2), 10, 20, None), "it may be another server");
        assert!(is_same(None, 10, 20, Some(1094)), "the server has no numbers");
        assert!(!is_same(Some(1), 11, 20, Some(1095)));
        assert!(!is_same(Some(1), 10, 21, Some(1095)));
        assert_eq!((opened.version(true), opened.version(false)), ("20-10-1".to_owned(), "20-10".to_owned()));
    }
}
