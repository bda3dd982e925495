//! The program of the book's chapter, in a process of its own: what opens a URL is registered for all of a process.

#[path = "../examples/remote.rs"]
mod remote;

#[test]
fn the_program_of_the_chapter_runs() -> rntuple::Result<()> {
    remote::main()
}
