use datafusion::prelude::SessionContext;
use rntuple_datafusion::TableOptions;

use crate::sample::{context, in_memory, rows, tables, write};

/// Queries whose rows have an order, or are one row.
pub(crate) const QUERIES: &[&str] = &[
    "SELECT count(*) FROM events",
    "SELECT count(*), sum(number), min(met), max(met) FROM events",
    "SELECT run, count(*), sum(number) FROM events GROUP BY run ORDER BY run",
    "SELECT number, met FROM events WHERE met > 90 ORDER BY number",
    "SELECT number FROM events WHERE met < 0.0 ORDER BY number",
    "SELECT number FROM events WHERE met <= -0.0 ORDER BY number",
    "SELECT number FROM events WHERE met = 0.0 ORDER BY number",
    "SELECT number FROM events WHERE met > 0.0 AND met < 5 ORDER BY number",
    "SELECT number FROM events WHERE met <> 0.0 AND number < 1020 ORDER BY number",
    "SELECT number FROM events WHERE NOT (met > 3) ORDER BY number",
    "SELECT number FROM events WHERE isnan(met) ORDER BY number",
    "SELECT number FROM events WHERE met = 'NaN'::float ORDER BY number",
    "SELECT number FROM events WHERE met > 1000 ORDER BY number",
    "SELECT number, name FROM events WHERE number BETWEEN 2105 AND 2109 ORDER BY number",
    "SELECT number FROM events WHERE number IN (1001, 2002, 3003, 9999) ORDER BY number",
    "SELECT number FROM events WHERE number NOT IN (1001, 2002) AND number < 1004 ORDER BY number",
    "SELECT number FROM events WHERE run = 2 AND number > 2390 OR number = 1000 ORDER BY number",
    "SELECT number FROM events WHERE triggered AND number < 1020 ORDER BY number",
    "SELECT number FROM events WHERE NOT triggered AND number < 1010 ORDER BY number",
    "SELECT number FROM events WHERE name = 'event 7' AND run = 1 ORDER BY number",
    "SELECT number FROM events WHERE name LIKE '%1_' AND run = 3 ORDER BY number LIMIT 5",
    "SELECT number, weight FROM events WHERE weight IS NULL AND number < 1030 ORDER BY number",
    "SELECT number FROM events WHERE weight IS NOT NULL AND weight > 395 ORDER BY number",
    "SELECT count(weight), avg(weight) FROM events",
    "SELECT number FROM events WHERE weight + 1 > 398 ORDER BY number",
    "SELECT number, vertex['x'] FROM events WHERE vertex['x'] > 132 ORDER BY number",
    "SELECT number, cardinality(muons) FROM events WHERE cardinality(muons) > 2 AND run = 1 ORDER BY number LIMIT 7",
    "SELECT sum(cardinality(muons)) FROM events",
    "SELECT number, array_transform(muons, m -> m['pt']) FROM events WHERE number % 97 = 3 ORDER BY number",
    "SELECT number, array_transform(array_filter(muons, m -> m['charge'] < 0), m -> m['eta']) FROM events WHERE number < 1009 ORDER BY number",
    "SELECT number, cardinality(array_filter(muons, m -> m['pt'] > 300)) FROM events WHERE cardinality(array_filter(muons, m -> m['charge'] < 0)) >= 2 ORDER BY number",
    "SELECT number, array_transform(array_filter(muons, m -> m['pt'] > vertex['x']), m -> m['eta'] + vertex['x']) FROM events WHERE run = 1 ORDER BY number",
    "SELECT number, array_filter(muons, m -> m['pt'] > 200)[1]['eta'], array_slice(muons, 1, 2)[2]['charge'] FROM events WHERE run = 2 ORDER BY number",
    "SELECT number, cardinality(array_filter(muons, m -> cardinality(array_filter(muons, n -> n['charge'] <> m['charge'])) > 0)) FROM events WHERE run = 3 ORDER BY number",
    "SELECT number, array_transform(muons, m -> cardinality(array_filter(muons, m -> m['pt'] > 250)) > 0 AND m['charge'] > 0) FROM events WHERE run = 1 ORDER BY number",
    "SELECT number, muons FROM events WHERE cardinality(array_filter(muons, m -> m['pt'] > 300)) = 1 ORDER BY number",
    "SELECT number, array_reverse(array_filter(muons, m -> m['pt'] > 300)) FROM events WHERE cardinality(muons) = 2 ORDER BY number",
    "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 415) ORDER BY number",
    "SELECT number FROM events WHERE array_any_match(hits, h -> h > 400) ORDER BY number",
    "SELECT number, array_sum(hits) FROM events WHERE cardinality(hits) = 3 ORDER BY number LIMIT 10",
    "SELECT number, muons FROM events WHERE number = 1003",
    "SELECT number, muons[1]['pt'] FROM events WHERE cardinality(muons) > 0 ORDER BY number LIMIT 4",
    "SELECT * FROM events WHERE number IN (1001, 3399) ORDER BY number",
    "SELECT number FROM events ORDER BY met DESC, number LIMIT 5",
    "SELECT number FROM events ORDER BY number DESC LIMIT 5",
    "SELECT name, count(*) AS n FROM events GROUP BY name HAVING count(*) > 90 ORDER BY name",
    "SELECT a.number FROM events a JOIN events b ON a.number = b.number + 1 WHERE b.met > 95 ORDER BY a.number",
    "SELECT count(*) FROM events a JOIN (SELECT number FROM events WHERE number > 3395) b ON a.number = b.number",
    "SELECT number, m['pt'] AS pt FROM (SELECT number, unnest(muons) AS m FROM events WHERE number < 1006) ORDER BY number, pt",
    "SELECT number, position[3] FROM events WHERE position[1] > 397 ORDER BY number",
    "SELECT number, decay['_1'] FROM events WHERE decay['tag'] = 2 AND number > 3390 ORDER BY number",
    "SELECT vertex FROM events WHERE number = 2005",
    "SELECT number, vertex['tracks'] FROM events WHERE array_has(vertex['tracks'], 1) AND number < 1010 ORDER BY number",
    "SELECT run FROM events WHERE false",
    "SELECT 1 FROM events WHERE number = 1001",
    "SELECT count(*) FROM events WHERE met > 50",
    "SELECT number, count(*) FILTER (WHERE muons[1]['pt'] > 300) OVER () AS n FROM events WHERE number < 1004 OR number > 3397 ORDER BY number",
    "SELECT number, sum(number) FILTER (WHERE muons[1]['eta'] < 0) OVER (PARTITION BY run ORDER BY number ROWS 2 PRECEDING) FROM events WHERE number % 50 = 2 ORDER BY number",
    "SELECT corr(number, vertex['x']) > 0.5, stddev(met) IS NULL FROM events WHERE met < 50",
];

