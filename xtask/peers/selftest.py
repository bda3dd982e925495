#!/usr/bin/env python3
"""Compares what the peers read from a folder of files with what they should read.

    selftest.py DIR [--python PY] [--node NODE] [--modules DIR] [--peer NAME].. [--only GLOB]
                    [--by-cluster]

DIR holds NAME.root files, each with a NAME.json of one of two forms: the reference files' form
("rntuples": a list with "fields", "columns", "first" and "last" values), or the form of the scripts
here ("ntuples": a mapping with "entries" and "values" and, where there are several, the entries of
each of the "clusters" and "num_cluster_groups"; perhaps "fields"). PY is a Python with uproot (default:
the running one), NODE a Node (default: node), --modules the folder that holds node_modules/jsroot
(default: environment variable JSROOT_MODULES). --peer uproot|jsroot limits the run to one peer.

Prints a table file x peer, then the details. In the table

    ok          schema and values as expected
    n known     n fields differ from the expected values in exactly the way that FAULTS foresees
    n unread    n fields that the peer cannot read, for a reason that UNREADABLE foresees
    DIFFERENT   anything else

Exit code 0 when nothing is DIFFERENT, else 1.

A known fault of a value is not a licence: it says what the peer gives instead, and that is compared.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# The collections that JSROOT knows.
STL = tuple(
    f"std::{name}"
    for name in ("vector", "set", "unordered_set", "multiset", "unordered_multiset",
                 "map", "unordered_map", "multimap", "unordered_multimap")
)  # fmt: skip


class Schema:
    """The fields of one RNTuple, as a tree."""

    def __init__(self, fields):
        self.fields = fields
        self.children = collections.defaultdict(list)
        for field in fields:
            if field["parent"] is not None:
                self.children[field["parent"]].append(field)

    def top(self):
        return [field for field in self.fields if field["parent"] is None]

    def below(self, field):
        """The field and all fields under it."""
        yield field
        for child in self.children[field["id"]]:
            yield from self.below(child)

    def columns(self, field):
        """The field's own columns, for a projected field those of its source."""
        if field.get("projection_source") is not None:
            field = self.fields[field["projection_source"]]
        return field["columns"]


# --- known faults of the peers: fields that they cannot read ------------------------------------


def streamer(schema, field):
    return field["role"] == "streamer"


def not_stl(schema, field):
    return field["role"] == "collection" and not field["type"].startswith(STL)


def bare_record(schema, field):
    standard = field["type"].startswith(("std::pair<", "std::tuple<"))
    return field["role"] == "record" and not standard and not (field["type"] and field.get("type_checksum"))


def empty_record(schema, field):
    return field["role"] == "record" and not schema.children[field["id"]]


def enumeration(schema, field):
    wrapper = field["role"] == "plain" and not schema.columns(field) and schema.children[field["id"]]
    return wrapper and not field["type"].startswith(("std::array<", "std::atomic<"))


def shadowed(schema, field):
    first = next(each for each in schema.fields if each["name"] == field["name"])
    return field["parent"] is None and first is not field


def cardinality(schema, field):
    return "RNTupleCardinality" in field["type"]


def projected(schema, field):
    return field.get("projection_source") is not None


def deferred(schema, field):
    return any("first" in column for column in field["columns"])


def several_representations(schema, field):
    return any("repidx" in column for column in field["columns"])


def mergeable_variant(schema, field):
    """Awkward merges numbers of any two types, so it has no union of them."""
    if field["role"] != "variant":
        return False
    numbers = [child for child in schema.children[field["id"]] if is_number(schema, child)]
    return len(numbers) > 1


def option_of_option(schema, field):
    inner = schema.children[field["id"]]
    return field["type"].startswith("std::optional<") and any(
        child["type"].startswith("std::optional<") or child["role"] == "variant" for child in inner
    )


def is_number(schema, field):
    types = [column["type"] for column in schema.columns(field)]
    return field["role"] == "plain" and len(types) == 1 and types[0] != "Bit"


