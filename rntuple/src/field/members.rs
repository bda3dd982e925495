//! Names of members after flattening, compared while the program is compiled.

use crate::message::constant::Text;

/// The names of a struct's members, those of flattened structs with their prefixes.
#[derive(Clone, Copy, Debug)]
pub struct Members {
    /// Of the struct itself.
    pub own: &'static [&'static str],
    /// Of the structs that stand in it.
    pub flattened: &'static [(&'static str, Members)],
}

#[expect(clippy::indexing_slicing, reason = "constants are evaluated by the compiler, which would say so")]
impl Members {
    /// No members that anybody knows of.
    pub const UNKNOWN: Self = Self { own: &[], flattened: &[] };

    /// Compares the names of every two structs that stand side by side; each has compared its own.
    ///
    /// # Panics
    /// Two members have one name. The derive calls it in a constant, where a panic is an error of the compiler.
    #[track_caller]
    pub const fn assert_distinct(&self) {
        let mut pairs = 0;
        let mut group = 0;
        while group < self.flattened.len() {
            // The struct itself is the last of those before a flattened one.
            let mut before = 0;
            while before <= group {
                let is_own = before == group;
                let others = if is_own { self.own.len() } else { self.flattened[before].1.count() };
                let (prefix, members) = &self.flattened[group];
                let count = members.count();
                pairs += others * count;
                let mut number = 0;
                while number < others && pairs <= MOST_PAIRS {
                    let name = if is_own {
                        Name::new(self.own[number])
                    } else {
                        self.flattened[before].1.name(number).after(self.flattened[before].0)
                    };
                    let mut other = 0;
                    while other < count {
                        if name.equals(&members.name(other).after(prefix)) {
                            name.clash();
                        }
                        other += 1;
                    }
                    number += 1;
                }
                before += 1;
            }
            group += 1;
        }
    }

    const fn count(&self) -> usize {
        let mut count = self.own.len();
        let mut group = 0;
        while group < self.flattened.len() {
            count += self.flattened[group].1.count();
            group += 1;
        }
        count
    }

    const fn name(&self, number: usize) -> Name {
        if number < self.own.len() {
            return Name::new(self.own[number]);
        }
        let mut rest = number - self.own.len();
        let mut group = 0;
        loop {
            let (prefix, members) = &self.flattened[group];
            let count = members.count();
            if rest < count {
                return members.name(rest).after(prefix);
            }
            rest -= count;
            group += 1;
        }
    }
}

/// More pairs of names than this are not compared here, for the compiler counts the steps of a constant, but when
/// the type is declared.
const MOST_PAIRS: usize = 5_000;

/// Prefixes, one inside the other, that a name may have here.
const MOST_PARTS: usize = 8;

/// A name in parts.
#[derive(Clone, Copy)]
struct Name {
    /// The name without a prefix, and the prefixes, from the inside out.
    parts: [&'static str; MOST_PARTS],
    count: usize,
    length: usize,
}

#[expect(clippy::indexing_slicing, reason = "as above")]
impl Name {
    const fn new(text: &'static str) -> Self {
        let mut parts = [""; MOST_PARTS];
        parts[0] = text;
        Self { parts, count: 1, length: text.len() }
    }

    const fn after(mut self, prefix: &'static str) -> Self {
        if !prefix.is_empty() && self.count < MOST_PARTS {
            self.parts[self.count] = prefix;
            self.count += 1;
            self.length += prefix.len();
        }
        self
    }

    /// The byte at a position that lies within the name.
    const fn byte(&self, position: usize) -> u8 {
        let mut rest = position;
        let mut part = self.count - 1;
        while rest >= self.parts[part].len() {
            rest -= self.parts[part].len();
            part -= 1;
        }
        self.parts[part].as_bytes()[rest]
    }

    const fn equals(&self, other: &Self) -> bool {
        if self.length != other.length || self.count == MOST_PARTS || other.count == MOST_PARTS {
            return false;
        }
        // From the end: names in one struct often begin alike.
        let mut position = self.length;
        while position > 0 {
            position -= 1;
            if self.byte(position) != other.byte(position) {
                return false;
            }
        }
        true
    }

    #[track_caller]
    const fn clash(&self) -> ! {
        let mut text = Text::new().push("after `flatten`, two members are named `");
        let mut part = self.count;
        while part > 0 {
            part -= 1;
            text = text.push(self.parts[part]);
        }
        text.push("`: give it a `prefix`").panic()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: Members = Members { own: &["x", "y"], flattened: &[] };

    #[test]
    fn prefixes_stand_in_front_at_every_level() {
        const TRACK: Members = Members { own: &["x"], flattened: &[("a_", POINT), ("b_", POINT)] };
        const EVENT: Members = Members { own: &["a_x"], flattened: &[("in_", TRACK)] };
        EVENT.assert_distinct();
        let names: Vec<String> = (0..EVENT.count())
            .map(|number| {
                let name = EVENT.name(number);
                String::from_utf8((0..name.length).map(|position| name.byte(position)).collect()).unwrap()
            })
            .collect();
        assert_eq!(names, ["a_x", "in_x", "in_a_x", "in_a_y", "in_b_x", "in_b_y"]);
    }

    #[test]
    #[should_panic(expected = "after `flatten`, two members are named `x`: give it a `prefix`")]
    fn a_clash_is_told_by_name() {
        Members { own: &["x"], flattened: &[("", POINT)] }.assert_distinct();
    }

    #[test]
    #[should_panic(expected = "`a_x`")]
    fn a_clash_of_two_flattened_structs_is_told() {
        Members { own: &["z"], flattened: &[("a_", POINT), ("a_", POINT)] }.assert_distinct();
    }
}
