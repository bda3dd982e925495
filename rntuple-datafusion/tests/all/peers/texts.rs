//! The queries, and where the SQL or the rows of others differ.

use crate::queries::QUERIES;

/// More queries whose rows have an order, or are one row: what the engines might see differently.
const MORE: &[&str] = &[
    "SELECT count(*), count(weight), min(weight), max(weight) FROM events WHERE met < 50",
    "SELECT number, met FROM events WHERE number < 1012 ORDER BY number",
    "SELECT number, met FROM events ORDER BY met, number LIMIT 4",
    "SELECT number, hits FROM events WHERE number < 1012 ORDER BY number",
    "SELECT number, muons FROM events WHERE number BETWEEN 2000 AND 2005 ORDER BY number",
    "SELECT number, decay FROM events WHERE number < 1006 ORDER BY number",
    "SELECT decay['tag'], count(*), sum(decay['_0']), max(decay['_1']) FROM events GROUP BY decay['tag'] ORDER BY decay['tag']",
    "SELECT number, decay['_0'] FROM events WHERE decay['_0'] IS NOT NULL AND decay['_1'] IS NULL AND number < 1010 ORDER BY number",
    "SELECT number, weight FROM events WHERE number < 1010 ORDER BY weight NULLS FIRST, number",
    "SELECT number, weight FROM events WHERE number < 1010 ORDER BY weight DESC NULLS LAST, number",
    "SELECT count(DISTINCT name), count(DISTINCT run) FROM events",
    "SELECT DISTINCT name FROM events ORDER BY name",
    "SELECT name, avg(weight), sum(weight) FROM events WHERE run = 2 GROUP BY name ORDER BY name",
    "SELECT CASE WHEN met > 50 THEN 'high' ELSE 'low' END AS side, count(*) FROM events GROUP BY side ORDER BY side",
    "SELECT number FROM events WHERE run = 1 AND met > 97 UNION ALL SELECT number FROM events WHERE run = 3 AND met > 97 ORDER BY number",
    "SELECT number, row_number() OVER (PARTITION BY run ORDER BY number DESC) AS place FROM events WHERE met > 97 ORDER BY number",
    "SELECT number FROM events WHERE met > (SELECT avg(met) FROM events WHERE met < 1000) AND number < 1030 ORDER BY number",
    "SELECT number, h FROM (SELECT number, unnest(hits) AS h FROM events WHERE number < 1020) WHERE h IS NOT NULL ORDER BY number, h",
    "SELECT run, max(h) FROM (SELECT run, unnest(hits) AS h FROM events) WHERE h < 1000 GROUP BY run ORDER BY run",
    "SELECT sum(m['pt']), count(*) FROM (SELECT unnest(muons) AS m FROM events WHERE run = 1) WHERE m['charge'] = 1",
    "SELECT number, cardinality(hits) FROM events WHERE number < 1010 ORDER BY number",
    "SELECT sum(cardinality(vertex['tracks'])) FROM events WHERE vertex['x'] > 100",
    "SELECT number FROM events WHERE name IN ('event 1', 'event 2') AND triggered AND run = 1 ORDER BY number LIMIT 9",
    "SELECT upper(name), length(name) FROM events WHERE number = 1003",
    "SELECT number, coalesce(weight, -1.5) FROM events WHERE number < 1007 ORDER BY number",
];

/// All queries.
pub(crate) fn queries() -> impl Iterator<Item = &'static str> {
    QUERIES.iter().chain(MORE).copied()
}

/// What an engine has for a query.
pub(crate) enum Said {
    Same,
    Other(&'static [&'static str]),
}

/// An engine, and how it differs.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    /// Functions and signs of other names.
    names: &'static [(&'static str, &'static str)],
    /// Queries in other words.
    words: &'static [(&'static str, &'static str)],
    /// What it has no words for.
    missing: &'static [&'static str],
    /// Queries with other rows.
    differs: &'static [(&'static str, &'static [&'static str])],
}

impl Engine {
    /// Returns a query in the engine's words, and what its rows are; `None` if it has no words for it.
    pub(crate) fn text(&self, query: &str) -> Option<(String, Said)> {
        if self.missing.iter().any(|missing| query.contains(missing)) {
            return None;
        }
        let words = self.words.iter().find(|(known, _)| *known == query).map_or(query, |(_, words)| words);
        let text = self.names.iter().fold(words.to_owned(), |text, (from, to)| text.replace(from, to));
        let other = self.differs.iter().find(|(known, _)| *known == query);
        Some((text, other.map_or(Said::Same, |(_, rows)| Said::Other(rows))))
    }
}

