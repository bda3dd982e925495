//! Values in the form that the peers give them in, and their comparison.

use serde_json::{Map, Value as Json};

/// A floating-point number; those that are not finite are strings.
pub(crate) fn float(value: f64) -> Json {
    serde_json::Number::from_f64(value).map_or_else(|| Json::String(not_finite(value).into()), Json::Number)
}

fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A record.
pub(crate) fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// The member of a record, null if there is none.
pub(crate) fn member<'a>(record: &'a Json, name: &str) -> &'a Json {
    record.get(name).unwrap_or(&Json::Null)
}

/// A variant whose alternative `tag`, counted from 1, is active.
pub(crate) fn variant(tag: u64, value: Json) -> Json {
    object([("variant", tag.into()), ("value", value)])
}

/// Equality that tells 1 from 1.0, and 0.0 from -0.0.
pub(crate) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) if a.is_f64() && b.is_f64() => x.to_bits() == y.to_bits(),
            _ => a == b,
        },
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Where two values differ, and how.
pub(crate) fn difference(expected: &Json, found: &Json, path: &str) -> Option<String> {
    if same(expected, found) {
        return None;
    }
    match (expected, found) {
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            let items = a.iter().zip(b).enumerate();
            items.filter_map(|(index, (a, b))| difference(a, b, &format!("{path}[{index}]"))).next()
        }
        (Json::Object(a), Json::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort();
            let [a, b] = [a, b].map(|object| move |key: &str| object.get(key).unwrap_or(&Json::Null));
            keys.into_iter().filter_map(|key| difference(a(key), b(key), &format!("{path}.{key}"))).next()
        }
        _ => Some(format!("{path}: expected {}, found {}", shown(expected), shown(found))),
    }
}

fn shown(value: &Json) -> String {
    let text = value.to_string();
    if text.chars().count() <= 100 { text } else { text.chars().take(97).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equality_is_strict() {
        assert!(!same(&json!(1), &json!(1.0)));
        assert!(!same(&json!([0.0]), &json!([-0.0])));
        assert!(!same(&json!({"a": 1}), &json!({"a": 1, "b": 1})));
        assert!(same(&json!({"a": [1.5, "NaN"]}), &json!({"a": [1.5, "NaN"]})));
        assert!(!same(&json!(true), &json!(1)));
    }

    #[test]
    fn differences_have_a_place() {
        let (a, b) = (json!([{"x": [1, 2]}]), json!([{"x": [1, 3]}]));
        assert_eq!(difference(&a, &b, "field").unwrap(), "field[0].x[1]: expected 2, found 3");
        assert_eq!(difference(&a, &a, "field"), None);
        let (a, b) = (json!({"x": 1}), json!({"x": 1, "y": 2}));
        assert_eq!(difference(&a, &b, "field").unwrap(), "field.y: expected null, found 2");
    }
}
