//! Does a storage refuse a second file of the same name? Commits would be lost otherwise.

use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::format::names;
use crate::location::Location;

const ADVICE: &str = "commits could be lost there: use a local file system with hard links or an object store with \
                      conditional requests, or commit through a store of manifests (`Log::with_manifest_store`)";

/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) with advice, where it does not; or it cannot be reached.
pub(super) async fn check(location: &Location) -> Result<()> {
    let name = format!("{}/.probe-{}", names::VERSIONS, Uuid::new_v4());
    let unsafe_storage = |reason: String| {
        let message = format!("{reason}; {ADVICE}");
        Err(Error::unsupported(message).in_file(location.root()))
    };
    if let Some(race) = location.race() {
        return unsafe_storage(race.to_owned());
    }
    let mut first = location.put_new(&name, Vec::new()).await;
    if first.as_ref().is_err_and(|error| error.kind() == ErrorKind::Io) {
        // It may have failed for a moment, or fail whatever it is asked.
        location.put(&name, Vec::new()).await?;
        location.delete(&name).await?;
        first = location.put_new(&name, Vec::new()).await;
    }
    match first {
        Ok(true) => {}
        // It is ours: a client whose answer was lost has repeated the request.
        Ok(false) if location.has(&name).await? => {}
        Ok(false) => {
            return unsafe_storage("the storage says that a file with a random name exists".to_owned());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
        Err(error) => {
            return unsafe_storage(format!(
                "a file cannot be created where there is none ({})",
                error.message()
            ));
        }
    }
    let second = location.put_new(&name, Vec::new()).await;
    location.delete(&name).await?;
    match second {
        Ok(false) => Ok(()),
        Ok(true) => unsafe_storage("the storage does not refuse a second file of the same name".to_owned()),
        Err(error) => Err(error),
    }
}