pub(crate) const DUCKDB: Engine = Engine {
    name: "duckdb",
    names: &[("cardinality(", "len("), ("array_sum(", "list_sum(")],
    words: &[
        (
            "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 415) ORDER BY number",
            "SELECT number FROM events WHERE len(list_filter(muons, m -> m['pt'] > 415)) > 0 ORDER BY number",
        ),
        (
            "SELECT number FROM events WHERE array_any_match(hits, h -> h > 400) ORDER BY number",
            "SELECT number FROM events WHERE len(list_filter(hits, h -> h > 400)) > 0 ORDER BY number",
        ),
    ],
    missing: &[],
    differs: &[
        // Zeros are equal there, so either is the least, and their order is that of the numbers; here -0.0 is less.
        ("SELECT count(*), sum(number), min(met), max(met) FROM events", &["1200 | 2639400 | 0e0 | NaN"]),
        (
            "SELECT number, met FROM events ORDER BY met, number LIMIT 4",
            &["1000 | 0e0", "1008 | -0e0", "1009 | 0e0", "1058 | -0e0"],
        ),
    ],
};

pub(crate) const POLARS: Engine = Engine {
    name: "polars",
    names: &[("cardinality(", "array_length("), ("array_has(", "array_contains("), ("['", "."), ("']", "")],
    words: &[
        (
            "SELECT number FROM events WHERE isnan(met) ORDER BY number",
            "SELECT number FROM events WHERE met = 'NaN'::float ORDER BY number",
        ),
        (
            "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 415) ORDER BY number",
            "SELECT DISTINCT number FROM (SELECT number, unnest(muons) AS m FROM events) WHERE m.pt > 415 ORDER BY number",
        ),
        (
            "SELECT number FROM events WHERE array_any_match(hits, h -> h > 400) ORDER BY number",
            "SELECT DISTINCT number FROM (SELECT number, unnest(hits) AS h FROM events) WHERE h > 400 ORDER BY number",
        ),
        (
            "SELECT number, muons[1]['pt'] FROM events WHERE cardinality(muons) > 0 ORDER BY number LIMIT 4",
            "SELECT number, m.pt FROM (SELECT number, muons[1] AS m FROM events WHERE array_length(muons) > 0) ORDER BY number LIMIT 4",
        ),
    ],
    // No lambdas, no elements of arrays of fixed size, and no members of what a subscript gives.
    missing: &["array_filter", "array_transform", "position[", "FILTER (WHERE muons[1]"],
    differs: &[
        // NaN is not the greatest there, although it is in `met > 1000` and in `ORDER BY met`.
        ("SELECT count(*), sum(number), min(met), max(met) FROM events", &["1200 | 2639400 | 0e0 | 9.8e1"]),
        // As in DuckDB.
        (
            "SELECT number, met FROM events ORDER BY met, number LIMIT 4",
            &["1000 | 0e0", "1008 | -0e0", "1009 | 0e0", "1058 | -0e0"],
        ),
        // Of an empty list there is a row with a null.
        (
            "SELECT number, m['pt'] AS pt FROM (SELECT number, unnest(muons) AS m FROM events WHERE number < 1006) ORDER BY number, pt",
            &[
                "1000 | null",
                "1001 | 1e0",
                "1002 | 2e0",
                "1002 | 1.2e1",
                "1003 | 3e0",
                "1003 | 1.3e1",
                "1003 | 2.3e1",
                "1004 | null",
                "1005 | 5e0",
            ],
        ),
    ],
};

/// Queries of one file, and the same rows as an expression of Python over its events.
pub(crate) const UPROOT: &[(&str, &str)] = &[
    ("SELECT count(*), sum(number) FROM events", "[(len(events), int(ak.sum(events.number)))]"),
    (
        "SELECT number, met FROM events WHERE met > 90 ORDER BY number",
        "zip(*(x[~(events.met <= 90)].tolist() for x in (events.number, events.met)))",
    ),
    (
        "SELECT number, array_transform(muons, m -> m['pt']) FROM events WHERE number % 97 = 3 ORDER BY number",
        "zip(*(x[events.number % 97 == 3].tolist() for x in (events.number, events.muons.pt)))",
    ),
    (
        "SELECT number, array_transform(array_filter(muons, m -> m['charge'] < 0), m -> m['eta']) FROM events ORDER BY number",
        "zip(events.number.tolist(), events.muons.eta[events.muons.charge < 0].tolist())",
    ),
    ("SELECT sum(cardinality(muons)) FROM events", "[(int(ak.sum(ak.num(events.muons))),)]"),
    (
        "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 415) ORDER BY number",
        "zip(events.number[ak.any(events.muons.pt > 415, axis=1)].tolist())",
    ),
    (
        "SELECT number, weight FROM events WHERE number < 1030 ORDER BY number",
        "zip(events.number[:30].tolist(), events.weight[:30].tolist())",
    ),
    (
        "SELECT vertex, hits, position FROM events WHERE number < 1010 ORDER BY number",
        "zip(*(x[:10].tolist() for x in (events.vertex, events.hits, events.position)))",
    ),
];
