//! Predicates as text, which can be parsed.

use std::fmt::{self, Display, Write as _};

use super::path::Shown;
use super::{Comparison, Literal, Operand, Predicate};

impl Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Compare(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
            Self::In(operand, list) => {
                write!(f, "{operand} in (")?;
                for (number, literal) in list.iter().enumerate() {
                    write!(f, "{}{literal}", if number == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::IsNull(path) => write!(f, "{} is null", Shown(path)),
            Self::Any(path, condition) => write!(f, "any({}, {condition})", Shown(path)),
            Self::All(path, condition) => write!(f, "all({}, {condition})", Shown(path)),
            Self::And(all) => join(f, all, " and ", "true"),
            Self::Or(all) => join(f, all, " or ", "false"),
            Self::Not(inner) => write!(f, "not {}", Inside(inner)),
        }
    }
}

/// A part of a larger condition: in parentheses, where it would fall apart.
struct Inside<'a>(&'a Predicate);

impl Display for Inside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Predicate::And(all) | Predicate::Or(all) if !all.is_empty() => write!(f, "({})", self.0),
            other => write!(f, "{other}"),
        }
    }
}

fn join(f: &mut fmt::Formatter<'_>, all: &[Predicate], word: &str, none: &str) -> fmt::Result {
    if all.is_empty() {
        return f.write_str(none);
    }
    for (number, one) in all.iter().enumerate() {
        write!(f, "{}{}", if number == 0 { "" } else { word }, Inside(one))?;
    }
    Ok(())
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(path) => write!(f, "{}", Shown(path)),
            Self::Literal(literal) => write!(f, "{literal}"),
            Self::Abs(operand) => write!(f, "abs({operand})"),
            Self::Size(path) => write!(f, "size({})", Shown(path)),
            Self::Count(path, condition) => write!(f, "count({}, {condition})", Shown(path)),
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::GreaterOrEqual => ">=",
            Self::Greater => ">",
        })
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) if value.is_nan() => f.write_str("nan"),
            // With a point or an exponent, which distinguish it from an integer.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(text) => {
                f.write_char('"')?;
                for c in text.chars() {
                    match c {
                        '"' | '\\' => write!(f, "\\{c}")?,
                        c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                        c => f.write_char(c)?,
                    }
                }
                f.write_char('"')
            }
        }
    }
}