async fn compare(files: &SessionContext, memory: &SessionContext) {
    let mut with_rows = 0;
    for query in QUERIES {
        let expected = rows(memory, query).await;
        let found = rows(files, query).await;
        assert_eq!(found, expected, "{query}");
        with_rows += usize::from(!expected.is_empty());
    }
    // Queries without rows compare nothing.
    assert!(with_rows + 3 >= QUERIES.len(), "{with_rows} of {} queries have rows", QUERIES.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sql_gives_what_it_gives_over_the_rows_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let memory = context(1, 8192);
    let schema = tables(&context(1, 8192), &paths, TableOptions::new()).await;
    in_memory(&memory, &paths, &schema);
    for (partitions, batch_size) in [(1, 8192), (4, 8192), (7, 13), (64, 100)] {
        let files = context(partitions, batch_size);
        tables(&files, &paths, TableOptions::new()).await;
        compare(&files, &memory).await;
    }
}

#[tokio::test]
async fn members_of_lists_are_columns_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(2, 100);
    let schema = tables(&context, &paths[..1], TableOptions::new().leaves(true)).await;
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert!(
        names.contains(&"muons.pt") && names.contains(&"vertex.tracks") && !names.contains(&"muons"),
        "{names:?}"
    );
    let query = r#"SELECT number, "muons.pt", "vertex.x" FROM events
        WHERE array_any_match("muons.pt", pt -> pt > 415) ORDER BY number"#;
    assert_eq!(rows(&context, query).await, ["1399 | [399.0, 409.0, 419.0] | 133.0"]);
    let query = r#"SELECT sum(cardinality("muons.charge")), sum(array_length("vertex.tracks")) FROM events"#;
    assert_eq!(rows(&context, query).await, ["600 | 399"]);
}

#[tokio::test]
async fn zeros_are_equal_and_have_an_order() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..1], TableOptions::new()).await;
    // Of event 8 it is -0.0, of event 9 it is 0.0.
    let zeros = "FROM events WHERE number BETWEEN 1008 AND 1009";
    for (query, expected) in [
        (format!("SELECT number {zeros} AND met = 0.0 ORDER BY number"), &["1008", "1009"][..]),
        (format!("SELECT number {zeros} AND met < 0.0"), &[]),
        (format!("SELECT number {zeros} AND met <> -0.0"), &[]),
        (format!("SELECT number {zeros} ORDER BY met DESC"), &["1009", "1008"]),
        (format!("SELECT min(met), max(met) {zeros}"), &["-0.0 | 0.0"]),
    ] {
        assert_eq!(rows(&context, &query).await, *expected, "{query}");
    }
}
