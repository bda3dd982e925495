//! `rename`, `rename_all`, `rename_all_fields`, `alias`, `description`, `unit`.

use rntuple::RNTuple;

use super::common::{
    evolve, field, list, many, names, open, refused, round_trip, schema_of, text, unwritable, write,
};

#[test]
fn members_have_other_names_in_files() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(rename_all = "camelCase")]
    struct Event {
        event_number: u64,
        #[rntuple(rename = "pT")]
        transverse_momentum: f32,
        hit_list: Vec<Hit>,
        r#type: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Hit {
        #[rntuple(rename = "e")]
        energy: f32,
    }
    let events = many(|n| Event {
        event_number: n,
        transverse_momentum: n as f32,
        hit_list: list(n, |i| Hit { energy: i as f32 }),
        r#type: n as u8,
    });
    round_trip(&events);
    let schema = schema_of(&events[1]);
    let expected = ["eventNumber", "pT", "hitList", "hitList._0", "hitList._0.e", "type"];
    assert_eq!(names(&schema), expected);

    // What is not called so in the file is not there.
    #[derive(RNTuple)]
    struct Own {
        event_number: u64,
    }
    let told = refused::<Own>(&write(&events));
    assert_eq!(told, [("event_number".into(), "no such field".into(), "u64".into())]);
}

macro_rules! rules {
    ($($rule:ident = $name:literal: $member:literal, $variant:literal;)*) => {$(
        #[test]
        fn $rule() {
            #[derive(RNTuple, Clone, Debug, PartialEq)]
            #[rntuple(rename_all = $name)]
            struct Event {
                very_tasty: u8,
                x1: Choice,
                z: Level,
                #[rntuple(rename = "as_it_is")]
                other_one: u8,
            }
            #[derive(RNTuple, Clone, Debug, PartialEq)]
            #[rntuple(rename_all = $name)]
            enum Choice {
                VeryTasty(u8),
                #[rntuple(rename = "AsItIs")]
                Other,
            }
            #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
            #[rntuple(rename_all = $name)]
            #[repr(u8)]
            enum Level {
                VeryTasty = 3,
                #[rntuple(rename = "AsItIs")]
                Other = 5,
            }
            let events = many(|n| Event {
                very_tasty: n as u8,
                x1: if n.is_multiple_of(3) { Choice::Other } else { Choice::VeryTasty(n as u8) },
                z: if n.is_multiple_of(2) { Level::Other } else { Level::VeryTasty },
                other_one: 1,
            });
            round_trip(&events);
            let schema = schema_of(&events[0]);
            let top: Vec<_> =
                schema.top_level().iter().map(|&id| schema.field(id).unwrap().name.clone()).collect();
            assert_eq!((&*top[0], &*top[3]), ($member, "as_it_is"));
            let description = |path: &str| {
                let path = path.replace("x1", &top[1]).replace("z", &top[2]);
                field(&schema, &path).description
            };
            assert_eq!([description("x1._0"), description("x1._1")], [$variant, "AsItIs"]);
            assert_eq!(description("z"), concat!($variant, " = 3, AsItIs = 5"));
        }
    )*};
}

rules! {
    lowercase = "lowercase": "very_tasty", "verytasty";
    uppercase = "UPPERCASE": "VERY_TASTY", "VERYTASTY";
    pascal = "PascalCase": "VeryTasty", "VeryTasty";
    camel = "camelCase": "veryTasty", "veryTasty";
    snake = "snake_case": "very_tasty", "very_tasty";
    screaming_snake = "SCREAMING_SNAKE_CASE": "VERY_TASTY", "VERY_TASTY";
    kebab = "kebab-case": "very-tasty", "very-tasty";
    screaming_kebab = "SCREAMING-KEBAB-CASE": "VERY-TASTY", "VERY-TASTY";
}

#[test]
fn members_of_variants_follow_the_nearest_rule() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(rename_all_fields = "camelCase")]
    enum Hit {
        Strip {
            strip_number: u32,
        },
        #[rntuple(rename_all = "SCREAMING_SNAKE_CASE")]
        Pixel {
            row_number: u16,
            #[rntuple(rename = "column")]
            column_number: u16,
        },
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        hit: Hit,
    }
    let events = many(|n| Event {
        hit: match n % 3 {
            0 => Hit::Strip { strip_number: n as u32 },
            _ => Hit::Pixel { row_number: n as u16, column_number: 7 },
        },
    });
    round_trip(&events);
    let expected = ["hit", "hit._0", "hit._0.stripNumber", "hit._1", "hit._1.ROW_NUMBER", "hit._1.column"];
    assert_eq!(names(&schema_of(&events[0])), expected);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Momentum {
    #[rntuple(alias = "pT", alias = "transverse")]
    pt: f32,
    #[rntuple(alias = "name")]
    label: String,
}

#[test]
fn aliases_are_names_that_files_may_have() {
    #[derive(RNTuple, Clone)]
    #[expect(non_snake_case, reason = "as in the file")]
    struct Older {
        pT: f32,
        name: String,
    }
    #[derive(RNTuple, Clone)]
    struct Oldest {
        label: String,
        transverse: f64,
    }
    let new = many(|n| Momentum { pt: n as f32, label: text(n) });
    round_trip(&new);
    assert_eq!(names(&schema_of(&new[0])), ["pt", "label"]);
    evolve(&many(|n| Older { pT: n as f32, name: text(n) }), &new);
    evolve(&many(|n| Oldest { label: text(n), transverse: n as f64 }), &new);
}

