//! How many connections stay open.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rntuple::storage::ReadAt;
use rntuple_xrootd::XrootdFile;

use super::options;
use super::server::{OPEN, STAT, Then, serve};

/// More servers than there are idle connections that stay.
const SERVERS: usize = 40;

/// The sockets and the threads of this process.
fn numbers() -> (usize, usize) {
    let files = fs::read_dir("/proc/self/fd").unwrap();
    let is_socket = |link: &PathBuf| link.to_string_lossy().starts_with("socket:");
    let sockets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok()).filter(is_socket).count();
    (sockets, fs::read_dir("/proc/self/task").unwrap().count())
}

/// What the test below starts in a process of its own, which has no servers.
#[test]
#[ignore = "a part of another test"]
fn child() {
    let Ok(port) = std::env::var("RNTUPLE_TEST_PORT") else { return };
    let most: usize = std::env::var("RNTUPLE_TEST_MOST").unwrap().parse().unwrap();
    let before = numbers();
    let options = options().connections(1);
    let read = |number: usize| {
        let file = XrootdFile::open(&format!("root://127.0.0.1:{port}//{number}"), &options).unwrap();
        assert_eq!(file.block(5..9).unwrap()[..], [7; 4]);
    };
    (0..SERVERS).for_each(read);
    // Some of the last servers may not be done, and then their connections are closed with the next file.
    let begun = Instant::now();
    loop {
        read(0);
        let now = numbers();
        let (sockets, threads) = (now.0 - before.0, now.1 - before.1);
        if sockets <= most && threads <= most {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{sockets} sockets, {threads} threads");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn connections_that_no_file_uses_are_closed() {
    // Where servers cut them, only those to the one that redirects and to the last one may be left.
    for (is_cut, most) in [(true, 3), (false, 34)] {
        let servers: Vec<u16> = (0..SERVERS)
            .map(|_| {
                serve(vec![7; 100], move |peer, asked| {
                    if is_cut && asked.code == STAT {
                        peer.usual(asked);
                        return Then::Cut;
                    }
                    Then::Usual
                })
            })
            .collect();
        let first = serve(Vec::new(), move |peer, asked| {
            if asked.code != OPEN {
                return Then::Usual;
            }
            let path = String::from_utf8_lossy(&asked.payload).into_owned();
            peer.redirect(asked, servers[path[1..].parse::<usize>().unwrap()], "127.0.0.1");
            Then::Answered
        });
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "scripted::numbers::child", "--ignored", "--nocapture"])
            .env("RNTUPLE_TEST_PORT", first.to_string())
            .env("RNTUPLE_TEST_MOST", most.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        // A test of another name would pass as none does.
        let is_done = output.status.success() && text.contains("1 passed");
        assert!(is_done, "{is_cut}: {text} {}", String::from_utf8_lossy(&output.stderr));
    }
}
