-- The missing transverse momentum of events that have at least two jets with pt > 40 GeV.
SELECT met['pt'] AS met
FROM events
WHERE cardinality(array_filter(jets, jet -> jet['pt'] > 40)) >= 2
