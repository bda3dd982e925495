"""Files on XRootD and S3: what is read there is what a local file has, and what is written there is read."""

import pickle

import awkward as ak
import pytest

import rntuple
from conftest import events
from real_servers import Moto, Xrootd


@pytest.fixture(scope="module", params=[Xrootd, Moto], ids=["xrootd", "s3"])
def server(request):
    if request.param is Xrootd:
        server = Xrootd()
        yield server
        server.stop()
        return
    with pytest.MonkeyPatch.context() as monkeypatch:
        server = Moto(monkeypatch)
        yield server
        server.stop()


@pytest.fixture(scope="module")
def near(tmp_path_factory):
    """A local file of several clusters, with more bytes than the requests of opening bring."""
    path = tmp_path_factory.mktemp("near") / "a.root"
    rntuple.write(f"{path}:Events", events(60_000), compression="none", cluster_size=400_000)
    return path


def test_what_is_there_is_read(server, near):
    server.put(near, "runs/a.root")
    here, far = rntuple.open(near), rntuple.open(f"{server.url}runs/a.root:Events")
    assert far.num_entries == 60_000
    assert ak.array_equal(far.arrays(), here.arrays())
    assert ak.array_equal(far.arrays(entry_start=30_001, entry_stop=30_003), here.arrays()[30_001:30_003])
    steps = list(rntuple.iterate(f"{server.url}runs/a.root", step_size=25_000))
    assert [len(step) for step in steps] == [25_000, 25_000, 10_000]
    assert ak.array_equal(ak.concatenate(steps), here.arrays())
    part = pickle.loads(pickle.dumps(far.parts(2)[-1]))
    assert ak.array_equal(part.arrays(), here.arrays(entry_start=part.start))


def test_files_are_found_by_a_pattern(server, near):
    for name in ["found/run1.root", "found/run2.root", "found/other.root"]:
        server.put(near, name)
    far = rntuple.open(f"{server.url}found/run*.root:Events")
    assert far.num_entries == 120_000
    assert far["number"][60_007] == 7
    with pytest.raises(FileNotFoundError):
        rntuple.open(f"{server.url}found/none*.root")


def test_what_is_written_there_is_read(server, array):
    url = f"{server.url}written.root"
    assert rntuple.write(f"{url}:Events", array) == len(array)
    assert ak.array_equal(rntuple.open(url).arrays(), array)
    # Another one takes its place when it is complete.
    rntuple.write(f"{url}:Events", array[:7])
    assert ak.array_equal(rntuple.open(url).arrays(), array[:7])


def test_what_is_not_there_is_said(server):
    with pytest.raises(FileNotFoundError, match="none.root"):
        rntuple.open(f"{server.url}none.root:Events")
