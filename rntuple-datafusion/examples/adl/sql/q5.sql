-- The missing transverse momentum of events that have two muons of opposite charge with a mass of 60 to 120 GeV.
SELECT met['pt'] AS met
FROM events
WHERE array_any_match(muons, a -> array_any_match(muons, b ->
    a['charge'] < b['charge']
    AND sqrt(2 * a['pt']::double * b['pt'] * (cosh(a['eta']::double - b['eta']) - cos(a['phi']::double - b['phi'])))
        BETWEEN 60 AND 120))
