//! Bearer tokens, found where the WLCG has agreed to put them.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Longest token, in bytes.
const LONGEST: u64 = 64 << 10;

/// The places where a token may be.
#[derive(Debug, Default)]
struct Places {
    value: Option<String>,
    file: Option<PathBuf>,
    /// Files that need not be there.
    defaults: Vec<PathBuf>,
}

/// A token that was found. It is secret.
pub(crate) struct Token {
    pub(crate) value: String,
    /// Whether the user has named it, or its file.
    pub(crate) is_named: bool,
}

/// Why what was found is not a token.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) error: io::Error,
    /// Whether the user has named it. The user may not know of a file at one of the usual places.
    pub(crate) is_named: bool,
}

impl Unusable {
    fn named(error: io::Error) -> Self {
        Self { error, is_named: true }
    }

    fn unnamed(error: io::Error) -> Self {
        Self { error, is_named: false }
    }
}

/// The token of the caller: the one `given`, else that in `BEARER_TOKEN`, in the file `BEARER_TOKEN_FILE`, in
/// `$XDG_RUNTIME_DIR/bt_u$UID`, in `/tmp/bt_u$UID`.
pub(crate) fn find(given: Option<&str>) -> Result<Option<Token>, Unusable> {
    if let Some(token) = given {
        let value = checked(token, "the token of the options").map_err(Unusable::named)?;
        return Ok(Some(Token { value, is_named: true }));
    }
    let places = Places::of(|name| env::var_os(name), user_number());
    let found = places.search()?;
    Ok(found.map(|value| Token { value, is_named: places.are_named() }))
}

