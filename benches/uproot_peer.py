#!/usr/bin/env python3
"""uproot as a peer of the benchmarks: answers one line of JSON on standard output for each on standard input.

    {"do": "load", "file": ours}                     columns to write, from a file of ours
    {"do": "write", "codec": C, "file": F}           writes them
    {"do": "columns" | "jet_pt" | "muon_pt", "file": F}

The answer is {"seconds": CPU time of all its threads} and, for a read, the "sums" of every leaf, which are taken after the
clock has stopped; or {"error": message}.
"""

import json
import sys
import time

import awkward as ak
import numpy as np
import uproot

ENTRIES = 50_000  # a cluster each


def codec(name):
    return {"none": None, "lz4": uproot.LZ4(1), "zstd1": uproot.ZSTD(1), "zstd5": uproot.ZSTD(5)}[name]


def writable(events):
    """Bitsets as integers; the process, a union, as a record of a tag and two numbers."""
    flags = np.asarray(ak.to_numpy(events["triggers"])).astype(np.uint8)
    masks = np.packbits(flags, axis=1, bitorder="little").view(np.uint64).ravel()
    process = events["process"]
    tag, mass, leptons = alternatives(process)
    columns = {name: ak.to_packed(events[name]) for name in events.fields}
    columns["triggers"] = masks
    columns["process"] = ak.zip({"tag": tag, "mass": mass, "leptons": leptons})
    columns["shape"] = ak.Array(ak.to_numpy(events["shape"]))
    return ak.Array(columns)


def alternatives(process):
    """The union has nothing, no data, a mass and a record of leptons, in this order."""
    layout = process.layout
    tags, index = np.asarray(layout.tags), np.asarray(layout.index)
    mass, leptons = np.zeros(len(tags), np.float32), np.zeros(len(tags), np.uint8)
    mass[tags == 2] = ak.to_numpy(ak.drop_none(ak.Array(layout.contents[2])))[index[tags == 2]]
    leptons[tags == 3] = ak.to_numpy(ak.drop_none(ak.Array(layout.contents[3])["leptons"]))[index[tags == 3]]
    return (tags - 1).astype(np.uint8), mass, leptons


def bits(values):
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = values.view(f"u{values.dtype.itemsize}")
    if values.dtype == np.int32:
        values = values.view(np.uint32)
    return int(values.sum(dtype=np.uint64))


def squares(counts):
    counts = np.asarray(counts).astype(np.uint64)
    return int((counts * counts).sum(dtype=np.uint64))


def flat(values):
    return ak.to_numpy(ak.flatten(values, axis=None))


def digest(events):
    """In the order of the enum `Leaf` in digest.rs."""
    muons, jets, labels = events["muons"], events["jets"], events["label"]
    iso = ak.drop_none(ak.flatten(muons["iso"]))
    masks = np.asarray(events["triggers"])
    sums = [bits(events[name]) for name in ("run", "event", "weight", "met", "good")]
    sums.append(int(np.unpackbits(masks.view(np.uint8)).sum(dtype=np.uint64)))
    sums += [bits(events["vertex"][name]) for name in "xyz"]
    sums.append(squares(ak.num(muons)))
    sums += [bits(flat(muons[name])) for name in ("pt", "eta", "phi", "mass", "charge", "tight")]
    sums += [len(flat(iso)), bits(flat(iso))]
    sums.append(squares(ak.num(jets)))
    sums += [bits(flat(jets[name])) for name in ("pt", "eta", "phi", "mass", "btag", "n_const")]
    sums += [squares(flat(ak.num(jets["constituents"], axis=2))), bits(flat(jets["constituents"]))]
    letters = ak.without_parameters(labels)
    sums += [squares(ak.num(letters)), bits(flat(letters))]
    sums.append(bits(flat(events["shape"])))
    sums += [bits(events["process"][name]) for name in ("tag", "mass", "leptons")]
    return sums


class Peer:
    def __init__(self):
        self.events = None

    def load(self, file, **_):
        with uproot.open(file) as source:
            self.events = writable(source["Events"].arrays())

    def write(self, file, codec, **_):
        # One `extend` for each cluster, of columns that are there already.
        parts = [self.events[start : start + ENTRIES] for start in range(0, len(self.events), ENTRIES)]
        parts = [{name: ak.to_packed(part[name]) for name in part.fields} for part in parts]
        parts = [ak.Array(part) for part in parts]
        start = time.process_time()
        with uproot.recreate(file, compression=globals()["codec"](codec)) as sink:
            ntuple = sink.mkrntuple("Events", parts[0].layout.form)
            for part in parts:
                ntuple.extend(part)
        return {"seconds": time.process_time() - start}

    def columns(self, file, **_):
        start = time.process_time()
        with uproot.open(file) as source:
            events = source["Events"].arrays()
        seconds = time.process_time() - start
        return {"seconds": seconds, "sums": digest(events)}

    def jet_pt(self, file, **_):
        start = time.process_time()
        with uproot.open(file) as source:
            values = flat(source["Events"].arrays(filter_name="jets.pt")["jets"]["pt"])
        total = bits(values)
        return {"seconds": time.process_time() - start, "sums": [total]}

    def muon_pt(self, file, **_):
        start = time.process_time()
        with uproot.open(file) as source:
            values = flat(source["Events"].arrays(filter_name="muons.pt")["muons"]["pt"])
        total = values.sum(dtype=np.float64)
        return {"seconds": time.process_time() - start, "sums": [round(float(total))]}


def main():
    peer = Peer()
    print(json.dumps({"version": uproot.__version__}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = getattr(peer, task.pop("do"))(**task) or {}
        except Exception as error:  # the other side says what was skipped
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
