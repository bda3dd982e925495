//! The answers of a server to `kXR_protocol` and `kXR_login`.

use super::Fault;
use super::code::server;
use super::cursor::Cursor;
use super::request::Session;

/// The answer to `kXR_protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Protocol {
    flags: u32,
    /// From which requests have to be signed; zero: none.
    pub(crate) security_level: u8,
}

impl Protocol {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor(body);
        let _version = cursor.u32()?;
        let flags = cursor.u32()?;
        // Optional parts, each beginning with its letter.
        let mut security_level = 0;
        while let Some(&tag) = cursor.0.first() {
            match tag {
                b'B' => {
                    cursor.take(2)?;
                    let length = cursor.u16()?;
                    cursor.take(usize::from(length))?;
                }
                b'S' => {
                    cursor.take(4)?;
                    security_level = cursor.u8()?;
                    break;
                }
                _ => break,
            }
        }
        Ok(Self { flags, security_level })
    }

    pub(crate) fn has_tls(self) -> bool {
        self.flags & server::HAS_TLS != 0
    }

    /// Whether the connection continues as TLS after this answer.
    pub(crate) fn goes_to_tls(self) -> bool {
        self.flags & server::GOES_TO_TLS != 0
    }

    pub(crate) fn requires_tls(self) -> bool {
        self.has_tls() && self.flags & server::REQUIRES_TLS != 0
    }

    pub(crate) fn has_pages(self) -> bool {
        self.flags & server::HAS_PAGES != 0
    }
}

/// The answer to `kXR_login`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoggedIn {
    pub(crate) session: Session,
    /// The methods of authentication that the server accepts, in its order: `ztn` and `unix` in
    /// `&P=ztn,0:4096:&P=unix`. Empty: none is needed.
    pub(crate) methods: Vec<String>,
}

impl LoggedIn {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor(body);
        let session = cursor.array()?;
        let end = cursor.0.iter().position(|&byte| byte == 0).unwrap_or(cursor.0.len());
        let text = std::str::from_utf8(cursor.take(end)?).map_err(|_| Fault::Unexpected)?;
        let methods =
            text.split("&P=").skip(1).map(|method| method.split(',').next().unwrap_or_default().trim());
        let methods = methods.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Ok(Self { session, methods })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_parts_are_passed_over() {
        let mut body = b"\0\0\x05\x11\x80\x20\0\x01".to_vec();
        assert_eq!(Protocol::read(&body).unwrap().security_level, 0);
        body.extend_from_slice(b"B\0\0\x04abcdS\0\0\0\x02\0");
        let protocol = Protocol::read(&body).unwrap();
        assert_eq!(protocol.security_level, 2);
        assert!(protocol.has_tls() && protocol.has_pages() && !protocol.goes_to_tls());
        assert_eq!(Protocol::read(&body[..14]), Err(Fault::TooShort));
    }

    #[test]
    fn methods_are_in_the_order_of_the_server() {
        let body = [&[5; 16][..], b"&P=ztn,0:4096:&P=unix&P=gsi,v:10600,c:ssl\0"].concat();
        let LoggedIn { session, methods } = LoggedIn::read(&body).unwrap();
        assert_eq!((session, methods), ([5; 16], ["ztn", "unix", "gsi"].map(str::to_owned).to_vec()));
        assert_eq!(LoggedIn::read(&[0; 16]).unwrap().methods, [""; 0]);
        assert_eq!(LoggedIn::read(&[0; 15]), Err(Fault::TooShort));
    }
}
