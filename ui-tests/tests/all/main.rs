//! What the compiler says, and what the book says of it.

mod ui;
mod ui_in_book;