# (peer, what a field or one of its sub-fields is, why the peer cannot read it)
UNREADABLE = [
    ("uproot", streamer, "streamer fields are not implemented"),
    ("uproot", mergeable_variant, "an Awkward union cannot hold two number types"),
    ("uproot", option_of_option, "an Awkward option cannot hold an option or a union"),
    ("jsroot", shadowed, "selection by name finds a member of the same name first"),
    ("jsroot", not_stl, "a collection that is not a std:: container is read as its index column"),
    ("jsroot", empty_record, "a record without members is taken for a field without columns"),
    ("jsroot", bare_record, "a record without type name or checksum is taken for a field without columns"),
    ("jsroot", enumeration, "the wrapper of an enum is taken for a field without columns"),
    ("jsroot", cardinality, "projected fields have no columns"),
    ("jsroot", projected, "projected fields have no columns"),
    ("jsroot", deferred, "deferred columns are looked up in clusters that do not have them"),
    ("jsroot", several_representations, "suppressed columns are not understood"),
]


# --- known faults of the peers: what they give instead of a value -------------------------------


def js_number(value, schema, field):
    """64-bit integers go through a double."""
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


def js_string(value, schema, field):
    """Each byte of a string is read as a signed number, and that taken for a UTF-16 unit."""
    if field["type"] != "std::string":
        return value
    raw = bytes.fromhex(value["bytes"]) if isinstance(value, dict) else value.encode("utf-8")
    return "".join(chr(0xFF00 | byte) if byte >= 0x80 else chr(byte) for byte in raw)


def js_bitset(value, schema, field):
    """Up to 48 bits, bit n is set by a 32-bit shift, that is, as bit n modulo 32."""
    size = field.get("repetitions")
    if not (isinstance(value, list) and field["type"].startswith("std::bitset<") and 32 < size <= 48):
        return value
    folded = [any(value[i::32]) for i in range(32)]
    return folded + [folded[31]] * (size - 32)  # a set bit 31 makes the number negative


def js_quant(value, schema, field):
    """Real32Quant stays the double it was computed as, instead of the float it stands for."""
    quantized = any(column["type"] == "Real32Quant" for column in schema.columns(field))
    return Near(value) if quantized and isinstance(value, float) else value


def js_quant_wide(value, schema, field):
    """The scale is (1 << bits) - 1 in 32-bit arithmetic: negative for 31 bits, zero for 32."""
    wide = any(
        column["type"] == "Real32Quant" and column["bits"] >= 31 for column in schema.columns(field)
    )
    return Anything() if wide else value


def js_streamer(value, schema, field):
    """A streamer field is decoded; its bytes are not to be had."""
    return Decoded() if isinstance(value, dict) and "streamed" in value else value


def py_quant(value, schema, field):
    """Real32Quant is narrowed to float32, in a double field too."""
    quantized = any(column["type"] == "Real32Quant" for column in schema.columns(field))
    narrow = quantized and field["type"] == "double" and isinstance(value, float)
    return struct.unpack("<f", struct.pack("<f", value))[0] if narrow else value


def py_bases(value, schema, field):
    """Members of base classes are pulled up, with prefixes where two have one name."""
    if field["role"] != "record":
        return value
    bases = [name for name in value if re.fullmatch(":_[0-9]+", name)]
    if not bases:
        return value
    flat, count = {}, 0
    for part in [{k: v for k, v in value.items() if k not in bases}, *(value[base] for base in bases)]:
        if isinstance(part, Anything):
            return part
        flat, count = flat | part, count + len(part)
    return flat if len(flat) == count else Anything()


class Near(float):
    """Equal to any double that rounds to this float32."""

    def __eq__(self, other):
        try:
            return isinstance(other, float) and struct.pack("<f", other) == struct.pack("<f", self)
        except OverflowError:
            return False

    __hash__ = float.__hash__


class Decoded:
    """Equal to any decoded object."""

    def __eq__(self, other):
        return isinstance(other, dict) and list(other) == ["decoded"]

    __hash__ = None


