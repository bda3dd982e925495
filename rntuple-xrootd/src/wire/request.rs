//! What a client asks for.

use std::sync::Arc;

use super::code::{Code, VERSION, ability, asks, opens, queries};

/// The number that a server gave to an open file.
pub(crate) type Handle = [u8; 4];

/// What a server calls a session, which lasts as long as its connection.
pub(crate) type Session = [u8; 16];

/// A request: everything but the number of its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) code: Code,
    fields: [u8; 16],
    pub(crate) payload: Arc<Vec<u8>>,
}

/// The first bytes of a connection.
pub(crate) const HANDSHAKE: [u8; 20] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 7, 0xDC];

/// The parts, one after the other, then zeros.
fn pack(parts: &[&[u8]]) -> [u8; 16] {
    let mut fields = [0; 16];
    for (field, byte) in fields.iter_mut().zip(parts.iter().flat_map(|part| part.iter())) {
        *field = *byte;
    }
    fields
}

impl Request {
    fn new(code: Code, parts: &[&[u8]], payload: Vec<u8>) -> Self {
        Self { code, fields: pack(parts), payload: Arc::new(payload) }
    }

    /// The 24 bytes before the payload.
    pub(crate) fn header(&self, stream: u16) -> [u8; 24] {
        // Paths are checked when URLs are parsed, and data is cut into pieces: no payload is that long.
        let length = u32::try_from(self.payload.len()).unwrap_or(u32::MAX);
        let mut header = [0; 24];
        let parts: [&[u8]; 4] =
            [&stream.to_be_bytes(), &self.code.number().to_be_bytes(), &self.fields, &length.to_be_bytes()];
        for (slot, byte) in header.iter_mut().zip(parts.into_iter().flatten()) {
            *slot = *byte;
        }
        header
    }

    /// Asks which version and features the server has, and says whether TLS is possible or requested.
    pub(crate) fn protocol(able_tls: bool, want_tls: bool) -> Self {
        let tls = if able_tls { asks::ABLE_TLS } else { 0 } | if want_tls { asks::WANT_TLS } else { 0 };
        let fields: [&[u8]; 2] = [&VERSION.to_be_bytes(), &[asks::SECURITY | tls, asks::EXPECT_LOGIN]];
        Self::new(Code::protocol, &fields, Vec::new())
    }

    /// Logs in as `user`, of whose name eight bytes count.
    pub(crate) fn login(process: u32, user: &str, token: &str) -> Self {
        let name = pack(&[user.as_bytes()]);
        let (name, _) = name.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let able = [0, ability::FULL_URL | ability::BOTH_IP, ability::CAPABILITIES, 0];
        Self::new(Code::login, &[&process.to_be_bytes(), name, &able], token.as_bytes().to_vec())
    }

    /// Proves who the client is, by the method of this name.
    pub(crate) fn auth(method: [u8; 4], credentials: Vec<u8>) -> Self {
        Self::new(Code::auth, &[&[0; 12], &method], credentials)
    }

    pub(crate) fn open(path: &str, options: u16) -> Self {
        let mode = if options & opens::NEW == 0 { 0 } else { opens::MODE };
        Self::new(Code::open, &[&mode.to_be_bytes(), &options.to_be_bytes()], path.as_bytes().to_vec())
    }

    pub(crate) fn close(handle: Handle) -> Self {
        Self::new(Code::close, &[&handle], Vec::new())
    }

    pub(crate) fn stat(path: &str) -> Self {
        Self::new(Code::stat, &[], path.as_bytes().to_vec())
    }

    /// As [`stat`](Self::stat), of an open file.
    pub(crate) fn stat_open(handle: Handle) -> Self {
        Self::new(Code::stat, &[&[0; 12], &handle], Vec::new())
    }

    /// Lists a directory; each name with what `kXR_stat` says.
    pub(crate) fn dirlist(path: &str) -> Self {
        const WITH_STAT: u8 = 2;
        Self::new(Code::dirlist, &[&[0; 15], &[WITH_STAT]], path.as_bytes().to_vec())
    }

