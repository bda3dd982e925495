//! A thread that accepts connections on a free loopback port until it is stopped.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The thread. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Acceptor {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// Calls `serve` with each connection. It must not block for long: the next connection waits.
    pub(crate) fn start(mut serve: impl FnMut(TcpStream) + Send + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stopped);
        let thread = thread::Builder::new().name(format!("accept {}", address.port())).spawn(move || {
            for stream in listener.incoming() {
                if is_stopped.load(Ordering::Acquire) {
                    return;
                }
                // A connection that its client has reset already is not the listener's failure.
                if let Ok(stream) = stream {
                    let _ = stream.set_nodelay(true);
                    serve(stream);
                }
            }
        })?;
        Ok(Self { address, stopped, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // The connection wakes the thread.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}
