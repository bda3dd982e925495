-- The missing transverse momentum of all events.
SELECT met['pt'] AS met
FROM events