    pub(crate) fn read(handle: Handle, offset: u64, length: u32) -> Self {
        Self::new(Code::read, &[&handle, &offset.to_be_bytes(), &length.to_be_bytes()], Vec::new())
    }

    /// As [`read`](Self::read), with a checksum for each page. `again`: a page was damaged on its way.
    pub(crate) fn pgread(handle: Handle, offset: u64, length: u32, again: bool) -> Self {
        let arguments = if again { vec![0, 1] } else { Vec::new() };
        Self::new(Code::pgread, &[&handle, &offset.to_be_bytes(), &length.to_be_bytes()], arguments)
    }

    /// Reads many pieces (offset and length) at once.
    pub(crate) fn readv(handle: Handle, pieces: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut list = Vec::new();
        for (offset, length) in pieces {
            list.extend_from_slice(&handle);
            list.extend_from_slice(&length.to_be_bytes());
            list.extend_from_slice(&offset.to_be_bytes());
        }
        Self::new(Code::readv, &[], list)
    }

    pub(crate) fn write(handle: Handle, offset: u64, bytes: Arc<Vec<u8>>) -> Self {
        let fields = pack(&[&handle, &offset.to_be_bytes()]);
        Self { code: Code::write, fields, payload: bytes }
    }

    pub(crate) fn sync(handle: Handle) -> Self {
        Self::new(Code::sync, &[&handle], Vec::new())
    }

    /// Asks whether the server is there.
    pub(crate) fn ping() -> Self {
        Self::new(Code::ping, &[], Vec::new())
    }

    /// Ends an earlier session of this process, and closes what is open in it: the server may not have noticed that its
    /// connection was cut.
    pub(crate) fn end_session(session: Session) -> Self {
        Self::new(Code::endsess, &[&session], Vec::new())
    }

    pub(crate) fn rm(path: &str) -> Self {
        Self::new(Code::rm, &[], path.as_bytes().to_vec())
    }

    pub(crate) fn mv(from: &str, to: &str) -> Self {
        // The length of the first path; zero, which is also possible, means: up to the first space.
        let length = u16::try_from(from.len()).unwrap_or(0);
        Self::new(Code::mv, &[&[0; 14], &length.to_be_bytes()], format!("{from} {to}").into_bytes())
    }

    pub(crate) fn query_config(names: &str) -> Self {
        Self::new(Code::query, &[&queries::CONFIG.to_be_bytes()], names.as_bytes().to_vec())
    }

    pub(crate) fn query_checksum(path: &str) -> Self {
        Self::new(Code::query, &[&queries::CHECKSUM.to_be_bytes()], path.as_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_as_the_protocol_has_them() {
        let request = Request::read([1, 2, 3, 4], 0x0102_0304_0506_0708, 9);
        assert_eq!(
            request.header(0x0A0B),
            [0x0A, 0x0B, 0x0B, 0xC5, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0, 0]
        );
        let request = Request::mv("/a", "/b c");
        assert_eq!(request.header(1)[18..], [0, 2, 0, 0, 0, 7]);
        assert_eq!(*request.payload, b"/a /b c");
        let request = Request::stat_open([1, 2, 3, 4]);
        assert_eq!(
            request.header(1)[2..],
            [0x0B, 0xC9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]
        );
        let request = Request::end_session([5; 16]);
        assert_eq!(request.header(1)[..4], [0, 1, 0x0B, 0xCF]);
        assert_eq!(request.header(1)[4..20], [5; 16]);
        let request = Request::login(7, "a_long_name", "");
        assert_eq!(request.header(0)[4..], *b"\0\0\0\x07a_long_n\0\x09\x85\0\0\0\0\0");
        let request = Request::readv([0, 0, 0, 1], [(5u64, 2u32), (9, 1)].into_iter());
        assert_eq!(request.payload.len(), 32);
        assert_eq!(request.payload[16..], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]);
    }
}
