//! How much memory a process takes.

use std::process::Command;

/// Names what a [child](taken_by) is to reach.
const TARGET: &str = "RNTUPLE_TEST_TARGET";

/// The most memory that this process had, in bytes.
pub(crate) fn most() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// Runs the ignored test of this name in a process of its own, and returns what it [reports](report), in bytes.
pub(crate) fn taken_by(test: &str, target: &str) -> usize {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(TARGET, target)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    let taken = text.lines().find_map(|line| line.split("took ").nth(1)).unwrap();
    taken.trim().parse().unwrap()
}

/// What a child is to reach; `None` in a process that is not one.
pub(crate) fn target() -> Option<String> {
    std::env::var(TARGET).ok()
}

/// Prints what `work` takes beyond what the process had before.
pub(crate) fn report(work: impl FnOnce()) {
    let before = most();
    work();
    say(before);
}

/// Prints what was taken beyond what the process had [before](most).
pub(crate) fn say(before: usize) {
    println!("took {}", most() - before);
}
