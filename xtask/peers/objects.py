#!/usr/bin/env python3
"""Trees, histograms and ntuples side by side: what uproot writes and reads.

    objects.py write FILE         a tree, histograms and a string in two directories, compressed
    objects.py read FILE          everything that the directories list, as one JSON document

The document: {"peer": "uproot", "objects": {"dir/name;cycle": {"class": .., "value": ..}},
"classes": [names in the streamer info]}. A tree's value is its branches as lists, a histogram's are edges, contents
and variances, an ntuple's its number of entries and its fields; of what uproot has no words for, it is null.
"""

import json
import sys

import awkward as ak
import numpy as np
import uproot


def write(path):
    rng = np.random.default_rng(7)
    with uproot.recreate(path, compression=uproot.ZLIB(4)) as file:
        for folder in ["", "dir/"]:
            count = 500 if folder else 2000
            file.mktree(f"{folder}tree", {"x": np.float64, "n": np.int32, "jagged": "var * float32"})
            file[f"{folder}tree"].extend(
                {
                    "x": rng.normal(size=count),
                    "n": np.arange(count, dtype=np.int32),
                    "jagged": ak.Array([[float(k)] * (k % 4) for k in range(count)], with_name=None),
                }
            )
            file[f"{folder}hist"] = np.histogram(rng.normal(size=1000), bins=20)
        file["plane"] = np.histogram2d(rng.normal(size=100), rng.normal(size=100), bins=(5, 4))
        file["words"] = "a string"


def value(item):
    kind = item.classname
    if kind in ("TTree", "TNtuple"):
        return {"entries": item.num_entries, "branches": {b.name: b.array().to_list() for b in item.branches}}
    if kind.startswith(("TH1", "TH2", "TProfile")):
        return {"values": item.values(flow=True).tolist(), "edges": [a.edges().tolist() for a in item.axes]}
    if "RNTuple" in kind:
        return {"entries": item.num_entries, "fields": item.keys()}
    if kind == "TObjString":
        return str(item)
    return None


def read(path):
    with uproot.open(path) as file:
        objects = {}
        for name, kind in file.classnames().items():
            is_folder = kind.startswith("TDirectory")
            objects[name] = {"class": kind, "value": None if is_folder else value(file[name])}
        document = {"peer": "uproot", "objects": objects, "classes": sorted(file.file.streamers)}
    print(json.dumps(document))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "read"):
        sys.exit(__doc__)
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])


if __name__ == "__main__":
    main()
