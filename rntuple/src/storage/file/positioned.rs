//! Reads at a position, without a cursor that threads would share.

pub(super) use system::Positioned;

#[cfg(any(unix, windows))]
mod system {
    use std::fs::File;
    use std::io;

    /// A file that can be read at a position without moving a shared cursor.
    #[derive(Debug)]
    pub(in super::super) struct Positioned(File);

    impl Positioned {
        pub(in super::super) fn new(file: File) -> Self {
            Self(file)
        }

        pub(in super::super) fn get_mut(&mut self) -> io::Result<&mut File> {
            Ok(&mut self.0)
        }

        /// Size in bytes.
        pub(in super::super) fn size(&self) -> io::Result<u64> {
            Ok(self.0.metadata()?.len())
        }

        #[cfg(unix)]
        pub(in super::super) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, offset)
        }

        #[cfg(windows)]
        pub(in super::super) fn read_exact_at(
            &self,
            mut offset: u64,
            mut buffer: &mut [u8],
        ) -> io::Result<()> {
            while !buffer.is_empty() {
                let count = std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset)?;
                if count == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                buffer = &mut std::mem::take(&mut buffer)[count..];
                offset += count as u64;
            }
            Ok(())
        }
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom};
    use std::sync::Mutex;

    /// Where the system has no positioned reads, a lock keeps seek and read together.
    #[derive(Debug)]
    pub(in super::super) struct Positioned(Mutex<File>);

    impl Positioned {
        pub(in super::super) fn new(file: File) -> Self {
            Self(Mutex::new(file))
        }

        pub(in super::super) fn get_mut(&mut self) -> io::Result<&mut File> {
            self.0.get_mut().map_err(|_| io::Error::other("a reader panicked"))
        }

        /// Size in bytes.
        pub(in super::super) fn size(&self) -> io::Result<u64> {
            let file = self.0.lock().map_err(|_| io::Error::other("a reader panicked"))?;
            Ok(file.metadata()?.len())
        }

        pub(in super::super) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            let mut file = self.0.lock().map_err(|_| io::Error::other("a reader panicked"))?;
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(buffer)
        }
    }
}
