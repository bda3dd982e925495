//! The S3 servers that objects are written to, and what is left on them.

use std::net::SocketAddr;
use std::sync::Arc;

use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::client;
use rntuple_remote_tests::servers::Moto;

use rntuple::storage::ReadAt;

use super::store::{moto, quick, s3};

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

impl Bucket {
    pub(super) fn address(&self) -> SocketAddr {
        match &self.server {
            Server::Moto(moto) => moto.address(),
            #[cfg(feature = "s3s")]
            Server::S3s(server) => server.address(),
        }
    }

    /// Options with the smallest parts, of a client that has no patience.
    pub(super) fn options(&self) -> Options {
        self.options_at(self.address())
    }

    /// The same over a network.
    pub(super) fn options_at(&self, address: SocketAddr) -> Options {
        s3(&format!("http://{address}"), quick()).part_size(5 << 20)
    }

    pub(super) fn url(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.name)
    }

    /// The bytes of an object, as the server has them.
    pub(super) fn bytes(&self, key: &str) -> Option<Vec<u8>> {
        match &self.server {
            Server::Moto(moto) => {
                // Objects are written without access for all.
                let file = ObjectFile::open(&self.url(key), &s3(&moto.endpoint(), quick())).ok()?;
                Some(file.block(0..file.size()).unwrap().to_vec())
            }
            #[cfg(feature = "s3s")]
            Server::S3s(server) => std::fs::read(server.folder().join(&self.name).join(key)).ok(),
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
                let names =
                    std::fs::read_dir(server.folder()).unwrap().map(|entry| entry.unwrap().file_name());
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
                for entry in std::fs::read_dir(server.folder()).unwrap() {
                    let path = entry.unwrap().path();
                    if path.to_string_lossy().contains("upload") && path.is_file() {
                        std::fs::remove_file(path).unwrap();
                    }
                }
            }
        }
    }
}
