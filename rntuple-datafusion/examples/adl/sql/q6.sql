-- Of the three jets whose mass is closest to 172.5 GeV: their pt together, and the highest b-tag.
WITH numbered AS (
    SELECT event, arrays_zip(range(0, cardinality(jets)), array_transform(jets, jet -> {
        'px': jet['pt'] * cos(jet['phi']::double),
        'py': jet['pt'] * sin(jet['phi']::double),
        'pz': jet['pt'] * sinh(jet['eta']::double),
        'e': sqrt((jet['pt'] * cosh(jet['eta']::double)) * (jet['pt'] * cosh(jet['eta']::double))
            + jet['mass']::double * jet['mass']),
        'btag': jet['btag']
    })) AS jets
    FROM events
    WHERE cardinality(jets) >= 3
), one AS (
    SELECT event, jets, unnest(jets) AS first FROM numbered
), two AS (
    SELECT event, jets, first['2'] AS a, unnest(array_filter(jets, jet -> jet['1'] > first['1'])) AS second FROM one
), three AS (
    SELECT event, a, second['2'] AS b, unnest(array_filter(jets, jet -> jet['1'] > second['1']))['2'] AS c FROM two
), sums AS (
    SELECT event,
        a['px'] + b['px'] + c['px'] AS px,
        a['py'] + b['py'] + c['py'] AS py,
        a['pz'] + b['pz'] + c['pz'] AS pz,
        a['e'] + b['e'] + c['e'] AS e,
        greatest(a['btag'], b['btag'], c['btag']) AS btag
    FROM three
), candidates AS (
    SELECT event, abs(sqrt(e * e - px * px - py * py - pz * pz) - 172.5) AS distance, sqrt(px * px + py * py) AS pt, btag
    FROM sums
)
SELECT DISTINCT ON (event) pt, btag
FROM candidates
ORDER BY event, distance