class Anything:
    """Equal to anything."""

    def __eq__(self, other):
        return True

    __hash__ = None


FORESEEN = (Near, Decoded, Anything)
# (peer, name, what it gives instead). Applied to the value of every field at every depth.
FAULTS = [
    ("uproot", "narrowed quant", py_quant),
    ("uproot", "flattened bases", py_bases),
    ("jsroot", "rounded integer", js_number),
    ("jsroot", "mangled string", js_string),
    ("jsroot", "folded bitset", js_bitset),
    ("jsroot", "wide quant", js_quant_wide),
    ("jsroot", "unrounded quant", js_quant),
    ("jsroot", "decoded object", js_streamer),
]
# Three more are applied below:
#   "mangled name": JSROOT takes the bytes of names for Latin-1; undone before anything is compared.
#   "first group": JSROOT reads the first cluster group only; its entries are compared.
#   "first cluster": uproot takes the index of a variant, which starts anew in each cluster, for one
#       into the whole column; such fields are compared in the first cluster. Clusters that are read
#       one at a time are right (--by-cluster).
# And a whole RNTuple may be unreadable: JSROOT needs the streamer info of the anchor in the file,
# which uproot does not write ("streamer_info": false in the JSON).


def foresee(peer, value, schema, field, seen):
    """The expected value with the peer's known faults; the names of those that apply go to `seen`."""
    children = schema.children[field["id"]]
    if field["role"] == "variant" and value["value"] is not None:
        child = children[value["variant"] - 1]
        value = value | {"value": foresee(peer, value["value"], schema, child, seen)}
    elif field["role"] == "record":
        value = {
            child["name"]: foresee(peer, value[child["name"]], schema, child, seen) for child in children
        }
    elif isinstance(value, list) and len(children) == 1:
        value = [foresee(peer, item, schema, children[0], seen) for item in value]
    elif value is not None and len(children) == 1:
        value = foresee(peer, value, schema, children[0], seen)
    for owner, name, instead in FAULTS:
        faulty = instead(value, schema, field) if owner == peer else value
        if faulty is not value and (isinstance(faulty, FORESEEN) or not same(faulty, value)):
            seen.add(name)
        value = faulty
    return value


# --- comparison -------------------------------------------------------------------------------


