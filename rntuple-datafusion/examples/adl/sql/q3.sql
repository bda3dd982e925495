-- The pt of jets with |eta| < 1.
SELECT unnest(array_transform(array_filter(jets, jet -> abs(jet['eta']) < 1), jet -> jet['pt'])) AS pt
FROM events
