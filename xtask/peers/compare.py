#!/usr/bin/env python3
"""Compares what the peers read from a folder of files with what they should read.

    compare.py DIR [--node NODE] [--modules DIR] [--peer NAME].. [--only GLOB] [--out OUT.json]

The running Python must have uproot. NODE is a Node (default: node), --modules the folder that holds
node_modules/jsroot (default: environment variable JSROOT_MODULES). --peer uproot|jsroot limits the run
to one peer.

DIR holds NAME.root files, each with a NAME.json of one of two forms: the form of the reference files
("rntuples": a list with "fields", "columns", "first" and "last" values), or the form of the scripts
here ("ntuples": a mapping with "entries" and "values" and, where there are several, the entries of
each of the "clusters" and "num_cluster_groups"; perhaps "fields", "name", "description", "max_key_size").

Prints a table file x peer, then the details. In the table

    ok          schema and values as expected
    n known     n fields differ from the expected values in exactly the way that faults.py foresees
    n unread    n fields that the peer cannot read, for a reason that faults.py foresees
    DIFFERENT   anything else

OUT.json has the same for each file, peer and field: {NAME: {PEER: {"fields": {NTUPLE: {FIELD: {"verdict": "same",
"known", "unread" or "different", "reasons": [..], "detail": ".."}}}, "different": [what is wrong with the file],
"known": [..]}}}.

Exit code 0 when nothing is DIFFERENT, else 1.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from faults import (
    Schema,
    foresee,
    misread_field,
    one_cluster_at_a_time,
    reason_of,
    unreadable_field,
    unreadable_ntuple,
)
from values import first_difference, same

HERE = pathlib.Path(__file__).resolve().parent


class Expected:
    """What a file should hold, from either form of the JSON beside it."""

    def __init__(self, document):
        self.ntuples = {}
        for ntuple in document.get("rntuples", []):
            self.ntuples[ntuple["path"]] = {
                "entries": ntuple["num_entries"],
                "groups": ntuple["num_cluster_groups"],
                "clusters": None,
                "fields": self.fields(ntuple),
                "values": [(0, ntuple["first"])]
                + ([(ntuple["num_entries"] - 10, ntuple["last"])] if "last" in ntuple else []),
                "says": {key: ntuple[key] for key in ("name", "description", "writer") if key in ntuple},
            }
        for path, ntuple in document.get("ntuples", {}).items():
            self.ntuples[path] = {
                "entries": ntuple["entries"],
                "groups": ntuple.get("num_cluster_groups", 1),
                "clusters": ntuple.get("clusters"),
                "fields": ntuple.get("fields"),
                "values": [(0, ntuple["values"])],
                "says": {key: ntuple[key] for key in ("name", "description") if key in ntuple},
                "streamer_info": document.get("streamer_info", True),
                "max_key_size": ntuple.get("max_key_size"),
            }

    @staticmethod
    def fields(ntuple):
        fields = [dict(field, columns=[]) for field in ntuple["fields"]]
        for cid, fid, kind, bits, *rest in ntuple["columns"]:
            fields[fid]["columns"].append({"id": cid, "type": kind, "bits": bits} | (rest[0] if rest else {}))
        return fields


def plain_schema(fields):
    """Fields without the items that only one side lists (zeros, aliases, what is known of their origin)."""

    zero_is_none = {"type_version", "type_checksum", "repidx", "first", "min", "max"}

    def trimmed(record):
        return {
            key: value
            for key, value in record.items()
            if key not in ("aliases", "added") and not (key in zero_is_none and value == 0)
        }

    return [
        trimmed(field) | {"columns": [trimmed(column) for column in field["columns"]]} for field in fields
    ]


def finding(verdict, reasons=(), detail=""):
    """What was found about one field."""
    return {"verdict": verdict, "reasons": list(reasons), "detail": detail}


class Verdict:
    """What was found in one file with one peer."""

    def __init__(self):
        # By path of the ntuple and name of the field: findings.
        self.fields = collections.defaultdict(dict)
        # What is wrong with the file or a whole ntuple.
        self.different = []
        self.known = []

    def cell(self):
        verdicts = [each["verdict"] for fields in self.fields.values() for each in fields.values()]
        if self.different or "different" in verdicts:
            return "DIFFERENT"
        parts = [f"{verdicts.count(name)} {name}" for name in ("known", "unread") if name in verdicts]
        return f"{len(verdicts)} fields: " + (", ".join(parts) if parts else "ok")

    def details(self):
        yield from (f"DIFFERENT {text}" for text in self.different)
        yield from (f"known {text}" for text in self.known)
        for path, fields in self.fields.items():
            for name, found in fields.items():
                if found["verdict"] != "same":
                    verdict = found["verdict"].replace("different", "DIFFERENT")
                    why = "; ".join([*found["reasons"], *[found["detail"]] * bool(found["detail"])])
                    yield f"{verdict} {path}: {name}: {why}"

    def document(self):
        return {"fields": self.fields, "different": self.different, "known": self.known}


def unmangled(value):
    """JSROOT's names, which it made from UTF-8 as if that were Latin-1."""

    def name(text):
        try:
            return text.encode("latin-1").decode("utf-8")
        except UnicodeError:
            return text

    if isinstance(value, list):
        return [unmangled(item) for item in value]
    if isinstance(value, dict):
        # Strings under these keys are names too, in the schema and of the ntuple; a member of that name
        # is a value.
        is_schema = "columns" in value and ("role" in value or "entries" in value)
        is_schema = is_schema or {"format_version", "entries"} <= value.keys()
        named = {"name", "type", "description"} if is_schema else set()
        return {name(key): name(item) if key in named else unmangled(item) for key, item in value.items()}
    return value


