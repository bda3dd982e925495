-- The sum of pt of jets with pt > 30 GeV that have no lepton with pt > 10 GeV within 0.4, of events with such jets.
WITH good AS (
    SELECT event, unnest(array_filter(jets, jet -> jet['pt'] > 30)) AS jet, array_filter(array_concat(
        array_transform(muons, m -> {'pt': m['pt'], 'eta': m['eta'], 'phi': m['phi']}),
        array_transform(electrons, e -> {'pt': e['pt'], 'eta': e['eta'], 'phi': e['phi']})), l -> l['pt'] > 10) AS leptons
    FROM events
), apart AS (
    SELECT event, jet, array_transform(leptons, l -> {
        'eta': jet['eta']::double - l['eta'],
        'phi': acos(cos(jet['phi']::double - l['phi']))
    }) AS distances
    FROM good
)
SELECT sum(jet['pt']) AS sum_pt
FROM apart
WHERE NOT array_any_match(distances, d -> d['eta'] * d['eta'] + d['phi'] * d['phi'] < 0.16)
GROUP BY event
