//! The S3 servers that objects are written to, and what is left on them.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;

use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::client;
use rntuple_remote_tests::proxy::{Link, Proxy};
use rntuple_remote_tests::servers::{Moto, Nginx};

use rntuple::storage::ReadAt;

use super::store::{front, moto, patient, s3};

/// A bucket of one of the servers.
pub(super) struct Bucket {
    server: Server,
    pub(super) name: String,
}

enum Server {
    Moto(Arc<Moto>),
    #[cfg(feature = "s3s")]
    S3s(rntuple_remote_tests::servers::S3s),
}

/// A bucket on each server.
pub(super) fn buckets(name: &str) -> Vec<Bucket> {
    let mut buckets = Vec::new();
    if let Some(moto) = moto() {
        moto.create_bucket(name).unwrap();
        buckets.push(Bucket { server: Server::Moto(moto), name: name.to_owned() });
    }
    #[cfg(feature = "s3s")]
    {
        let server = rntuple_remote_tests::servers::S3s::start().unwrap();
        server.create_bucket(name).unwrap();
        buckets.push(Bucket { server: Server::S3s(server), name: name.to_owned() });
    }
    buckets
}

/// A bucket over a network.
pub(super) struct Network {
    pub(super) bucket: Bucket,
    pub(super) proxy: Proxy,
    pub(super) options: Options,
    /// Whether what is damaged on the way to the bucket is found: by TLS, or by a server that compares the SHA-256 that goes
    /// with each request. moto does not.
    pub(super) finds_damage: bool,
    _front: Option<Arc<Nginx>>,
}

/// Networks to a bucket on each server, and one with TLS.
pub(super) fn networks(name: &str) -> Vec<Network> {
    let plain = buckets(name).into_iter().map(|bucket| {
        let proxy = Proxy::start(bucket.address(), Link::ideal()).unwrap();
        let (options, finds_damage) = (bucket.options_at(proxy.address()), !bucket.lists_uploads());
        Network { bucket, proxy, options, finds_damage, _front: None }
    });
    // s3s-fs has requests signed for the paths that it sees itself.
    let bucket = buckets(&format!("{name}-tls")).into_iter().find(Bucket::lists_uploads);
    let tls = bucket.zip(front()).map(|(bucket, front)| {
        let proxy = Proxy::start(front.tls_address(), Link::ideal()).unwrap();
        let [tls, server] = [proxy.address(), bucket.address()].map(|address| address.port());
        let options = s3(&format!("https://localhost:{tls}/{server}"), patient()).part_size(5 << 20);
        let options = options.ca_certificate(fs::read(front.authority()).unwrap());
        Network { bucket, proxy, options, finds_damage: true, _front: Some(front) }
    });
    plain.chain(tls).collect()
}

impl Bucket {
    pub(super) fn address(&self) -> SocketAddr {
        match &self.server {
            Server::Moto(moto) => moto.address(),
            #[cfg(feature = "s3s")]
            Server::S3s(server) => server.address(),
        }
    }

    /// Options with the smallest parts.
    pub(super) fn options(&self) -> Options {
        self.options_at(self.address())
    }

    /// The same over a network.
    pub(super) fn options_at(&self, address: SocketAddr) -> Options {
        s3(&format!("http://{address}"), patient()).part_size(5 << 20)
    }

    pub(super) fn url(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.name)
    }

    /// The bytes of an object, as the server has them.
    pub(super) fn bytes(&self, key: &str) -> Option<Vec<u8>> {
        match &self.server {
            Server::Moto(_) => {
                // Objects are written without access for all.
                let file = ObjectFile::open(&self.url(key), &self.options()).ok()?;
                Some(file.block(0..file.size()).unwrap().to_vec())
            }
            #[cfg(feature = "s3s")]
            Server::S3s(server) => fs::read(server.folder().join(&self.name).join(key)).ok(),
        }
    }

    /// Whether the server says itself which uploads there are.
    pub(super) fn lists_uploads(&self) -> bool {
        matches!(self.server, Server::Moto(_))
    }

    /// Uploads to the bucket that were neither completed nor aborted.
    pub(super) fn pending(&self) -> usize {
        match &self.server {
            Server::Moto(moto) => {
                let path = format!("/{}?uploads", self.name);
                let answer = client::request(moto.address(), "GET", &path, &[], &[]).unwrap();
                assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
                String::from_utf8_lossy(&answer.body).matches("<Upload>").count()
            }
            #[cfg(feature = "s3s")]
            Server::S3s(server) => {
                let names = fs::read_dir(server.folder()).unwrap().map(|entry| entry.unwrap().file_name());
                names.filter(|name| name.to_string_lossy().contains("upload")).count()
            }
        }
    }

    /// Aborts all uploads, as the life-cycle rule of a bucket does.
    pub(super) fn forget_uploads(&self) {
        match &self.server {
            Server::Moto(moto) => {
                let ask = |method: &str, path: &str| {
                    client::request(moto.address(), method, path, &[], &[]).unwrap()
                };
                let answer = ask("GET", &format!("/{}?uploads", self.name)).body;
                let answer = String::from_utf8(answer).unwrap();
                for upload in answer.split("<Upload>").skip(1) {
                    let element = |name: &str| {
                        let rest = upload.split_once(&format!("<{name}>")).unwrap().1;
                        rest.split_once('<').unwrap().0
                    };
                    let path = format!("/{}/{}?uploadId={}", self.name, element("Key"), element("UploadId"));
                    assert_eq!(ask("DELETE", &path).status, 204);
                }
            }
            #[cfg(feature = "s3s")]
            Server::S3s(server) => {
                for entry in fs::read_dir(server.folder()).unwrap() {
                    let path = entry.unwrap().path();
                    if path.to_string_lossy().contains("upload") && path.is_file() {
                        fs::remove_file(path).unwrap();
                    }
                }
            }
        }
    }
}