impl Places {
    /// Those of a user with these variables.
    fn of(variable: impl Fn(&str) -> Option<OsString>, user: Option<u32>) -> Self {
        let file = variable("BEARER_TOKEN_FILE").filter(|name| !name.is_empty());
        let mut defaults = Vec::new();
        if let Some(user) = user {
            let name = format!("bt_u{user}");
            defaults.extend(variable("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join(&name)));
            defaults.push(Path::new("/tmp").join(name));
        }
        Self {
            value: variable("BEARER_TOKEN").and_then(|value| value.into_string().ok()),
            file: file.map(PathBuf::from),
            defaults,
        }
    }

    /// The value that the user has named. An empty one counts as none.
    fn named_value(&self) -> Option<&str> {
        self.value.as_deref().filter(|value| !value.trim().is_empty())
    }

    /// Whether what a search finds was named by the user.
    fn are_named(&self) -> bool {
        self.named_value().is_some() || self.file.is_some()
    }

    fn search(&self) -> Result<Option<String>, Unusable> {
        if let Some(value) = self.named_value() {
            return checked(value, "BEARER_TOKEN").map(Some).map_err(Unusable::named);
        }
        if let Some(path) = &self.file {
            return read(path, true).map(Some).map_err(Unusable::named);
        }
        for path in &self.defaults {
            match read(path, false) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                found => return found.map(Some).map_err(Unusable::unnamed),
            }
        }
        Ok(None)
    }
}

/// The token in a file. One that was not named by the user has to belong to the user: in a folder for all, anyone might
/// have put it there.
fn read(path: &Path, is_named: bool) -> io::Result<String> {
    let name = path.display().to_string();
    let in_file = |error: io::Error| io::Error::new(error.kind(), format!("token file {name}: {error}"));
    if !is_named {
        check_found(path).map_err(in_file)?;
    }
    let file = File::open(path).map_err(in_file)?;
    let mut token = String::new();
    file.take(LONGEST + 1).read_to_string(&mut token).map_err(in_file)?;
    checked(&token, &name)
}

fn checked(token: &str, place: &str) -> io::Result<String> {
    let token = token.trim();
    let wrong = match token {
        "" => "it is empty",
        _ if token.len() as u64 > LONGEST => "it is too long",
        _ if !token.bytes().all(|byte| byte.is_ascii_graphic()) => "a token has no such characters",
        _ => return Ok(token.to_owned()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{place}: {wrong}")))
}

/// The number of the user that this process acts for.
#[cfg(unix)]
fn user_number() -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    // The standard library does not say it. A process belongs to its user, where there is /proc; so does a home.
    let home = || fs::metadata(env::var_os("HOME")?).ok();
    fs::metadata("/proc/self").ok().or_else(home).map(|metadata| metadata.uid())
}

/// Checks a file that is about to be opened: opening the pipe of another user would wait for ever. What belongs to the
/// user, a link among it, no one else can replace in a folder for all.
#[cfg(unix)]
fn check_found(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (found, file) = (fs::symlink_metadata(path)?, fs::metadata(path)?);
    if [&found, &file].iter().any(|metadata| Some(metadata.uid()) != user_number()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    if !file.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn user_number() -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn check_found(_: &Path) -> io::Result<()> {
    Ok(())
}

/// What `kXR_auth` carries for the method `ztn`.
///
/// ```text
/// "ztn\0" | version 0 | 'T' | reserved 2 | length of the token and its end 2 | token | 0
/// ```
pub(crate) fn credentials(token: &str) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "the bearer token is too long");
    let length = u16::try_from(token.len() + 1).map_err(too_long)?;
    let mut bytes = b"ztn\0\0T\0\0".to_vec();
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(token.as_bytes());
    bytes.push(0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("named"), " n.1\n").unwrap();
        fs::write(path("default"), "d.1").unwrap();
        fs::write(path("empty"), "\n").unwrap();
        let defaults = vec![path("missing"), path("default")];

        let places =
            Places { value: Some("v.1\n".into()), file: Some(path("named")), defaults: defaults.clone() };
        assert_eq!(places.search().unwrap().as_deref(), Some("v.1"));
        let places =
            Places { value: Some(" ".into()), file: Some(path("named")), defaults: defaults.clone() };
        assert_eq!(places.search().unwrap().as_deref(), Some("n.1"));
        let places = Places { defaults: defaults.clone(), ..Places::default() };
        assert_eq!(places.search().unwrap().as_deref(), Some("d.1"));
        assert_eq!(Places::default().search().unwrap(), None);

        for file in [path("missing"), path("empty")] {
            let places = Places { file: Some(file), defaults: defaults.clone(), value: None };
            assert!(places.search().is_err(), "a file that is named counts, whatever is wrong with it");
        }
        let places = Places { value: Some("two words".into()), ..Places::default() };
        assert!(!places.search().unwrap_err().error.to_string().contains("words"));
    }

    #[test]
    fn places_are_those_of_the_convention() {
        let set = |name: &str| match name {
            "BEARER_TOKEN" => Some("v.1".into()),
            "BEARER_TOKEN_FILE" => Some("/a/token".into()),
            "XDG_RUNTIME_DIR" => Some("/run/user/7".into()),
            name => panic!("{name}"),
        };
        let places = Places::of(set, Some(7));
        assert_eq!(places.value.as_deref(), Some("v.1"));
        assert_eq!(places.file.as_deref(), Some(Path::new("/a/token")));
        assert_eq!(places.defaults, ["/run/user/7/bt_u7", "/tmp/bt_u7"].map(PathBuf::from));
        let places = Places::of(|_| None, Some(7));
        assert_eq!((places.value, places.file), (None, None));
        assert_eq!(places.defaults, [PathBuf::from("/tmp/bt_u7")]);
        assert!(Places::of(|_| Some("".into()), Some(7)).file.is_none());
        assert!(Places::of(|_| None, None).defaults.is_empty());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("empty"), " \n").unwrap();
        fs::write(path("binary"), [0xff]).unwrap();
        fs::write(path("long"), "a".repeat(70_000)).unwrap();
        fs::create_dir(path("folder")).unwrap();
        for name in ["empty", "binary", "long", "folder"] {
            // The places after it are not asked: the token of another file may be one for something else.
            let places = [
                (true, Places { file: Some(path(name)), ..Places::default() }),
                (false, Places { defaults: vec![path(name), path("none")], ..Places::default() }),
            ];
            for (is_named, places) in places {
                let unusable = places.search().unwrap_err();
                assert_eq!(unusable.is_named, is_named, "{unusable:?}");
                let error = unusable.error.to_string();
                assert!(error.contains(&path(name).display().to_string()), "{error}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, file] = ["pipe", "link", "file"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [pipe, link.clone()] {
            let places = Places { defaults: vec![path], ..Places::default() };
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::spawn(move || sender.send(places.search()));
            let found = receiver.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
            let error = found.unwrap_err().error.to_string();
            assert!(error.ends_with(": it is not a file"), "{error}");
        }
        // A link of the user to a file of the user leads to a token.
        fs::remove_file(&link).unwrap();
        fs::write(&file, "f.1").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let places = Places { defaults: vec![link], ..Places::default() };
        assert_eq!(places.search().unwrap().as_deref(), Some("f.1"));
    }

    #[test]
    fn credentials_are_as_the_server_reads_them() {
        assert_eq!(credentials("ab").unwrap(), b"ztn\0\0T\0\0\0\x03ab\0");
    }
}