#[test]
fn the_own_name_comes_before_aliases_and_these_in_their_order() {
    #[derive(RNTuple, Clone)]
    #[expect(non_snake_case, reason = "as in the file")]
    struct All {
        transverse: f32,
        pT: f32,
        pt: f32,
        name: String,
        label: String,
    }
    #[derive(RNTuple, Clone)]
    #[expect(non_snake_case, reason = "as in the file")]
    struct Two {
        transverse: f32,
        pT: f32,
        name: String,
    }
    let new = many(|n| Momentum { pt: n as f32, label: text(n) });
    let all = |n| All { transverse: -1.0, pT: -2.0, pt: n as f32, name: "no".into(), label: text(n) };
    evolve(&many(all), &new);
    evolve(&many(|n| Two { transverse: -1.0, pT: n as f32, name: text(n) }), &new);
}

#[test]
fn a_missing_member_is_told_by_its_own_name() {
    #[derive(RNTuple)]
    struct Other {
        label: String,
    }
    let told = refused::<Momentum>(&write(&[Other { label: text(1) }]));
    assert_eq!(told, [("pt".into(), "no such field".into(), "f32".into())]);
}

#[test]
fn descriptions_are_doc_comments_or_what_replaces_them() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        /// Missing transverse energy,
        /// without muons.
        met: f32,
        /// For programmers.
        #[rntuple(description = "for physicists")]
        sum: f32,
        plain: f32,
        shape: Shape,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Shape {
        /// Round.
        Circle {
            /// Of the circle.
            radius: f32,
        },
        /// For programmers.
        #[rntuple(description = "four sides", rename = "Quadrangle")]
        Square(f32),
        Line(
            /// Its length.
            f32,
        ),
    }
    let events = many(|n| Event {
        met: n as f32,
        sum: 1.0,
        plain: 2.0,
        shape: match n % 3 {
            0 => Shape::Circle { radius: 0.5 },
            1 => Shape::Square(n as f32),
            _ => Shape::Line(-1.0),
        },
    });
    round_trip(&events);
    let schema = schema_of(&events[0]);
    for (path, text) in [
        ("met", "Missing transverse energy,\nwithout muons."),
        ("sum", "for physicists"),
        ("plain", ""),
        ("shape._0", "Circle: Round."),
        ("shape._0.radius", "Of the circle."),
        ("shape._1", "Quadrangle: four sides"),
        ("shape._2", "Line: Its length."),
    ] {
        assert_eq!(field(&schema, path).description, text, "{path}");
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Energies {
    /// Sum
    #[rntuple(unit = "GeV")]
    sum: f32,
    #[rntuple(unit = "GeV")]
    each: Vec<f32>,
    /// Said twice [mm]
    #[rntuple(unit = "mm")]
    distance: f64,
}

#[test]
fn units_stand_behind_descriptions() {
    let events = many(|n| Energies { sum: n as f32, each: list(n, |i| i as f32), distance: 1.0 });
    round_trip(&events);
    let schema = schema_of(&events[0]);
    for (path, text, unit) in
        [("sum", "Sum [GeV]", "GeV"), ("each", "[GeV]", "GeV"), ("distance", "Said twice [mm]", "mm")]
    {
        let field = field(&schema, path);
        assert_eq!((&*field.description, field.unit()), (text, Some(unit)));
    }
}

#[test]
fn other_units_are_refused_and_none_is_taken() {
    #[derive(RNTuple, Clone)]
    struct Silent {
        sum: f32,
        /// In the direction of the beam
        each: Vec<f32>,
        distance: f64,
    }
    #[derive(RNTuple)]
    struct Other {
        /// Sum [MeV]
        sum: f32,
        #[rntuple(unit = "GeV")]
        each: Vec<f32>,
        #[rntuple(unit = "cm")]
        distance: f64,
    }
    let new = many(|n| Energies { sum: n as f32, each: list(n, |i| i as f32), distance: 1.0 });
    let old = many(|n| Silent { sum: n as f32, each: list(n, |i| i as f32), distance: 1.0 });
    evolve(&old, &new);
    let told = refused::<Energies>(&write(&[Other { sum: 1.0, each: vec![], distance: 1.0 }]));
    let in_words = |field: &str, found: &str, wanted: &str| {
        (field.to_owned(), format!("values in {found}"), format!("values in {wanted}"))
    };
    assert_eq!(told, [in_words("sum", "MeV", "GeV"), in_words("distance", "cm", "mm")]);
    // Whoever states no unit reads any.
    assert_eq!(open::<Silent>(&write(&new)).unwrap().entry_count().unwrap(), new.len() as u64);
}

#[test]
fn a_description_and_a_unit_agree() {
    #[derive(RNTuple)]
    struct Contradiction {
        /// Energy [MeV]
        #[rntuple(unit = "GeV")]
        energy: f32,
    }
    let text = unwritable::<Contradiction>();
    assert!(text.contains("energy") && text.contains("MeV") && text.contains("GeV"), "{text}");
}
