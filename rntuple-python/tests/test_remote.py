"""Files at URLs: what is read is what a local file has."""

import http.server
import os
import pickle
import re
import threading

import awkward as ak
import pytest

import rntuple
from rntuple import _files


class _Ranges(http.server.SimpleHTTPRequestHandler):
    """A server that sends ranges of bytes, and remembers what it was asked for."""

    protocol_version = "HTTP/1.1"
    asked: list = []

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer(False)

    def do_GET(self):
        self._answer(True)

    def _answer(self, has_body):
        path = self.translate_path(self.path)
        self.asked.append((self.command, self.headers.get("Range")))
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, "rb") as file:
            whole = file.read()
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        body = whole[int(found[1]) : int(found[2]) + 1] if found else whole
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {found[1]}-{int(found[1]) + len(body) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hash(whole) & 0xFFFFFFFF:x}"')
        self.end_headers()
        if has_body:
            self.wfile.write(body)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote")
    numbers = list(range(20_000))
    rntuple.write(folder / "a.root:Events", {"number": numbers, "half": [n / 2 for n in numbers]}, compression="none")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *args: _Ranges(*args, directory=str(folder))
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
        _Ranges.asked.clear()
        far = rntuple.open(f"{url}/a.root:Events", cache=tmp_path / "cache", cache_size="1 GB")
        assert ak.sum(far["number"]) == 20_000 * 19_999 // 2
        # Whether the file is still the same one is checked in any case.
        first = [asked for asked in _Ranges.asked if asked[1] == "bytes=0-65535"]
        assert (len(_Ranges.asked) == len(first)) == (number == 1)


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
    ],
)
def test_the_ntuple_is_after_the_last_colon_of_the_path(text, wanted):
    assert _files.split(text) == wanted
