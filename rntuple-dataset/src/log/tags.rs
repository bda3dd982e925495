//! Names of versions: small files next to the manifests, as Lance has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Log;
use crate::error::{Error, ErrorKind, Result};

/// The folder of tags.
pub(crate) const TAGS: &str = "_refs/tags";
const ENDING: &str = ".json";

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tag {
    branch: Option<String>,
    version: u64,
    manifest_size: u64,
}

impl Log {
    /// Returns the tags, and the version that each names.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn tags(&self) -> Result<BTreeMap<String, u64>> {
        self.read_tags().await?.into_iter().map(|(tag, version)| Ok((tag, version?))).collect()
    }

    /// Returns the tags, and the version that each names, or why that is not known.
    pub(crate) async fn read_tags(&self) -> Result<BTreeMap<String, Result<u64>>> {
        let mut tags = BTreeMap::new();
        for file in self.location.list(TAGS).await? {
            if let Some(name) = file.name.strip_suffix(ENDING) {
                match self.tagged(name).await {
                    // It was removed meanwhile.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    version => drop(tags.insert(name.to_owned(), version)),
                }
            }
        }
        Ok(tags)
    }

    /// Returns the version that a tag names.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such tag.
    pub async fn tagged(&self, tag: &str) -> Result<u64> {
        let name = file_of(tag)?;
        let Some(bytes) = self.location.find(&name).await? else {
            let message = format!("there is no tag {tag:?}");
            return Err(Error::new(ErrorKind::NotFound, message).in_file(self.location.root()));
        };
        let parsed: Tag = serde_json::from_slice(&bytes)
            .map_err(|error| Error::out_of_spec(format!("this is not a tag: {error}")).in_file(&name))?;
        Ok(parsed.version)
    }

    /// Names a version. With `replace`, another version may have had the name; else that is an error.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such version; [`InvalidArgument`](ErrorKind::InvalidArgument): the
    /// name is not possible, or is in use.
    pub async fn tag(&self, tag: &str, version: u64, replace: bool) -> Result<()> {
        let name = file_of(tag)?;
        let file = self.load(version).await?;
        let manifest_size = file.to_bytes()?.len() as u64;
        let tag_file = Tag { branch: None, version, manifest_size };
        let bytes =
            serde_json::to_vec(&tag_file).map_err(|error| Error::invalid_argument(error.to_string()))?;
        let old = match replace {
            true => {
                let old = self.location.find(&name).await?;
                self.location.put(&name, bytes).await?;
                old
            }
            false if self.location.put_new(&name, bytes).await? => None,
            false => {
                let message = format!("there is a tag {tag:?}, for version {}", self.tagged(tag).await?);
                return Err(Error::invalid_argument(message).in_file(self.location.root()));
            }
        };
        // The version may be cleaned up at the same time. The clean-up marks it and then looks for its tags, and this looks for
        // the mark after the tag exists: so at least one of the two sees the other.
        if self.versions().await?.contains(&version) {
            return Ok(());
        }
        match old {
            Some(old) => self.location.put(&name, old).await?,
            None => self.location.delete(&name).await?,
        }
        let message = format!("version {version} was cleaned up while it was tagged");
        Err(Error::new(ErrorKind::NotFound, message).in_file(self.location.root()))
    }

    /// Removes a tag; the version stays.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such tag.
    pub async fn untag(&self, tag: &str) -> Result<()> {
        self.tagged(tag).await?;
        self.location.delete(&file_of(tag)?).await
    }
}

fn file_of(tag: &str) -> Result<String> {
    let is_name = !tag.is_empty()
        && tag.len() <= 128
        && !tag.starts_with('.')
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if !is_name {
        let message = format!("{tag:?} cannot be a tag: it needs 1 to 128 letters, digits, `.`, `_` or `-`");
        return Err(Error::invalid_argument(message));
    }
    Ok(format!("{TAGS}/{tag}{ENDING}"))
}
