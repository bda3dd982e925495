//! What a cache has of an object is not asked for again, also in another process.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rntuple::storage::Cache;
use rntuple::{Files, ReadOptions};
use rntuple_object_store::ObjectFile;
use rntuple_remote_tests::http::{FileServer, Habits};
use rntuple_remote_tests::proxy::{Link, Proxy};
use rntuple_remote_tests::sample::Events;

use super::requests::ranges;
use super::store::{PATH, SAMPLE, quick, registered, sample, server};
use crate::values::read_events_with;

fn read(url: &str, cache: &Cache) -> u64 {
    let file = cache.wrap(Arc::new(ObjectFile::open(url, &quick()).unwrap()));
    read_events_with(file, ReadOptions::new()).unwrap()
}

#[test]
fn the_second_pass_asks_for_the_head_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = server();
    for cache in [Cache::new(64 << 20), Cache::new(0).on_disk(folder.path(), 64 << 20).unwrap()] {
        assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
        assert!(server.take_requests().len() > 1);
        for _ in 0..2 {
            assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
            let asked: Vec<_> =
                server.take_requests().into_iter().map(|request| request.range.unwrap()).collect();
            assert_eq!(asked, ["bytes=0-262143"]);
        }
        // The object is another one by now.
        let longer = Events::new(8, 3_100);
        server.put(PATH, longer.write().unwrap());
        assert_eq!(read(&server.url(PATH), &cache), longer.count());
        server.put(PATH, sample());
        assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
        server.take_requests();
    }
    // Another program reads what is in the folder.
    let cache = Cache::new(1 << 20).on_disk(folder.path(), 64 << 20).unwrap();
    assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn urls_are_kept_if_the_options_say_so() {
    let server = server();
    let _registered = registered(quick());
    let cache = Cache::new(64 << 20);
    let read = || read_events_with(server.url(PATH), ReadOptions::new().cache(&cache)).unwrap();
    assert_eq!(read(), SAMPLE.count());
    server.take_requests();
    assert_eq!(read(), SAMPLE.count());
    assert_eq!(server.take_requests().len(), 1);
}

/// Of a file of a list, the end comes with the beginning, and in whole blocks of the cache.
#[test]
fn the_end_of_a_file_is_asked_for_once() {
    let server = server();
    server.set_habits(Habits::new().lists(true));
    let _registered = registered(quick());
    let files = Files::glob(&server.url("/*.root")).unwrap();
    let options = ReadOptions::new().cache(&Cache::new(64 << 20));
    assert_eq!(read_events_with(files, options).unwrap(), SAMPLE.count());
    let requests: Vec<_> = server.take_requests().into_iter().filter(|it| it.method == "GET").collect();
    let asked = ranges(&requests);
    let size = sample().len() as u64;
    assert_eq!(asked.iter().filter(|range| range.end == size).count(), 1, "{asked:?}");
}

#[test]
fn what_has_no_version_is_asked_for_again() {
    let server = server();
    server.set_habits(Habits::xrootd());
    let cache = Cache::new(64 << 20);
    for _ in 0..2 {
        assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
        assert!(server.take_requests().len() > 1);
    }
}

/// What the tests below start in a process of its own.
#[test]
#[ignore = "a part of other tests"]
fn child() {
    let Ok(url) = std::env::var("RNTUPLE_TEST_URL") else { return };
    let folder = std::env::var("RNTUPLE_TEST_FOLDER").unwrap();
    let limit = std::env::var("RNTUPLE_TEST_LIMIT").map_or(64 << 20, |limit| limit.parse().unwrap());
    let cache = Cache::new(1 << 20).on_disk(folder, limit).unwrap();
    println!("begun");
    let passes = std::env::var("RNTUPLE_TEST_PASSES").unwrap().parse().unwrap();
    for _ in 0..passes {
        url.split(' ').for_each(|url| println!("read {}", read(url, &cache)));
    }
}

