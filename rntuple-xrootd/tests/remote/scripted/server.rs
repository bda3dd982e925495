//! A server with one file, which answers as a test says.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) stream: [u8; 2],
    pub(crate) code: u16,
    fields: [u8; 16],
    pub(crate) payload: Vec<u8>,
}

#[cfg(feature = "tls")]
pub(crate) const AUTH: u16 = 3000;
pub(crate) const QUERY: u16 = 3001;
pub(crate) const CLOSE: u16 = 3003;
pub(crate) const DIRLIST: u16 = 3004;
pub(crate) const PROTOCOL: u16 = 3006;
pub(crate) const LOGIN: u16 = 3007;
pub(crate) const MV: u16 = 3009;
pub(crate) const OPEN: u16 = 3010;
pub(crate) const PING: u16 = 3011;
pub(crate) const READ: u16 = 3013;
pub(crate) const RM: u16 = 3014;
pub(crate) const SYNC: u16 = 3016;
pub(crate) const STAT: u16 = 3017;
pub(crate) const WRITE: u16 = 3019;
pub(crate) const ENDSESS: u16 = 3023;
pub(crate) const PGREAD: u16 = 3030;
pub(crate) const READV: u16 = 3025;

/// What happens after a request.
pub(crate) enum Then {
    /// What an honest server does.
    Usual,
    /// The test has answered.
    Answered,
    /// The connection is cut.
    Cut,
}

/// A socket, before or after TLS has begun.
trait Socket: Read + Write + Send {}
impl<T: Read + Write + Send> Socket for T {}

/// One connection of the server.
pub(crate) struct Peer {
    socket: Box<dyn Socket>,
    plain: TcpStream,
    /// The number of the connection, from 0 on.
    pub(crate) number: usize,
    data: Arc<Vec<u8>>,
    /// Time of the last change, as the server says.
    pub(crate) modified: u32,
}

/// Serves `data` at any path, on a port of this machine, with `script` asked about each request.
pub(crate) fn serve(
    data: Vec<u8>,
    script: impl Fn(&mut Peer, &Asked) -> Then + Send + Sync + 'static,
) -> u16 {
    Running::start(data, script).port
}

/// A server that can be stopped; it runs on if it is dropped.
pub(crate) struct Running {
    pub(crate) port: u16,
    is_stopped: Arc<AtomicBool>,
    sockets: Arc<Mutex<Vec<TcpStream>>>,
    thread: JoinHandle<()>,
}

