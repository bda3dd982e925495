"""Files at URLs: what is read is what a local file has."""

import dataclasses
import http.server
import pathlib
import pickle
import subprocess
import sys
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


def test_a_server_in_the_same_process_is_not_waited_for_in_vain(tmp_path):
    """While the network is read, other threads run, such as those of the server."""
    code = f"""
import http.server, pathlib, sys, threading
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import numpy, rntuple
from servers import Ranges
# The page list is far from the end, where more is read when a file is opened.
columns = {{f"x{{number}}": numpy.arange(20_000.0) for number in range(100)}}
rntuple.write("a.root:Events", columns, compression="none", cluster_size=20_000)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{{server.server_port}}/a.root:Events"
calls = [
    lambda source: source.num_entries,
    lambda source: source.partitions(4),
    lambda source: source.entry_length(),
    lambda source: source.fingerprint(),
    lambda source: source.stream([(0, 10)], 10),
    lambda source: source.buffers([(0, 10)]),
]
for call in calls:
    call(rntuple.open(url)._all)
print(len(calls))
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.stdout == "6\n", run.stderr


def test_a_cache_spares_what_was_read(server, tmp_path):
    _, url = server
    for number in range(2):
        Ranges.asked.clear()
        far = rntuple.open(f"{url}/a.root:Events", cache=tmp_path / "cache", cache_size="1 GB")
        assert ak.sum(far["number"]) == 20_000 * 19_999 // 2
        # Whether the file is still the same one is checked in any case.
        first = [asked for asked in Ranges.asked if asked[1] == "bytes=0-262143"]
        assert (len(Ranges.asked) == len(first)) == (number == 1)


def test_a_part_is_read_with_the_options_of_its_ntuple(server, tmp_path):
    _, url = server
    cache = tmp_path / "cache"
    far = rntuple.open(f"{url}/a.root:Events", threads=1, memory_budget=1 << 30, cache=cache, cache_size="1 GB")
    (part,) = pickle.loads(pickle.dumps(far.parts(1)))
    assert hash(part) == hash(far.parts(1)[0])
    options = {"threads": 1, "memory_budget": 1 << 30, "cache": str(cache), "cache_size": 10**9}
    assert dict(part.options) == options and dict(part._open().parts(1)[0].options) == options
    for _ in range(2):
        Ranges.asked.clear()
        assert ak.sum(part.arrays().number) == 20_000 * 19_999 // 2
    # All but the question whether the file is still the same one is answered by the cache.
    assert {asked[1] for asked in Ranges.asked} == {"bytes=0-262143"}


def test_nothing_secret_is_shown(server):
    """What is in a URL may be what grants access."""
    _, url = server
    secret = f"{url}/a.root?token=pass-word"
    events = rntuple.open(f"{url}/a.root:Events?token=pass-word")
    assert repr(events) == f"<NTuple 'Events' of '{url}/a.root': 20000 entries>"
    with pytest.raises(KeyError, match="no field 'numbr' in 'Events' of http://.*/a.root; did you mean") as unknown:
        events["numbr"]
    (part,) = events.parts(1)
    assert repr(part) == f"<Part of 'Events' of '{url}/a.root': entries 0 to 20000>"
    with pytest.raises(rntuple.RNTupleError, match="/a.root is not the file that it was") as changed:
        dataclasses.replace(part, fingerprint="").arrays()
    for raised in (unknown, changed):
        assert "pass-word" not in str(raised.value)
    # What opens the file again.
    assert events.files == [secret] and part.files == (secret,)


def test_what_is_not_there_is_said(server):
    _, url = server
    with pytest.raises(FileNotFoundError, match="none.root"):
        rntuple.open(f"{url}/none.root:Events")
    with pytest.raises(OSError, match="gopher"):
        rntuple.open("gopher://host/a.root:Events")
    with pytest.raises(PermissionError, match="refuses access"):
        rntuple.open(f"{url}/secret.root:Events")


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
