use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Predicate {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn fault(text: &str) -> String {
    text.parse::<Predicate>().unwrap_err().message().to_owned()
}

#[test]
fn words_and_signs_mean_the_same() {
    assert_eq!(parse("a > 1 && !(b = 2 || c)"), parse("a > 1 and not (b == 2 or c == true)"));
    assert_eq!(parse("a between 1 and 2 and b"), parse("(a >= 1 and a <= 2) and b == true"));
    assert_eq!(parse("a not in (1, \"x\")"), !Operand::field("a").is_in([Literal::Int(1), "x".into()]));
    assert_eq!(parse("a.b is not null"), !Predicate::is_null("a.b"));
    assert_eq!(parse("`a b`.c < -1.5e3"), Operand::field("a b.c").lt(-1500.0));
    assert_eq!(parse("any(hits, item > 3)"), Predicate::any("hits", Operand::field("").gt(3)));
    assert_eq!(parse("x < -inf"), Operand::field("x").lt(f64::NEG_INFINITY));
    assert_eq!(parse("false"), Predicate::Constant(false));
}

#[test]
fn mistakes_have_a_place() {
    for (text, expected) in [
        ("", "character 1: the end where a value was expected"),
        ("met >", "character 6: the end where a value was expected"),
        ("met > 5 5", "character 9: 5 where `and`, `or` or the end was expected"),
        ("(met > 5", "character 9: the end where `)` was expected"),
        ("met ~ 5", "character 5: '~' has no meaning here"),
        ("met > 5x", "character 7: \"x\" after a number"),
        ("é > \"", "character 5: the text has no closing quote"),
        ("`a.b` > 1", "character 1: a name has no `.`: put each part of the path in backquotes"),
        ("size(x)", "character 8: the end where a comparison was expected"),
        ("5 is null", "character 1: only a field is null"),
        ("a == \"\\u{d800}\"", "character 7: `\\u{..}` has the number of a character, in hexadecimal digits"),
        (
            "a > 340282366920938463463374607431768211456",
            "character 5: the number 340282366920938463463374607431768211456 is too large for an integer; add `.0`",
        ),
    ] {
        let found = fault(text);
        assert!(found.ends_with(&format!(", {expected}")), "{text}: {found}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    for begin in ["(", "not ", "!", "any(a,", "abs(", "count(a,"] {
        let found = fault(&begin.repeat(10_000 / begin.len()));
        assert!(found.contains("over 64 levels deep"), "{begin}: {found}");
    }
    assert!(fault(&" ".repeat(LONGEST + 1)).contains("is too long"));
    // Long, but not deep.
    let wide = vec!["a > 1"; 5000].join(" and ");
    assert!(matches!(parse(&wide), Predicate::And(all) if all.len() == 5000));
}

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        any::<i128>().prop_map(Literal::Int),
        Just(Literal::Int(i128::MIN)),
        any::<f64>().prop_filter("unequal to itself", |float| !float.is_nan()).prop_map(Literal::Float),
        Just(Literal::Float(f64::INFINITY)),
        ".{0,6}".prop_map(Literal::String),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => "[a-z_][a-z0-9_:]{0,4}",
        1 => "[^.]{1,4}",
        1 => Just("and".to_owned()),
        1 => Just("item".to_owned()),
    ];
    prop_oneof![8 => prop::collection::vec(name, 1..3).prop_map(|names| names.join(".")), 1 => Just(String::new())]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison as C;
    prop::sample::select(vec![C::Less, C::LessOrEqual, C::Equal, C::NotEqual, C::GreaterOrEqual, C::Greater])
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let operand = || {
        let leaf = prop_oneof![
            path().prop_map(Operand::Field),
            literal().prop_map(Operand::Literal),
            path().prop_map(Operand::Size),
        ];
        leaf.prop_recursive(2, 3, 1, |inner| inner.prop_map(Operand::abs))
    };
    let leaf = prop_oneof![
        any::<bool>().prop_map(Predicate::Constant),
        (operand(), comparison(), operand())
            .prop_map(|(left, comparison, right)| Predicate::Compare(left, comparison, right)),
        (operand(), prop::collection::vec(literal(), 0..3))
            .prop_map(|(left, list)| Predicate::In(left, list)),
        path().prop_map(Predicate::IsNull),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let many = || prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            many().prop_map(Predicate::And),
            many().prop_map(Predicate::Or),
            inner.clone().prop_map(|inner| !inner),
            (path(), inner.clone()).prop_map(|(path, inner)| Predicate::any(path, inner)),
            (path(), inner.clone()).prop_map(|(path, inner)| Predicate::all(path, inner)),
            (path(), inner.clone(), comparison(), literal()).prop_map(
                |(path, inner, comparison, literal)| {
                    Operand::count(path, inner).compare(comparison, literal)
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_can_be_parsed(predicate in predicate()) {
        let text = predicate.to_string();
        let again: Predicate = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(again, predicate, "{}", text);
    }

    #[test]
    fn no_text_is_trouble(text in ".{0,40}") {
        let _ = text.parse::<Predicate>();
    }

    #[test]
    fn no_words_are_trouble(words in prop::collection::vec(prop::sample::select(vec![
        "a", "(", ")", ",", ".", "and", "or", "not", "any", "all", "count", "size", "abs", "in", "is", "null",
        "between", "<", "==", "-", "1", "2.5", "\"x\"", "`b c`", "item", "true", "nan", "inf",
    ]), 0..30)) {
        if let Ok(predicate) = words.join(" ").parse::<Predicate>() {
            prop_assert_eq!(predicate.to_string().parse::<Predicate>().unwrap().to_string(), predicate.to_string());
        }
    }
}
