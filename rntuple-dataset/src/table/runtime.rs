//! Tables in programs that have a runtime.

use std::io;

use super::Table;
use crate::error::{Error, Result};
use crate::log::Log;

impl Log {
    /// Does something with the data set as a [`Table`], on a thread of the runtime that may wait: data files are read and
    /// written by threads that wait for them.
    ///
    /// ```
    /// use rntuple_dataset::{Adopt, At, Location, Log, Source, Table};
    /// # use rntuple::{RNTuple, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { run: u32, met: f32 }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    /// # let mut writer = Writer::<Event>::create(path("new.root"), "Events", Default::default())?;
    /// # writer.fill(&Event { run: 1, met: 20.0 })?;
    /// # writer.finish()?;
    /// # let (url, new) = (path("events.rnds"), path("new.root"));
    /// # Table::create::<Event>(&url, "Events")?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let log = Log::new(Location::new(&url)?);
    /// let files = [Source::new(new, Adopt::InPlace)];
    /// log.with_table(move |table| table.append_files(&files)).await?;
    /// let snapshot = log.snapshot(&At::Latest).await?;
    /// // Which files there are, and which of their entries are left.
    /// snapshot.fetch().await?;
    /// for (position, fragment) in snapshot.fragments().iter().enumerate() {
    ///     let (files, left) = (&fragment.files, snapshot.live_in(position)?);
    /// #   assert!(files.len() == 1 && left.is_none());
    /// }
    /// let rows = log.with_table(move |_| snapshot.take::<Event>(&[0])).await?;
    /// assert_eq!(rows[0].met, 20.0);
    /// # Ok::<(), rntuple_dataset::Error>(())
    /// # })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What is not waited for any more is done all the same.
    ///
    /// # Errors
    /// That of `work`, or it has panicked.
    pub async fn with_table<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Table) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let table = Table { log: self.clone() };
        let done = tokio::task::spawn_blocking(move || work(&table)).await;
        done.unwrap_or_else(|error| Err(Error::from(io::Error::other(error))))
    }
}
