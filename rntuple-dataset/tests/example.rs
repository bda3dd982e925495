//! The program of the book's chapter.

#[path = "../examples/campaign.rs"]
mod campaign;

#[test]
fn the_program_of_the_chapter_runs() -> Result<(), Box<dyn std::error::Error>> {
    campaign::main()
}