class Comparison:
    """One document of one peer against the expected contents of the file."""

    def __init__(self, peer, expected):
        self.peer = peer
        self.expected = expected
        self.verdict = Verdict()

    def run(self, document):
        verdict = self.verdict
        if self.peer == "jsroot":
            restored = unmangled(document)
            if not same(restored, document):
                verdict.known.append(reason_of("mangled name"))
            document = restored
        unreadable = document["unreadable"]
        for path, wanted in self.expected.ntuples.items():
            if path in document["ntuples"]:
                self.ntuple(path, wanted, document["ntuples"][path])
            elif path not in unreadable:
                verdict.different.append(f"{path}: not found")
        for path, why in unreadable.items():
            wanted = self.expected.ntuples.get(path)
            rule = wanted and unreadable_ntuple(self.peer, wanted)
            if rule:
                names = wanted["values"][0][1]
                verdict.fields[path] = {name: finding("unread", [rule], why) for name in names}
            else:
                verdict.different.append(f"{path}: cannot be read at all: {why}")
        for path in document["ntuples"].keys() - self.expected.ntuples.keys():
            verdict.different.append(f"{path}: not expected")
        return verdict

    def ntuple(self, path, wanted, got):
        first_group = self.peer == "jsroot" and wanted["groups"] > 1 and got["entries"] < wanted["entries"]
        if not first_group and got["entries"] != wanted["entries"]:
            self.verdict.different.append(f"{path}: {got['entries']} entries, not {wanted['entries']}")
            return
        for key, text in wanted["says"].items():
            if got[key] != text:
                self.verdict.different.append(f"{path}: {key} {got[key]!r}, not {text!r}")
        schema = Schema(wanted["fields"] or got["fields"])
        if wanted["fields"]:
            theirs, ours = plain_schema(got["fields"]), plain_schema(wanted["fields"])
            if not same(ours, theirs):
                self.verdict.different.append(first_difference(ours, theirs, f"{path}: schema"))
        for field in schema.top():
            seen = {"first group"} if first_group else set()
            found = self.field(schema, field, wanted, got, seen)
            if found["verdict"] == "same" and seen:
                found = finding("known", sorted(map(reason_of, seen)))
            self.verdict.fields[path][field["name"]] = found

    def field(self, schema, field, wanted, got, seen):
        name, entries = field["name"], got["entries"]
        if name in got["unreadable"]:
            why = got["unreadable"][name]
            rule = unreadable_field(self.peer, schema, field, entries)
            return finding("unread", [rule], why) if rule else finding("different", [], f"cannot be read: {why}")
        values = got["values"].get(name)
        if values is None or len(values) != entries:
            count = "no" if values is None else len(values)
            return finding("different", [], f"{count} values for {entries} entries")
        difference, fault = None, one_cluster_at_a_time(self.peer, schema, field)
        if fault and len(wanted["clusters"] or []) > 1:
            seen.add(fault)
            by_cluster = got["values_by_cluster"][name]
            difference = self.values(schema, field, wanted, by_cluster, entries, seen)
            entries = wanted["clusters"][0]
        difference = difference or self.values(schema, field, wanted, values, entries, seen)
        rule = difference and misread_field(self.peer, schema, field)
        if rule:
            return finding("unread", [rule], difference)
        return finding("different", [], difference) if difference else finding("same")

    def values(self, schema, field, wanted, values, entries, seen):
        """The first difference between the wanted and the found values of so many entries."""
        name = field["name"]
        for start, columns in wanted["values"]:
            # Where fewer entries can be compared, what is there must still be right.
            part = columns[name][: max(entries - start, 0)]
            theirs = values[start : start + len(part)]
            if same(part, theirs):
                continue
            try:
                foreseen = [foresee(self.peer, value, schema, field, seen) for value in part]
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                return f"the expected values do not fit the schema: {error!r}"
            if not same(foreseen, theirs):
                return first_difference(foreseen, theirs, f"from entry {start} on")
        return None


