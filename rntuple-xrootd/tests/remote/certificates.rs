//! Certificates for servers of tests.

use std::path::Path;
use std::process::Command;

/// Certificates of an authority and of a server called `localhost`, made by `openssl`.
pub(crate) fn certificates(folder: &Path) {
    let run = |line: &str| {
        let output = Command::new("sh").arg("-c").arg(line).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    run(&format!("openssl req -x509 {curve} -keyout ca.key -out ca.pem -days 2 -subj /CN=Test-CA"));
    run(&format!("openssl req {curve} -keyout host.key -out host.csr -subj /CN=localhost"));
    run("printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1' > ext");
    run(
        "openssl x509 -req -in host.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out host.pem",
    );
    run(
        "mkdir cas && cp ca.pem cas && openssl rehash cas && chmod 755 cas && chmod 644 ca.pem host.pem host.csr",
    );
    // The server gives up the rights of root before it reads the key, which must be its own.
    run("chmod 400 host.key; chown nobody host.key host.pem || true");
}
