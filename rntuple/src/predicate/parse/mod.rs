//! Predicates from text.

mod fault;
mod token;

use std::fmt::Display;
use std::str::FromStr;

use fault::Fault;
use token::{Kind, Token, tokens};

use super::path::{ITEM, is_word};
use super::{Comparison, Literal, Operand, Predicate};
use crate::error::Error;

/// Longer texts are refused, in bytes.
const LONGEST: usize = 1 << 16;

/// How deep conditions may be inside each other: each level takes some of the stack.
const DEEPEST: usize = 64;

impl FromStr for Predicate {
    type Err = Error;

    /// Reads a predicate from text: the grammar is in the documentation of the [module](crate::predicate).
    ///
    /// ```
    /// use rntuple::predicate::Predicate;
    /// let wanted: Predicate = "size(muons) >= 2 and not trigger == \"e24\"".parse()?;
    /// let error = "met > and x".parse::<Predicate>().unwrap_err();
    /// assert_eq!(error.message(), r#"predicate "met > and x", character 7: `and` where a value was expected"#);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) says what is wrong at which character, counted from 1. The
    /// text has over 64 KiB, or conditions are over 64 levels deep.
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.len() > LONGEST {
            let message = format!("a predicate of {} bytes is too long, at most {LONGEST}", text.len());
            return Err(Error::invalid_argument(message));
        }
        parse(text).map_err(|Fault { at, message }| {
            let shown: String = text.chars().skip(at.saturating_sub(40)).take(80).collect();
            Error::invalid_argument(format!("predicate {shown:?}, character {}: {message}", at + 1))
        })
    }
}

fn parse(text: &str) -> Result<Predicate, Fault> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let predicate = parser.or()?;
    match parser.peek() {
        Kind::End => Ok(predicate),
        _ => Err(parser.expected("`and`, `or` or the end")),
    }
}

struct Parser {
    /// The last one is the end.
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Kind {
        self.tokens.get(self.next).map_or(&Kind::End, |token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |token| token.at)
    }

    fn take(&mut self) -> Kind {
        let kind = self.peek().clone();
        self.next += 1;
        kind
    }

    /// Takes a word or sign, if it comes next.
    fn takes(&mut self, wanted: &str) -> bool {
        let is_next = match self.peek() {
            Kind::Word(word) => word == wanted,
            Kind::Sign(sign) => *sign == wanted,
            _ => false,
        };
        self.next += usize::from(is_next);
        is_next
    }

    fn require(&mut self, wanted: &str) -> Result<(), Fault> {
        if self.takes(wanted) { Ok(()) } else { Err(self.expected(format_args!("`{wanted}`"))) }
    }

    /// What comes next is something else.
    fn expected(&self, wanted: impl Display) -> Fault {
        let found = match self.peek() {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Quoted(name) => format!("`{name}`"),
            Kind::Int(number) => format!("{number}"),
            Kind::Float(number) => format!("{number:?}"),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end".to_owned(),
        };
        Fault::new(self.at(), format!("{found} where {wanted} was expected"))
    }

