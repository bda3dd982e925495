-- The transverse mass of the missing momentum and a lepton, of events with three leptons: the leading one that is not in the
-- pair of the same flavour and opposite charge whose mass is closest to 91.2 GeV.
WITH leptons AS (
    SELECT event, met, array_concat(
        array_transform(muons, m ->
            {'pt': m['pt'], 'eta': m['eta'], 'phi': m['phi'], 'charge': m['charge'], 'flavour': 13}),
        array_transform(electrons, e ->
            {'pt': e['pt'], 'eta': e['eta'], 'phi': e['phi'], 'charge': e['charge'], 'flavour': 11})) AS leptons
    FROM events
    WHERE cardinality(muons) + cardinality(electrons) >= 3
), numbered AS (
    SELECT event, met, arrays_zip(range(0, cardinality(leptons)), leptons) AS leptons FROM leptons
), one AS (
    SELECT event, met, leptons, unnest(leptons) AS first FROM numbered
), two AS (
    SELECT event, met, leptons, first, unnest(array_filter(leptons, l ->
        l['2']['flavour'] = first['2']['flavour'] AND l['2']['charge'] > first['2']['charge'])) AS second FROM one
), pairs AS (
    SELECT event, met, first['2'] AS a, second['2'] AS b,
        array_filter(leptons, l -> l['1'] <> first['1'] AND l['1'] <> second['1']) AS others
    FROM two
), candidates AS (
    SELECT event, met, others, abs(sqrt(2 * a['pt']::double * b['pt']
        * (cosh(a['eta']::double - b['eta']) - cos(a['phi']::double - b['phi']))) - 91.2) AS distance
    FROM pairs
), best AS (
    SELECT DISTINCT ON (event) met, array_sort(array_transform(others, l ->
        {'pt': l['2']['pt']::double, 'phi': l['2']['phi']::double}), 'DESC')[1] AS other
    FROM candidates
    ORDER BY event, distance
)
SELECT sqrt(2 * met['pt'] * other['pt'] * (1 - cos(met['phi'] - other['phi']))) AS mass
FROM best
