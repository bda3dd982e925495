//! Names of members after flattening, compared while the program is compiled.

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

    /// # Panics
    /// Two members have one name. The derive calls it in a constant, where a panic is an error of the compiler.
    pub const fn assert_distinct(&self) {
        let count = self.count();
        let mut number = 0;
        while number < count {
            let name = self.name(number);
            let mut other = number + 1;
            while other < count {
                if name.equals(&self.name(other)) {
                    name.clash();
                }
                other += 1;
            }
            number += 1;
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

/// Longer names are not compared here, but when the type is declared.
const LONGEST: usize = 128;

/// A name, its prefixes in front.
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; LONGEST],
    /// More than there is room for: too long.
    length: usize,
}

#[expect(clippy::indexing_slicing, reason = "as above")]
impl Name {
    const fn new(text: &str) -> Self {
        Self { bytes: [0; LONGEST], length: 0 }.with(text.as_bytes(), text.len())
    }

    const fn with(mut self, text: &[u8], count: usize) -> Self {
        let mut position = 0;
        while position < count {
            if self.length + position < LONGEST {
                self.bytes[self.length + position] = text[position];
            }
            position += 1;
        }
        self.length += count;
        self
    }

    const fn after(self, prefix: &str) -> Self {
        if self.length > LONGEST { self } else { Self::new(prefix).with(&self.bytes, self.length) }
    }

    const fn equals(&self, other: &Self) -> bool {
        if self.length != other.length || self.length > LONGEST {
            return false;
        }
        let mut position = 0;
        while position < self.length {
            if self.bytes[position] != other.bytes[position] {
                return false;
            }
            position += 1;
        }
        true
    }

    #[expect(clippy::panic, reason = "the compiler shows it")]
    const fn clash(&self) -> ! {
        let message = Self::new("after `flatten`, two members are named `")
            .with(&self.bytes, self.length)
            .with(b"`: give it a `prefix`", 21);
        let text = match message.bytes.split_at_checked(message.length) {
            Some((text, _)) => text,
            None => b"after `flatten`, two members have one name: give it a `prefix`",
        };
        match std::str::from_utf8(text) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("after `flatten`, two members have one name: give it a `prefix`"),
        }
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
                String::from_utf8(name.bytes[..name.length].to_vec()).unwrap()
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