    /// One level deeper.
    fn deeper<V>(&mut self, parse: impl FnOnce(&mut Self) -> Result<V, Fault>) -> Result<V, Fault> {
        if self.depth == DEEPEST {
            return Err(Fault::new(self.at(), format!("over {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Predicate, Fault> {
        self.chain(["or", "||"], Self::and, Predicate::Or)
    }

    fn and(&mut self) -> Result<Predicate, Fault> {
        self.chain(["and", "&&"], Self::unary, Predicate::And)
    }

    fn chain(
        &mut self,
        words: [&str; 2],
        parse: fn(&mut Self) -> Result<Predicate, Fault>,
        join: fn(Vec<Predicate>) -> Predicate,
    ) -> Result<Predicate, Fault> {
        let first = parse(self)?;
        let mut all = vec![first];
        while words.iter().any(|word| self.takes(word)) {
            all.push(parse(self)?);
        }
        match all.len() {
            1 => Ok(all.remove(0)),
            _ => Ok(join(all)),
        }
    }

    fn unary(&mut self) -> Result<Predicate, Fault> {
        if self.takes("not") || self.takes("!") {
            return self.deeper(|parser| Ok(!parser.unary()?));
        }
        if self.takes("(") {
            let inner = self.deeper(Self::or)?;
            self.require(")")?;
            return Ok(inner);
        }
        if self.takes("any") {
            let (path, condition) = self.items()?;
            return Ok(Predicate::any(path, condition));
        }
        if self.takes("all") {
            let (path, condition) = self.items()?;
            return Ok(Predicate::all(path, condition));
        }
        self.comparison()
    }

    /// `(path, condition)`
    fn items(&mut self) -> Result<(String, Predicate), Fault> {
        self.require("(")?;
        let path = self.path()?;
        self.require(",")?;
        let condition = self.deeper(Self::or)?;
        self.require(")")?;
        Ok((path, condition))
    }

    fn comparison(&mut self) -> Result<Predicate, Fault> {
        let begin = self.at();
        let left = self.operand()?;
        if let Some(comparison) = self.sign() {
            return Ok(left.compare(comparison, self.operand()?));
        }
        if self.takes("between") {
            let least = self.operand()?;
            self.require("and")?;
            return Ok(left.between(least, self.operand()?));
        }
        if self.takes("in") {
            return Ok(Predicate::In(left, self.list()?));
        }
        if self.takes("not") {
            self.require("in")?;
            return Ok(!Predicate::In(left, self.list()?));
        }
        if self.takes("is") {
            let is_not = self.takes("not");
            self.require("null")?;
            let Operand::Field(path) = left else {
                return Err(Fault::new(begin, "only a field is null"));
            };
            let is_null = Predicate::IsNull(path);
            return Ok(if is_not { !is_null } else { is_null });
        }
        match left {
            Operand::Literal(Literal::Bool(value)) => Ok(Predicate::Constant(value)),
            Operand::Field(_) => Ok(left.eq(true)),
            _ => Err(self.expected("a comparison")),
        }
    }

    fn sign(&mut self) -> Option<Comparison> {
        let comparison = match self.peek() {
            Kind::Sign("<") => Comparison::Less,
            Kind::Sign("<=") => Comparison::LessOrEqual,
            Kind::Sign("=" | "==") => Comparison::Equal,
            Kind::Sign("!=") => Comparison::NotEqual,
            Kind::Sign(">=") => Comparison::GreaterOrEqual,
            Kind::Sign(">") => Comparison::Greater,
            _ => return None,
        };
        self.next += 1;
        Some(comparison)
    }

    /// `(literal, ..)`
    fn list(&mut self) -> Result<Vec<Literal>, Fault> {
        self.require("(")?;
        let mut list = Vec::new();
        if self.takes(")") {
            return Ok(list);
        }
        loop {
            list.push(self.literal()?.ok_or_else(|| self.expected("a literal"))?);
            if !self.takes(",") {
                self.require(")")?;
                return Ok(list);
            }
        }
    }

    fn operand(&mut self) -> Result<Operand, Fault> {
        if self.takes("abs") {
            self.require("(")?;
            let operand = self.deeper(Self::operand)?;
            self.require(")")?;
            return Ok(operand.abs());
        }
        if self.takes("size") {
            self.require("(")?;
            let path = self.path()?;
            self.require(")")?;
            return Ok(Operand::Size(path));
        }
        if self.takes("count") {
            let (path, condition) = self.items()?;
            return Ok(Operand::count(path, condition));
        }
        match self.literal()? {
            Some(literal) => Ok(Operand::Literal(literal)),
            None => self.path().map(Operand::Field),
        }
    }

    fn literal(&mut self) -> Result<Option<Literal>, Fault> {
        let is_negative = self.takes("-");
        let is_number = is_negative || self.takes("+");
        let literal = match self.peek() {
            Kind::Int(number) => {
                let number = match is_negative {
                    true => 0i128.checked_sub_unsigned(*number),
                    false => i128::try_from(*number).ok(),
                };
                Literal::Int(number.ok_or_else(|| self.expected("an integer of 128 bits"))?)
            }
            Kind::Float(number) => Literal::Float(if is_negative { -number } else { *number }),
            Kind::Word(word) if word == "inf" => {
                Literal::Float(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY })
            }
            Kind::Word(word) if word == "nan" => Literal::Float(f64::NAN),
            _ if is_number => return Err(self.expected("a number")),
            Kind::Text(text) => Literal::String(text.clone()),
            Kind::Word(word) if word == "true" => Literal::Bool(true),
            Kind::Word(word) if word == "false" => Literal::Bool(false),
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(literal))
    }

    fn path(&mut self) -> Result<String, Fault> {
        if self.takes(ITEM) {
            return Ok(String::new());
        }
        let mut path = self.name("a value")?;
        while self.takes(".") {
            path.push('.');
            path.push_str(&self.name("a name")?);
        }
        Ok(path)
    }

    fn name(&mut self, wanted: &str) -> Result<String, Fault> {
        match self.peek() {
            Kind::Word(word) if !is_word(word) => {}
            Kind::Quoted(_) => {}
            _ => return Err(self.expected(wanted)),
        }
        match self.take() {
            Kind::Word(name) | Kind::Quoted(name) => Ok(name),
            _ => Err(self.expected(wanted)),
        }
    }
}

#[cfg(test)]
mod tests;