# --- run --------------------------------------------------------------------------------------


def read_uproot(files):
    """For each file the document of what uproot reads, or a reason why there is none."""
    import uproot_read

    for path in files:
        try:
            yield uproot_read.read_file(str(path)), None
        except Exception as error:  # noqa: BLE001 - whatever uproot raises is the reason
            yield None, uproot_read.reason(error)


def read_jsroot(files, node, modules, scratch):
    """As read_uproot, with JSROOT. One process reads many files; one that dies costs the file it died of."""
    files, script = list(files), HERE / "jsroot_read.mjs"
    while files:
        command = [node, str(script), "--modules", str(modules), "--out-dir", str(scratch), *map(str, files)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
        while files:
            path = files.pop(0)
            out = scratch / f"{path.stem}.json"
            if not out.exists():
                yield None, " ".join(run.stderr.split())[-300:] or f"exit code {run.returncode}"
                break
            document = json.loads(out.read_text(encoding="utf-8"))
            out.unlink()
            yield document, None


def main():
    parser = argparse.ArgumentParser(description="Compares what the peers read with what they should read.")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--node", default="node")
    modules = os.environ.get("JSROOT_MODULES")
    parser.add_argument("--modules", default=modules, help="holds node_modules/jsroot")
    parser.add_argument("--peer", action="append", choices=("uproot", "jsroot"))
    parser.add_argument("--only", default="*", metavar="GLOB", help="of the files' names")
    parser.add_argument("--out", type=pathlib.Path, metavar="OUT.json", help="verdicts for programs")
    arguments = parser.parse_args()
    peers = arguments.peer or ["uproot", "jsroot"]
    if "jsroot" in peers and not arguments.modules:
        parser.error("--modules is needed for jsroot")

    files = sorted(
        path
        for path in arguments.folder.glob("*.root")
        if fnmatch.fnmatch(path.name, arguments.only) and path.with_suffix(".json").exists()
    )
    if not files:
        parser.error(f"no .root files with a .json beside them in {arguments.folder}")
    width = max(len(path.stem) for path in files)
    results, details, failed = {}, [], False
    print(f"{'file':{width}}  " + "  ".join(f"{peer:30}" for peer in peers).rstrip())
    with tempfile.TemporaryDirectory() as scratch:
        readers = {
            "uproot": lambda: read_uproot(files),
            "jsroot": lambda: read_jsroot(files, arguments.node, arguments.modules, pathlib.Path(scratch)),
        }
        for path, *documents in zip(files, *(readers[peer]() for peer in peers), strict=True):
            expected = Expected(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
            cells = []
            for peer, (document, why) in zip(peers, documents, strict=True):
                if document is None:
                    verdict = Verdict()
                    verdict.different.append(f"no document: {why}")
                else:
                    verdict = Comparison(peer, expected).run(document)
                failed |= verdict.cell() == "DIFFERENT"
                cells.append(verdict.cell())
                details += [f"{path.stem}, {peer}: {text}" for text in verdict.details()]
                results.setdefault(path.stem, {})[peer] = verdict.document()
            print(f"{path.stem:{width}}  " + "  ".join(f"{cell:30}" for cell in cells).rstrip(), flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, ensure_ascii=False) + "\n", encoding="utf-8")
    if details:
        print("\n" + "\n".join(details))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
