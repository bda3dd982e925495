"""Files with the names of NanoAOD are events of coffea."""

import awkward as ak
import numpy as np
import pytest
from packages import needed

import rntuple

nanoevents = needed("coffea.nanoevents")

# It looks for references between collections that these files do not have.
pytestmark = pytest.mark.filterwarnings("ignore:Missing cross-reference index")


def equal(found, expected):
    """Whether values are the same. coffea adds descriptions to their types."""
    return ak.array_equal(ak.materialize(found), expected, check_parameters=False)


@pytest.fixture
def flat(tmp_path, array):
    count = ak.num(array.muons)
    muons = array.muons
    columns = {
        "run": np.ones(len(array), np.uint32),
        "luminosityBlock": np.ones(len(array), np.uint32),
        "event": array.number,
        "MET_pt": array.met,
        "MET_phi": ak.zeros_like(array.met),
        "nMuon": ak.values_astype(count, np.uint32),
        "Muon_pt": muons.pt,
        "Muon_eta": muons.pt / 100 - 1,
        "Muon_phi": muons.pt / 50 - 2,
        "Muon_mass": ak.zeros_like(muons.pt),
        "Muon_charge": muons.charge,
    }
    path = f"{tmp_path}/nano.root"
    rntuple.write(f"{path}:Events", ak.zip(columns, depth_limit=1))
    return path


@pytest.mark.parametrize("mode", ["eager", "virtual"])
def test_collections_are_vectors(flat, array, mode):
    factory = nanoevents.NanoEventsFactory.from_root({flat: "Events"}, schemaclass=nanoevents.NanoAODSchema, mode=mode)
    events = factory.events()
    assert equal(events.MET.pt, array.met)
    pairs = ak.combinations(events.Muon, 2, fields=["a", "b"])
    pairs = pairs[pairs.a.charge != pairs.b.charge]
    expected = ak.combinations(array.muons, 2, fields=["a", "b"])
    expected = expected[expected.a.charge != expected.b.charge]
    eta = (expected.a.pt - expected.b.pt) / 100
    phi = (expected.a.pt - expected.b.pt) / 50
    mass = np.sqrt(2 * expected.a.pt * expected.b.pt * (np.cosh(eta) - np.cos(phi)))
    found = ak.materialize((pairs.a + pairs.b).mass)
    assert ak.count(found) > 500
    assert np.allclose(ak.flatten(found), ak.flatten(mass), rtol=1e-3, atol=0.1)


# coffea 2026.9.0 asks uproot for the titles of fields, which uproot 5.7.7 has of TTree alone. `strict` says when that is over.
@pytest.mark.xfail(raises=AttributeError, strict=True, reason="uproot has no titles of RNTuple fields")
def test_collections_are_vectors_in_dask(flat, array):
    needed("dask_awkward")
    factory = nanoevents.NanoEventsFactory.from_root({flat: "Events"}, schemaclass=nanoevents.NanoAODSchema, mode="dask")
    events = factory.events()
    pt = events.Muon.pt[events.MET.pt > 20].compute(scheduler="threads")
    assert equal(pt, array.muons.pt[array.met > 20])


def test_structs_are_records(path, array):
    factory = nanoevents.NanoEventsFactory.from_root({str(path): "Events"}, schemaclass=nanoevents.BaseSchema, mode="eager")
    events = factory.events()
    assert equal(events.muons.pt, array.muons.pt)
    assert equal(events.met, array.met)
