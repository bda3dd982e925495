-- The pt of all jets.
SELECT unnest(array_transform(jets, jet -> jet['pt'])) AS pt
FROM events