impl Running {
    /// As [`serve`].
    pub(crate) fn start(
        data: Vec<u8>,
        script: impl Fn(&mut Peer, &Asked) -> Then + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (data, script) = (Arc::new(data), Arc::new(script));
        let is_stopped = Arc::new(AtomicBool::new(false));
        let sockets = Arc::<Mutex<Vec<TcpStream>>>::default();
        let (ends, open) = (is_stopped.clone(), sockets.clone());
        let thread = thread::spawn(move || {
            for (number, socket) in listener.incoming().enumerate() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (data, script) = (data.clone(), script.clone());
                let plain = socket.unwrap();
                let socket = Box::new(plain.try_clone().unwrap());
                let mut peer = Peer { socket, plain, number, data, modified: 1_700_000_000 };
                let mut open = open.lock().unwrap();
                // Those of clients that are gone need no end.
                open.retain(|socket| socket.peer_addr().is_ok());
                open.push(peer.plain.try_clone().unwrap());
                thread::spawn(move || {
                    peer.run(&*script);
                    let _ = peer.plain.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, is_stopped, sockets, thread }
    }

    /// Cuts all connections, and accepts none from now on.
    pub(crate) fn stop(self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        self.thread.join().unwrap();
        for socket in self.sockets.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl Asked {
    /// The flags of a `kXR_protocol` request.
    #[cfg(feature = "tls")]
    pub(crate) fn flags(&self) -> u8 {
        self.fields[4]
    }

    /// The session that a `kXR_endsess` is about.
    pub(crate) fn session(&self) -> [u8; 16] {
        self.fields
    }

    /// The kind of a `kXR_query`.
    pub(crate) fn kind(&self) -> u16 {
        u16::from_be_bytes([self.fields[0], self.fields[1]])
    }

    pub(crate) fn offset(&self) -> usize {
        u64::from_be_bytes(self.fields[4..12].try_into().unwrap()) as usize
    }

    pub(crate) fn length(&self) -> usize {
        u32::from_be_bytes(self.fields[12..].try_into().unwrap()) as usize
    }
}

impl Peer {
    fn run(&mut self, script: &dyn Fn(&mut Self, &Asked) -> Then) {
        let mut hello = [0; 20];
        if self.socket.read_exact(&mut hello).is_err() {
            return;
        }
        self.answer([0, 0], 0, &[0, 0, 5, 0x11, 0, 0, 0, 1]);
        while let Some(asked) = self.request() {
            match script(self, &asked) {
                Then::Usual => self.usual(&asked),
                Then::Answered => {}
                Then::Cut => return,
            }
        }
    }

    /// Continues as TLS, with the certificate and key in a folder.
    #[cfg(feature = "tls")]
    pub(crate) fn start_tls(&mut self, folder: &std::path::Path) {
        use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
        let certificate = CertificateDer::from_pem_file(folder.join("host.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(folder.join("host.key")).unwrap();
        let config =
            rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![certificate], key)
                .unwrap();
        let session = rustls::ServerConnection::new(Arc::new(config)).unwrap();
        self.socket = Box::new(rustls::StreamOwned::new(session, self.plain.try_clone().unwrap()));
    }

    fn request(&mut self) -> Option<Asked> {
        let mut header = [0; 24];
        self.socket.read_exact(&mut header).ok()?;
        let mut payload = vec![0; u32::from_be_bytes(header[20..].try_into().unwrap()) as usize];
        self.socket.read_exact(&mut payload).ok()?;
        Some(Asked {
            stream: [header[0], header[1]],
            code: u16::from_be_bytes([header[2], header[3]]),
            fields: header[4..20].try_into().unwrap(),
            payload,
        })
    }

    pub(crate) fn answer(&mut self, stream: [u8; 2], status: u16, body: &[u8]) {
        self.raw(&header(stream, status, body.len() as u32));
        self.raw(body);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // The client may be gone.
        let _ = self.socket.write_all(bytes).and_then(|()| self.socket.flush());
    }

    pub(crate) fn error(&mut self, asked: &Asked, code: u32, text: &str) {
        self.answer(asked.stream, 4003, &[&code.to_be_bytes(), text.as_bytes(), b"\0"].concat());
    }

    /// Asks for the same request again, in a number of seconds.
    pub(crate) fn wait(&mut self, asked: &Asked, seconds: u32, why: &str) {
        self.answer(asked.stream, 4005, &[&seconds.to_be_bytes(), why.as_bytes(), b"\0"].concat());
    }

    pub(crate) fn redirect(&mut self, asked: &Asked, port: u16, target: &str) {
        self.answer(asked.stream, 4004, &[&u32::from(port).to_be_bytes(), target.as_bytes()].concat());
    }

    pub(crate) fn opened(&self) -> Vec<u8> {
        let stat = format!("1 {} 48 {}\0", self.data.len(), self.modified);
        [&[0, 0, 0, 9][..], &[0; 8], stat.as_bytes()].concat()
    }

    /// The pages of a part of the file, each after its checksum.
    pub(crate) fn pages(&self, from: usize, to: usize) -> Vec<u8> {
        let mut pages = Vec::new();
        let mut at = from;
        while at < to {
            let end = to.min((at / 4096 + 1) * 4096);
            pages.extend_from_slice(&crc32c::crc32c(&self.data[at..end]).to_be_bytes());
            pages.extend_from_slice(&self.data[at..end]);
            at = end;
        }
        pages
    }

    /// Answers with pages of the file from `from` on.
    pub(crate) fn send_pages(&mut self, asked: &Asked, from: usize, pages: &[u8], is_last: bool) {
        let mut rest = [&asked.stream[..], &[30, u8::from(!is_last)], &[0; 4]].concat();
        rest.extend_from_slice(&(pages.len() as u32).to_be_bytes());
        rest.extend_from_slice(&(from as u64).to_be_bytes());
        self.raw(&header(asked.stream, 4007, 24));
        self.raw(&crc32c::crc32c(&rest).to_be_bytes());
        self.raw(&rest);
        self.raw(pages);
    }

    pub(crate) fn vector(&self, asked: &Asked) -> Vec<u8> {
        let mut body = Vec::new();
        for piece in asked.payload.chunks(16) {
            let length = u32::from_be_bytes(piece[4..8].try_into().unwrap()) as usize;
            let offset = u64::from_be_bytes(piece[8..].try_into().unwrap()) as usize;
            body.extend_from_slice(piece);
            body.extend_from_slice(&self.data[offset..offset + length]);
        }
        body
    }

    pub(crate) fn usual(&mut self, asked: &Asked) {
        let body = match asked.code {
            PROTOCOL => vec![0, 0, 5, 0x11, 0, 0x20, 0, 1],
            LOGIN => vec![7; 16],
            QUERY => b"1024\n2097136\n".to_vec(),
            OPEN => self.opened(),
            STAT => format!("1 {} 48 {}\0", self.data.len(), self.modified).into_bytes(),
            READ => self.data[asked.offset()..asked.offset() + asked.length()].to_vec(),
            READV => self.vector(asked),
            PGREAD => {
                let (from, to) = (asked.offset(), asked.offset() + asked.length());
                return self.send_pages(asked, from, &self.pages(from, to), true);
            }
            _ => Vec::new(),
        };
        self.answer(asked.stream, 0, &body);
    }
}

pub(crate) fn header(stream: [u8; 2], status: u16, length: u32) -> [u8; 8] {
    let mut header = [stream[0], stream[1], 0, 0, 0, 0, 0, 0];
    header[2..4].copy_from_slice(&status.to_be_bytes());
    header[4..].copy_from_slice(&length.to_be_bytes());
    header
}