def same(a, b):
    """Equality that tells 1 from 1.0 and true, and 0.0 from -0.0."""
    if isinstance(a, FORESEEN) and type(b) is not type(a):
        return bool(a == b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    return a == b


def first_difference(expected, got, path):
    """Where two values differ, and how."""
    if type(expected) is type(got) and isinstance(expected, list) and len(expected) == len(got):
        for i, (a, b) in enumerate(zip(expected, got, strict=True)):
            if not same(a, b):
                return first_difference(a, b, f"{path}[{i}]")
    if type(expected) is type(got) and isinstance(expected, dict) and expected.keys() == got.keys():
        for key in expected:
            if not same(expected[key], got[key]):
                return first_difference(expected[key], got[key], f"{path}.{key}")
    return f"{path}: expected {shown(expected)}, got {shown(got)}"


def shown(value):
    text = "(foreseen)" if isinstance(value, (Decoded, Anything)) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


class Expected:
    """What a file should hold, from either form of the JSON beside it."""

    def __init__(self, document):
        self.streamer_info = document.get("streamer_info", True)
        self.ntuples = {}
        for ntuple in document.get("rntuples", []):
            self.ntuples[ntuple["path"]] = {
                "entries": ntuple["num_entries"],
                "groups": ntuple["num_cluster_groups"],
                "clusters": None,
                "fields": self.fields(ntuple),
                "values": [(0, ntuple["first"])]
                + ([(ntuple["num_entries"] - 10, ntuple["last"])] if "last" in ntuple else []),
            }
        for path, ntuple in document.get("ntuples", {}).items():
            self.ntuples[path] = {
                "entries": ntuple["entries"],
                "groups": ntuple.get("num_cluster_groups", 1),
                "clusters": ntuple.get("clusters"),
                "fields": ntuple.get("fields"),
                "values": [(0, ntuple["values"])],
            }

    @staticmethod
    def fields(ntuple):
        fields = [dict(field, columns=[]) for field in ntuple["fields"]]
        for cid, fid, kind, bits, *rest in ntuple["columns"]:
            fields[fid]["columns"].append({"id": cid, "type": kind, "bits": bits} | (rest[0] if rest else {}))
        return fields


def plain_schema(fields):
    """Fields without the items that only one side lists (zeros, aliases)."""

    zero_is_none = {"type_version", "type_checksum", "repidx", "first", "min", "max"}

    def trimmed(record):
        return {
            key: value
            for key, value in record.items()
            if key != "aliases" and not (key in zero_is_none and value == 0)
        }

    return [
        trimmed(field) | {"columns": [trimmed(column) for column in field["columns"]]} for field in fields
    ]


class Verdict:
    """What was found in one file with one peer."""

    def __init__(self):
        self.known = collections.defaultdict(set)
        self.unreadable = {}
        self.different = []
        self.fields = 0

    def cell(self):
        if self.different:
            return "DIFFERENT"
        parts = [f"{len(self.known)} known"] if self.known else []
        parts += [f"{len(self.unreadable)} unread"] if self.unreadable else []
        return f"{self.fields} fields: " + (", ".join(parts) if parts else "ok")


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
        # Strings under these keys are names too, in the schema; a member of that name is a value.
        schema = {"name", "type", "description"} if "role" in value and "columns" in value else set()
        return {name(key): name(item) if key in schema else unmangled(item) for key, item in value.items()}
    return value


class Comparison:
    """One document of one peer against the expected contents of the file."""

    def __init__(self, peer, expected, by_cluster=False):
        self.peer = peer
        self.expected = expected
        self.by_cluster = by_cluster
        self.verdict = Verdict()

    def run(self, document):
        verdict = self.verdict
        unreadable = document["unreadable"]
        if self.peer == "jsroot":
            restored = unmangled(document)
            if not same(restored, document):
                verdict.known["names"].add("mangled name")
            unreadable, document = restored["unreadable"], restored
        for path, wanted in self.expected.ntuples.items():
            if path in document["ntuples"]:
                self.ntuple(path, wanted, document["ntuples"][path])
            elif path not in unreadable:
                verdict.different.append(f"{path}: not found")
        for path, why in unreadable.items():
            if self.peer == "jsroot" and not self.expected.streamer_info:
                verdict.unreadable[path] = f"{why} [no streamer info in the file]"
            else:
                verdict.different.append(f"{path}: cannot be read at all: {why}")
        for path in document["ntuples"].keys() - self.expected.ntuples.keys():
            verdict.different.append(f"{path}: not expected")
        return verdict

    def ntuple(self, path, wanted, got):
        if self.peer == "jsroot" and wanted["groups"] > 1 and got["entries"] < wanted["entries"]:
            self.verdict.known[path].add("first group")
        elif got["entries"] != wanted["entries"]:
            self.verdict.different.append(f"{path}: {got['entries']} entries, not {wanted['entries']}")
            return
        schema = Schema(wanted["fields"] or got["fields"])
        if wanted["fields"]:
            theirs, ours = plain_schema(got["fields"]), plain_schema(wanted["fields"])
            if not same(ours, theirs):
                self.verdict.different.append(first_difference(ours, theirs, f"{path}: schema"))
        for field in schema.top():
            self.verdict.fields += 1
            self.field(f"{path}: {field['name']}", schema, field, wanted, got)

    def field(self, path, schema, field, wanted, got):
        name, peer, entries, different = field["name"], self.peer, got["entries"], self.verdict.different
        tree = list(schema.below(field))
        if name in got["unreadable"]:
            why = got["unreadable"][name]
            rules = [
                text
                for owner, rule, text in UNREADABLE
                if owner == peer and any(rule(schema, each) for each in tree)
            ]
            if peer == "jsroot" and entries == 0:
                rules.append("an RNTuple without entries is an error")
            if rules:
                self.verdict.unreadable[path] = f"{why} [{rules[0]}]"
            else:
                different.append(f"{path} cannot be read: {why}")
            return
        values = got["values"].get(name)
        if values is None or len(values) != entries:
            count = "no" if values is None else len(values)
            different.append(f"{path}: {count} values for {entries} entries")
            return

        seen, clusters = set(), wanted["clusters"] or []
        variants = any(each["role"] == "variant" for each in tree)
        if peer == "uproot" and variants and len(clusters) > 1 and not self.by_cluster:
            seen.add("first cluster")
            entries = clusters[0]
        for start, columns in wanted["values"]:
            # Where fewer entries can be compared, what is there must still be right.
            part = columns[name][: max(entries - start, 0)]
            theirs = values[start : start + len(part)]
            if same(part, theirs):
                continue
            try:
                foreseen = [foresee(peer, value, schema, field, seen) for value in part]
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                different.append(f"{path}: the expected values do not fit the schema: {error!r}")
                continue
            if not same(foreseen, theirs):
                different.append(first_difference(foreseen, theirs, f"{path} from entry {start} on"))
        if seen:
            self.verdict.known[path] |= seen


# --- run --------------------------------------------------------------------------------------


def read(command, out):
    """The document that a peer writes, or the reason why there is none."""
    command = [*command, "--out", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode != 0:
        return None, " ".join(run.stderr.split())[-300:] or f"exit code {run.returncode}"
    return json.loads(out.read_text(encoding="utf-8")), None


def main():
    parser = argparse.ArgumentParser(description="Compares what the peers read with what they should read.")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable, help="a Python with uproot")
    parser.add_argument("--node", default="node")
    modules = os.environ.get("JSROOT_MODULES")
    parser.add_argument("--modules", default=modules, help="holds node_modules/jsroot")
    parser.add_argument("--peer", action="append", choices=("uproot", "jsroot"))
    parser.add_argument("--by-cluster", action="store_true", help="have uproot read one cluster at a time")
    parser.add_argument("--only", default="*", metavar="GLOB", help="of the files' names")
    arguments = parser.parse_args()
    peers = arguments.peer or ["uproot", "jsroot"]
    if "jsroot" in peers and not arguments.modules:
        parser.error("--modules is needed for jsroot")
    commands = {
        "uproot": [arguments.python, str(HERE / "uproot_read.py"), *["--by-cluster"] * arguments.by_cluster],
        "jsroot": [arguments.node, str(HERE / "jsroot_read.mjs"), "--modules", str(arguments.modules)],
    }

    files = sorted(
        path
        for path in arguments.folder.glob("*.root")
        if fnmatch.fnmatch(path.name, arguments.only) and path.with_suffix(".json").exists()
    )
    if not files:
        parser.error(f"no .root files with a .json beside them in {arguments.folder}")
    width = max(len(path.stem) for path in files)
    details, failed = [], False
    print(f"{'file':{width}}  " + "  ".join(f"{peer:30}" for peer in peers).rstrip())
    with tempfile.TemporaryDirectory() as scratch:
        for path in files:
            expected = Expected(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
            cells = []
            for peer in peers:
                document, why = read([*commands[peer], str(path)], pathlib.Path(scratch) / "out.json")
                if document is None:
                    verdict = Verdict()
                    verdict.different.append(f"no document: {why}")
                else:
                    verdict = Comparison(peer, expected, arguments.by_cluster).run(document)
                failed |= bool(verdict.different)
                cells.append(verdict.cell())
                head = f"{path.stem}, {peer}:"
                details += [f"{head} DIFFERENT {text}" for text in verdict.different]
                for key, names in verdict.known.items():
                    details.append(f"{head} known {key}: {', '.join(sorted(names))}")
                details += [f"{head} unread {key}: {text}" for key, text in verdict.unreadable.items()]
            print(f"{path.stem:{width}}  " + "  ".join(f"{cell:30}" for cell in cells).rstrip(), flush=True)
    if details:
        print("\n" + "\n".join(details))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
