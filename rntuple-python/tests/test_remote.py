"""Files at URLs: what is read is what a local file has."""

import http.server
import pickle
import threading

import awkward as ak
import pytest

import rntuple
from rntuple import _files
from servers import Ranges


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote")
    numbers = list(range(20_000))
    rntuple.write(folder / "a.root:Events", {"number": numbers, "half": [n / 2 for n in numbers]}, compression="none")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *args: Ranges(*args, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_url_is_read_as_the_file_is(server):
    folder, url = server
    near, far = rntuple.open(folder / "a.root"), rntuple.open(f"{url}/a.root:Events")
    assert far.num_entries == 20_000
    assert ak.array_equal(far.arrays(), near.arrays())
    assert far["half"][7] == 3.5
    steps = list(rntuple.iterate(f"{url}/a.root", step_size=7000))
    assert ak.array_equal(ak.concatenate(steps), near.arrays())
    part = pickle.loads(pickle.dumps(far.parts(2)[-1]))
    assert part.files == (f"{url}/a.root",)
    assert ak.array_equal(part.arrays(), near.arrays(entry_start=part.start))


def test_a_cache_spares_what_was_read(server, tmp_path):
    _, url = server
    for number in range(2):
        Ranges.asked.clear()
        far = rntuple.open(f"{url}/a.root:Events", cache=tmp_path / "cache", cache_size="1 GB")
        assert ak.sum(far["number"]) == 20_000 * 19_999 // 2
        # Whether the file is still the same one is checked in any case.
        first = [asked for asked in Ranges.asked if asked[1] == "bytes=0-65535"]
        assert (len(Ranges.asked) == len(first)) == (number == 1)


def test_what_is_not_there_is_said(server):
    _, url = server
    with pytest.raises(FileNotFoundError, match="none.root"):
        rntuple.open(f"{url}/none.root:Events")
    with pytest.raises(OSError, match="gopher"):
        rntuple.open("gopher://host/a.root:Events")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("root://host:1094//a/b.root", ("root://host:1094//a/b.root", None)),
        ("root://host:1094//a/b.root:Events", ("root://host:1094//a/b.root", "Events")),
        ("https://host/b.root:dir/Events", ("https://host/b.root", "dir/Events")),
        ("root://[::1]:1094//b.root:E", ("root://[::1]:1094//b.root", "E")),
        ("s3://bucket", ("s3://bucket", None)),
        ("s3://bucket/run?.root:E", ("s3://bucket/run?.root", "E")),
        # What follows a question mark may have colons.
        ("https://h/b.root?time=12:30", ("https://h/b.root?time=12:30", None)),
        ("https://h/b.root:E?time=12:30", ("https://h/b.root?time=12:30", "E")),
        ("https://h/b.root?a:b", ("https://h/b.root?a:b", None)),
        ("root://h:1//b.root:d/E?authz=x:y&z=1", ("root://h:1//b.root?authz=x:y&z=1", "d/E")),
        ("root://h//run?/*.root:E?authz=x:y", ("root://h//run?/*.root?authz=x:y", "E")),
        ("root://h//run?/*.root:E", ("root://h//run?/*.root", "E")),
        ("file:///data/b.root:E", ("file:///data/b.root", "E")),
        ("file:/b.root:E", ("file:/b.root", "E")),
        ("file:/data/b.root", ("file:/data/b.root", None)),
    ],
)
def test_the_ntuple_is_after_the_last_colon_of_the_path(text, wanted):
    assert _files.split(text) == wanted


def test_the_url_of_a_file_is_its_path(server):
    folder, _ = server
    for url in [f"file://{folder}/a.root", f"file:{folder}/a.root", f"file:{folder}/?.root"]:
        assert rntuple.open(f"{url}:Events").num_entries == 20_000
