//! Compares the types of the program with a file that it must read, before the program is compiled. Explained in the
//! book, chapter "A lock for the schema".

// ANCHOR: script
#[path = "src/event.rs"]
mod event;

fn main() {
    println!("cargo::rerun-if-changed=src/event.rs");
    println!("cargo::rerun-if-changed=../sample.root");
    rntuple::lock::assert_file::<event::Event>("../sample.root", "Events");
}
// ANCHOR_END: script
