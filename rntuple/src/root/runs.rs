//! Who has written the bytes at the end of a file under construction.

/// An ntuple or an attribute set that is being written to a file, perhaps with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Author(u64);

/// The runs of bytes of a file, each of one author.
#[derive(Debug, Default)]
pub(super) struct Runs {
    authors: u64,
    /// Who writes next.
    turn: Author,
    /// Where each begins.
    runs: Vec<(Author, u64)>,
}

impl Runs {
    /// One more author, who writes next.
    pub(super) fn new_author(&mut self) -> Author {
        self.authors += 1;
        self.turn = Author(self.authors);
        self.turn
    }

    /// This author writes next.
    pub(super) fn turn_to(&mut self, author: Author) {
        self.turn = author;
    }

    /// The author whose turn it is has written from `start` to the end of the file.
    pub(super) fn add(&mut self, start: u64) {
        if self.runs.last().is_none_or(|(author, _)| *author != self.turn) {
            self.runs.push((self.turn, start));
        }
    }

    /// The file ends at `end` again.
    pub(super) fn cut(&mut self, end: u64) {
        while self.runs.pop_if(|(_, start)| *start >= end).is_some() {}
    }

    /// What is in the file up to `end` counts: it is not taken back.
    pub(super) fn keep(&mut self, end: u64) {
        self.runs = vec![(Author::default(), end)];
    }

    /// Where the last run of a file begins that ends at `end`, if it is of this author; otherwise `end`.
    pub(super) fn start_of(&self, author: Author, end: u64) -> u64 {
        match self.runs.last() {
            Some((last, start)) if *last == author => *start,
            _ => end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_run_of_an_author_can_be_taken_back() {
        let mut runs = Runs::default();
        let (one, two) = (runs.new_author(), runs.new_author());
        for (author, start) in [(one, 100), (one, 200), (two, 300), (one, 400)] {
            runs.turn_to(author);
            runs.add(start);
        }
        assert_eq!((runs.start_of(one, 500), runs.start_of(two, 500)), (400, 500));
        runs.turn_to(two);
        assert_eq!(runs.start_of(one, 500), 400, "nothing is written yet");
        runs.cut(400);
        assert_eq!((runs.start_of(one, 400), runs.start_of(two, 400)), (400, 300));
        runs.cut(300);
        assert_eq!(runs.start_of(one, 300), 100);
        runs.keep(350);
        runs.turn_to(one);
        runs.add(350);
        assert_eq!(runs.start_of(one, 400), 350);
    }
}
