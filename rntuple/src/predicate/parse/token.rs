//! The words and signs of a text.

use super::super::path::{begins, continues};
use super::fault::Fault;

/// A word or sign, and where it begins: its number among the characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A name, or a word of the language.
    Word(String),
    /// A name in backquotes.
    Quoted(String),
    Int(u128),
    Float(f64),
    Text(String),
    Sign(&'static str),
    End,
}

/// Longer ones come first.
const SIGNS: &[&str] =
    &["<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!", "(", ")", ",", ".", "-", "+"];

/// The words and signs of a text, the last one of which is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut source = Source { rest: text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        source.take_while(char::is_whitespace);
        let at = source.at;
        let kind = source.next()?;
        let is_end = kind == Kind::End;
        tokens.push(Token { at, kind });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Source<'a> {
    rest: &'a str,
    at: usize,
}

impl<'a> Source<'a> {
    fn next(&mut self) -> Result<Kind, Fault> {
        let at = self.at;
        let Some(first) = self.rest.chars().next() else { return Ok(Kind::End) };
        if begins(first) {
            return Ok(Kind::Word(self.take_while(continues).to_owned()));
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        match first {
            '`' => return self.quoted(),
            '"' | '\'' => return self.text(first),
            _ => {}
        }
        match SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) {
            Some(sign) => {
                self.skip(sign.len());
                Ok(Kind::Sign(sign))
            }
            None => Err(Fault::new(at, format!("{first:?} has no meaning here"))),
        }
    }

    /// Takes bytes that are a whole number of characters.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at += taken.chars().count();
        taken
    }

    fn take_while(&mut self, is_such: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_such(c)).unwrap_or(self.rest.len());
        self.skip(end)
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.skip(c.len_utf8());
        Some(c)
    }

    /// `12`, `1.5`, `1e-3`. A sign before it is a token of its own.
    fn number(&mut self) -> Result<Kind, Fault> {
        let (at, begin) = (self.at, self.rest);
        let digit = |c: char| c.is_ascii_digit();
        self.take_while(digit);
        let mut is_float = false;
        if let Some(after) = self.rest.strip_prefix('.')
            && after.starts_with(digit)
        {
            is_float = true;
            self.skip(1);
            self.take_while(digit);
        }
        if let Some(after) = self.rest.strip_prefix(['e', 'E']) {
            let signed = after.strip_prefix(['-', '+']).unwrap_or(after);
            if signed.starts_with(digit) {
                is_float = true;
                self.skip(1 + after.len() - signed.len());
                self.take_while(digit);
            }
        }
        if self.rest.starts_with(continues) {
            let found = self.take_while(continues);
            return Err(Fault::new(at, format!("{found:?} after a number")));
        }
        let text = begin.get(..begin.len() - self.rest.len()).unwrap_or_default();
        let number = match is_float {
            true => text.parse().map(Kind::Float).ok(),
            false => text.parse().map(Kind::Int).ok(),
        };
        number
            .ok_or_else(|| Fault::new(at, format!("the number {text} is too large for an integer; add `.0`")))
    }

    fn quoted(&mut self) -> Result<Kind, Fault> {
        let at = self.at;
        self.take();
        let mut name = String::new();
        loop {
            match self.take() {
                Some('`') if self.rest.starts_with('`') => {
                    self.take();
                    name.push('`');
                }
                Some('`') if name.contains('.') => {
                    return Err(Fault::new(at, "a name has no `.`: put each part of the path in backquotes"));
                }
                Some('`') => return Ok(Kind::Quoted(name)),
                Some(c) => name.push(c),
                None => return Err(Fault::new(at, "the name has no closing backquote")),
            }
        }
    }

    fn text(&mut self, quote: char) -> Result<Kind, Fault> {
        let at = self.at;
        self.take();
        let mut text = String::new();
        loop {
            let here = self.at;
            match self.take() {
                Some(c) if c == quote => return Ok(Kind::Text(text)),
                Some('\\') => text.push(self.escape(here)?),
                Some(c) => text.push(c),
                None => return Err(Fault::new(at, "the text has no closing quote")),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self, at: usize) -> Result<char, Fault> {
        match self.take() {
            Some(c @ ('"' | '\'' | '\\')) => Ok(c),
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('u') if self.rest.starts_with('{') => {
                self.take();
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match (c, self.take()) {
                    (Some(c), Some('}')) => Ok(c),
                    _ => {
                        Err(Fault::new(at, "`\\u{..}` has the number of a character, in hexadecimal digits"))
                    }
                }
            }
            _ => Err(Fault::new(at, "after a backslash there is `\"`, `'`, `\\`, `n`, `t` or `u{..}`")),
        }
    }
}
