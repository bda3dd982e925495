"""Files on XRootD and S3: what is read there is what a local file has, and what is written there is read."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import traceback

import awkward as ak
import pytest

import rntuple
from conftest import events
from real_servers import Moto, Nginx, Xrootd


@pytest.fixture(scope="module", params=["xrootd", "xrootd-tls", "s3"])
def server(request):
    with pytest.MonkeyPatch.context() as monkeypatch:
        server = Moto(monkeypatch) if request.param == "s3" else Xrootd(tls=request.param == "xrootd-tls")
        if request.param == "xrootd-tls":
            monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
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


def test_a_cache_spares_what_was_read(server, near, tmp_path):
    server.put(near, "cached.root")
    here = rntuple.open(near)
    for _ in range(2):
        far = rntuple.open(f"{server.url}cached.root:Events", cache=tmp_path / "cache", cache_size="1 GB")
        assert ak.array_equal(far.arrays(["met", "muons"]), here.arrays(["met", "muons"]))
    kept = sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert kept > 100_000


def test_data_sets_are_read_there(server, near, tmp_path):
    here = tmp_path / "events.rnds"
    local = rntuple.Dataset.create(here, f"{near}:Events", copy=True)
    local.delete("number < 7")
    for path in here.rglob("*"):
        if path.is_file():
            server.put(path, f"events.rnds/{path.relative_to(here)}")
    far = rntuple.open_dataset(f"{server.url}events.rnds")
    assert far.num_entries == 60_000 - 7
    assert ak.array_equal(far.arrays(["number", "met"]), rntuple.open_dataset(here).arrays(["number", "met"]))


def test_data_sets_are_written_to_s3(server, array):
    if not server.url.startswith("s3"):
        pytest.skip("there two writers could create one file")
    dataset = rntuple.Dataset.create(f"{server.url}new.rnds", array)
    dataset.append(array[:7])
    assert ak.array_equal(rntuple.open_dataset(dataset.url).arrays(), ak.concatenate([array, array[:7]]))


@pytest.fixture
def in_time():
    """What hangs is an error after a minute."""

    def stop(*_):
        raise TimeoutError("it takes too long")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, no process is forked")
def test_a_process_that_was_forked_reads_by_itself(server, near, in_time):
    """As the workers of PyTorch do, and those of multiprocessing before Python 3.14."""
    server.put(near, "forked.root")
    url = f"{server.url}forked.root:Events"
    here = rntuple.open(near).arrays()
    far = rntuple.open(url)
    # On all connections.
    assert ak.array_equal(far.arrays(), here)

    def read():
        # What was open, the same server anew, and what the parent goes on with is closed here.
        nonlocal far
        signal.alarm(50)
        try:
            assert ak.array_equal(far.arrays(entry_start=100), here[100:])
            assert ak.array_equal(rntuple.open(url).arrays(), here)
            assert ak.array_equal(far.arrays(), here)
            far = None
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    children = [multiprocessing.get_context("fork").Process(target=read) for _ in range(2)]
    for child in children:
        child.start()
    # At the same time, and afterwards.
    for _ in range(3):
        assert ak.array_equal(far.arrays(), here)
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert ak.array_equal(far.arrays(), here)
    assert ak.array_equal(rntuple.open(url).arrays(), here)


def test_credentials_may_be_set_after_a_failure(near):
    with pytest.MonkeyPatch.context() as monkeypatch:
        server = Moto(monkeypatch)
        server.put(near, "late.root")
        for name in server.settings:
            monkeypatch.delenv(name)
        # Something that answers at once.
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        url = f"{server.url}late.root:Events"
        with pytest.raises(OSError):
            rntuple.open(url)
        for name, value in server.settings.items():
            monkeypatch.setenv(name, value)
        assert rntuple.open(url).num_entries == 60_000
        server.stop()


def test_a_question_mark_finds_objects(server, near):
    if not server.url.startswith("s3"):
        pytest.skip("there it may begin a query")
    for name in ["one/run1.root", "one/run2.root", "one/run10.root"]:
        server.put(near, name)
    assert rntuple.open(f"{server.url}one/run?.root:Events").num_entries == 120_000


READ = """
import sys
import rntuple
events = rntuple.open(sys.argv[1] + ":Events")
print(events.num_entries, int(events["number"][59_999]))
"""


def test_a_file_is_read_over_https(near):
    server = Nginx()
    try:
        server.put(near, "a.root")

        # In a process of its own: which authorities are trusted is asked once.
        def read(name, **environment):
            command = [sys.executable, "-c", READ, f"{server.url}{name}"]
            environment = {**os.environ, "no_proxy": "*", **environment}
            return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

        trusted = {"SSL_CERT_FILE": str(server.certificate)}
        assert read("a.root", **trusted).stdout.split() == ["60000", "59999"]
        assert "FileNotFoundError" in read("none.root", **trusted).stderr
        refused = read("a.root", SSL_CERT_FILE=os.devnull)
        assert refused.returncode != 0 and "certificate" in refused.stderr, refused.stderr
    finally:
        server.stop()