fn child_command(url: &str, folder: &std::path::Path, passes: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "objects::cache::child", "--ignored", "--nocapture"]);
    command.env("RNTUPLE_TEST_URL", url).env("RNTUPLE_TEST_FOLDER", folder);
    command.env("RNTUPLE_TEST_PASSES", passes.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let server = server();
    let children = [0, 1].map(|_| child_command(&server.url(PATH), folder.path(), 3).spawn().unwrap());
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.matches(&format!("read {}", SAMPLE.count())).count(), 3, "{text}");
    }
    server.take_requests();
    let cache = Cache::new(0).on_disk(folder.path(), 64 << 20).unwrap();
    assert_eq!(read(&server.url(PATH), &cache), SAMPLE.count());
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn a_process_that_is_killed_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let events = Events::new(20, 2_000);
    let server = FileServer::start([(PATH, events.write().unwrap())]).unwrap();
    let proxy = Proxy::start(server.address(), Link::ideal().bandwidth(4_000_000)).unwrap();
    let url = format!("http://{}{PATH}", proxy.address());
    for after in [50, 150, 400] {
        let mut child = child_command(&url, folder.path(), 100).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("begun")));
        std::thread::sleep(Duration::from_millis(after));
        child.kill().unwrap();
        child.wait().unwrap();
        let cache = Cache::new(0).on_disk(folder.path(), 64 << 20).unwrap();
        assert_eq!(read(&url, &cache), events.count());
    }
    // What was kept is right, and used.
    server.take_requests();
    let cache = Cache::new(0).on_disk(folder.path(), 64 << 20).unwrap();
    assert_eq!(read(&url, &cache), events.count());
    assert_eq!(server.take_requests().len(), 1);
}

/// What the files of a folder take on the disk.
fn taken(folder: &std::path::Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    // One that was removed meanwhile takes nothing.
    let files = std::fs::read_dir(folder).unwrap().filter_map(|entry| entry.ok()?.metadata().ok());
    files.map(|file| file.blocks() * 512).sum()
}

/// Each of them may exceed it by a sixteenth before it notices.
#[test]
fn several_processes_keep_the_bound_of_a_folder() {
    const LIMIT: u64 = 3 << 20;
    const PROCESSES: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    // 16 files of 1.2 MB.
    let paths: Vec<_> = (0..16).map(|number| format!("/{number}.root")).collect();
    let server = FileServer::start(paths.iter().map(|path| (&**path, sample()))).unwrap();
    let children: Vec<_> = (0..PROCESSES as usize)
        .map(|number| {
            let own = paths.iter().cycle().skip(number * 4).take(paths.len());
            let urls: Vec<_> = own.map(|path| server.url(path)).collect();
            let mut command = child_command(&urls.join(" "), folder.path(), 3);
            command.env("RNTUPLE_TEST_LIMIT", LIMIT.to_string()).spawn().unwrap()
        })
        .collect();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let most = std::thread::scope(|scope| {
        let most = scope.spawn(|| {
            let mut most = 0;
            while !is_done.load(std::sync::atomic::Ordering::SeqCst) {
                most = most.max(taken(folder.path()));
                std::thread::sleep(Duration::from_millis(1));
            }
            most
        });
        let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        is_done.store(true, std::sync::atomic::Ordering::SeqCst);
        for output in outputs {
            assert!(output.status.success());
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(text.matches(&format!("read {}", SAMPLE.count())).count(), 3 * paths.len(), "{text}");
        }
        most.join().unwrap()
    });
    assert!(most > LIMIT / 2, "{most} bytes: the folder was not used");
    assert!(most <= LIMIT + PROCESSES * LIMIT / 16, "{most} bytes in a folder of {LIMIT}");
    // The next one that opens it has room.
    Cache::new(0).on_disk(folder.path(), LIMIT).unwrap();
    assert!(taken(folder.path()) <= LIMIT - LIMIT / 16);
}

/// One script may hand out any file: of equal length, and made in the same second.
#[test]
fn what_a_query_chooses_is_another_file() {
    let server = server();
    let version = |query: &str| {
        let file = ObjectFile::open(&format!("{}{query}", server.url(PATH)), &quick()).unwrap();
        rntuple::storage::ReadAt::version(&file).map(str::to_owned).unwrap()
    };
    let [one, two] = ["?file=run1.root", "?file=run2.root"].map(version);
    assert_ne!(one, two);
    // What grants access is renewed.
    for same in
        ["?file=run1.root&authz=A", "?X-Amz-Signature=B&file=run1.root", "?file=run1.root&access_token=C"]
    {
        assert_eq!(version(same), one);
    }
    let plain = version("");
    assert_eq!(version("?authz=A"), plain);
    assert!(!one.contains("run1") && one.starts_with(&plain), "{one}");
}
