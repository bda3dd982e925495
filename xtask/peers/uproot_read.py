#!/usr/bin/env python3
"""Reads every RNTuple of a ROOT file with uproot and prints schema and values as one JSON document.

    uproot_read.py FILE [--out OUT.json] [--by-cluster]

The document (stdout without --out):

    {"peer": "uproot", "version": "5.7.7",
     "ntuples": {"dir/name": {
        "name": .., "description": .., "writer": .., "format_version": "1.0.0.1",
        "entries": n,
        "fields": [{"id", "parent" (null = top level), "name", "type", "role", "columns": [
                       {"id", "type", "bits", "repidx"?, "first"?, "min"?, "max"?}],
                    "aliases"? (physical column ids), "type_alias"?, "description"?, "repetitions"?,
                    "projection_source"?, "type_version"?, "type_checksum"?}],
        "values": {top-level field: [value of every entry]},
        "unreadable": {top-level field: reason}}},
     "unreadable": {path: reason}}      # an RNTuple of which not even the schema can be had

Every top-level field is under "values" or under "unreadable". Exit code 0 when a document was
written, 1 when the file cannot be opened, 2 for wrong arguments.

Values: integers (also of 64 bits) are JSON integers, `char` and `std::byte` too (0..255); floats
are JSON numbers of the exact value, or "NaN", "Infinity", "-Infinity"; strings are JSON strings,
or {"bytes": hex} when not UTF-8; collections, arrays and bitsets are arrays; records, pairs and
tuples are objects keyed by sub-field name; maps are arrays of {"_0": key, "_1": value}; a variant
is {"variant": tag, "value": v}, tag 0 when invalid; optional and unique_ptr are the value or null;
an enum or atomic is its inner value.

uproot hands out Awkward Arrays, which no longer know a map from a vector of pairs or a pair from a
tuple. So the schema is walked in step with the array: role and type name of the field decide the
form of its values, and an array of another shape than the role asks for is an error, not a guess.
What uproot gets wrong stays wrong here: it is for the comparer to know.

Fields with a variant in them are read a second time, every cluster on its own ("values_by_cluster"). The
values must be the same, but are not: uproot takes the index in a switch column, which starts anew in
each cluster, for one into all that it has read.
"""

import argparse
import json
import math
import sys

import awkward as ak
import numpy as np
import uproot

COLUMN_TYPES = [
    "Bit", "Byte", "Char", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
    "Real16", "Real32", "Real64", "Index32", "Index64", "Switch", "SplitInt16", "SplitUInt16",
    "SplitInt32", "SplitUInt32", "SplitInt64", "SplitUInt64", "SplitReal16", "SplitReal32",
    "SplitReal64", "SplitIndex32", "SplitIndex64", "Real32Trunc", "Real32Quant",
]  # fmt: skip
PLAIN, COLLECTION, RECORD, VARIANT, STREAMER = range(5)
ROLES = ["plain", "collection", "record", "variant", "streamer"]
DIRECTORIES = ("TDirectory", "TDirectoryFile")


class Shape(Exception):
    """An array is not of the shape that the schema asks for."""


def name_of(table, number):
    return table[number] if number < len(table) else f"{number:#04x}"


def reason(error):
    """One line for an exception; a streamer field's message would else quote its whole record."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


# --- schema -----------------------------------------------------------------------------------


def schema(ntuple):
    """The fields of header and schema extension, as uproot parsed them."""
    fields = []
    for fid, record in enumerate(ntuple.field_records):
        field = {
            "id": fid,
            "parent": None if record.parent_field_id == fid else record.parent_field_id,
            "name": record.field_name,
            "type": record.type_name,
            "role": name_of(ROLES, int(record.struct_role)),
            "columns": [],
        }
        optional = {
            "type_alias": record.type_alias or None,
            "description": record.field_desc or None,
            "repetitions": record.repetition or None,
            "projection_source": record.source_field_id,
            "type_version": record.type_version or None,
            "type_checksum": record.checksum,
        }
        field.update({key: value for key, value in optional.items() if value is not None})
        fields.append(field)
    for cid, record in enumerate(ntuple.column_records):
        column = {"id": cid, "type": name_of(COLUMN_TYPES, record.type), "bits": record.nbits}
        optional = {
            "repidx": record.repr_idx or None,
            "first": record.first_element_index or None,
            "min": record.min_value,
            "max": record.max_value,
        }
        column.update({key: value for key, value in optional.items() if value is not None})
        fields[record.field_id]["columns"].append(column)
    for alias in ntuple.alias_column_records:
        fields[alias.field_id].setdefault("aliases", []).append(alias.physical_id)
    return fields


# --- values -----------------------------------------------------------------------------------


class Walk:
    """Turns the layout of a field's array into a list of values in canonical form."""

    def __init__(self, ntuple):
        self.ntuple = ntuple
        self.records = ntuple.field_records
        self.children = [[] for _ in self.records]
        for fid, record in enumerate(self.records):
            if record.parent_field_id != fid:
                self.children[record.parent_field_id].append(fid)

    def values(self, fid, layout):
        record = self.records[fid]
        role = int(record.struct_role)
        while isinstance(layout, ak.contents.UnmaskedArray):
            layout = layout.content  # uproot wraps the alternatives of a variant so
        if role == PLAIN and record.repetition:
            return self.array(fid, layout)
        if role == PLAIN:
            return self.plain(fid, layout)
        if role == COLLECTION:
            return self.collection(fid, layout)
        if role == RECORD:
            return self.record(fid, layout)
        if role == VARIANT:
            return self.variant(fid, layout)
        raise Shape(f"no values for a field of role {name_of(ROLES, role)}")

    def plain(self, fid, layout):
        # Wrappers (atomic, enum) are the array of their only child: uproot resolves them itself.
        if layout.parameter("__array__") == "string":
            return strings(layout)
        expect(self, fid, layout, ak.contents.NumpyArray)
        return numbers(np.asarray(layout.data))

    def array(self, fid, layout):
        expect(self, fid, layout, ak.contents.RegularArray)
        size = self.records[fid].repetition
        if layout.size != size:
            raise Shape(f"{self.path(fid)}: array of {layout.size}, the schema says {size}")
        content = layout.content[: layout.length * size]
        # A bitset has no child: its bits are the elements of its own column.
        child = self.children[fid]
        items = self.values(child[0], content) if child else numbers(np.asarray(content.data))
        return [items[i : i + size] for i in range(0, layout.length * size, size)]

    def collection(self, fid, layout):
        if len(self.children[fid]) != 1:
            raise Shape(f"{self.path(fid)}: a collection with {len(self.children[fid])} children")
        child, type_name = self.children[fid][0], self.records[fid].type_name
        if type_name.startswith("std::optional<"):
            expect(self, fid, layout, ak.contents.IndexedOptionArray)
            items = self.values(child, layout.content)
            return [None if i < 0 else items[i] for i in layout.index.data.tolist()]
        expect(self, fid, layout, ak.contents.ListOffsetArray)
        lists = split(self.path(fid), layout, lambda content: self.values(child, content))
        if type_name.startswith("std::unique_ptr<"):
            if any(len(items) > 1 for items in lists):
                raise Shape(f"{self.path(fid)}: a unique_ptr to several values")
            return [items[0] if items else None for items in lists]
        return lists

    def record(self, fid, layout):
        expect(self, fid, layout, ak.contents.RecordArray)
        # The order in which uproot lays out a record: members of base classes (children named
        # ":_N", which it calls anonymous) are pulled up into the derived record.
        members, bases = [], [fid]
        while bases:
            for child in self.children[bases.pop()]:
                anonymous = self.ntuple.all_fields[child].is_anonymous
                (bases if anonymous else members).append(child)
        if len(members) != len(layout.contents):
            raise Shape(f"{self.path(fid)}: {len(layout.contents)} members, the schema has {len(members)}")
        # uproot renames the members of tuples ("_0" to "0") and of bases (prefixes, when two
        # bases have a member of one name). The first is undone by position; the second is kept.
        flattened = len(members) != len(self.children[fid]) or any(
            self.records[member].parent_field_id != fid for member in members
        )
        names = [
            self.ntuple.all_fields[member].name if flattened else self.records[member].field_name
            for member in members
        ]
        if len(set(names)) != len(names):
            raise Shape(f"{self.path(fid)}: members of one name: {names}")
        rows = [{} for _ in range(layout.length)]
        for name, member, content in zip(names, members, layout.contents, strict=True):
            for row, value in zip(rows, self.values(member, content[: layout.length]), strict=True):
                row[name] = value
        return rows

    def variant(self, fid, layout):
        expect(self, fid, layout, ak.contents.UnionArray)
        # Content 0 stands for the invalid variant, content n for the alternative of tag n.
        if len(layout.contents) != len(self.children[fid]) + 1:
            raise Shape(f"{self.path(fid)}: {len(layout.contents)} alternatives in the array")
        items = [
            self.values(child, content)
            for child, content in zip(self.children[fid], layout.contents[1:], strict=True)
        ]
        rows = []
        for tag, index in zip(layout.tags.data.tolist(), layout.index.data.tolist(), strict=True):
            if tag > 0 and not 0 <= index < len(items[tag - 1]):
                raise Shape(f"{self.path(fid)}: no element {index} of alternative {tag}")
            rows.append({"variant": tag, "value": items[tag - 1][index] if tag > 0 else None})
        return rows

    def has_variant(self, fid):
        """Whether the field or one below it is a variant."""
        is_variant = int(self.records[fid].struct_role) == VARIANT
        return is_variant or any(self.has_variant(child) for child in self.children[fid])

    def path(self, fid):
        record = self.records[fid]
        above = "" if record.parent_field_id == fid else self.path(record.parent_field_id) + "."
        return above + record.field_name


def expect(walk, fid, layout, kind):
    if not isinstance(layout, kind):
        record = walk.records[fid]
        role = name_of(ROLES, int(record.struct_role))
        raise Shape(
            f"{walk.path(fid)} ({role}, type {record.type_name!r}): uproot gives a "
            f"{type(layout).__name__}, not a {kind.__name__}"
        )


def split(path, layout, convert):
    """The lists of a ListOffsetArray; Python's slices would hide offsets that make no sense."""
    offsets = np.asarray(layout.offsets.data)
    if offsets[0] < 0 or np.any(np.diff(offsets) < 0) or offsets[-1] > layout.content.length:
        raise Shape(f"{path}: offsets decrease or leave the {layout.content.length} items")
    start, offsets = int(offsets[0]), offsets.tolist()
    items = convert(layout.content[start : offsets[-1]])
    return [items[a - start : b - start] for a, b in zip(offsets, offsets[1:])]


def strings(layout):
    def text(chars):
        try:
            return chars.decode("utf-8")
        except UnicodeDecodeError:
            return {"bytes": chars.hex()}

    chars = split("string", layout, lambda content: np.asarray(content.data).astype(np.uint8).tobytes())
    return [text(each) for each in chars]


def numbers(array):
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise Shape(f"numbers of type {array.dtype} in {array.ndim} dimensions")
    if array.dtype.kind != "f":
        return array.tolist()
    exact = array.astype(np.float64).tolist()
    return [value if math.isfinite(value) else not_finite(value) for value in exact]


def not_finite(value):
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


# --- file -------------------------------------------------------------------------------------


def newest_keys(directory, prefix=""):
    """(path, key) of every object in the file, the highest cycle of each name."""
    newest = {}
    for name in directory.keys(recursive=False, cycle=True):
        key = directory.key(name)
        known = newest.get(key.fName)
        if known is None or abs(known.fCycle) < abs(key.fCycle):
            newest[key.fName] = key
    for name, key in newest.items():
        if key.fClassName in DIRECTORIES:
            yield from newest_keys(key.get(), f"{prefix}{name}/")
        else:
            yield prefix + name, key


def clusters(ntuple):
    """The entries of each cluster."""
    summaries = ntuple.cluster_summaries
    return [(each.num_first_entry, each.num_first_entry + each.num_entries) for each in summaries]


def read_field(ntuple, walk, field, ranges):
    """The values of a field, so many entries at a time."""
    values = []
    for start, stop in ranges:
        array = field.array(start, stop, array_cache=None)
        values += walk.values(field.field_id, array.layout)
    if len(values) != ntuple.num_entries:
        raise Shape(f"{len(values)} values for {ntuple.num_entries} entries")
    return values


def read_ntuple(ntuple):
    version = [ntuple.member(f"fVersion{part}") for part in ("Epoch", "Major", "Minor", "Patch")]
    document = {
        "name": ntuple.header.ntuple_name,
        "description": ntuple.header.ntuple_description,
        "writer": ntuple.header.writer_identifier,
        "format_version": ".".join(map(str, version)),
        "entries": int(ntuple.num_entries),
        "fields": schema(ntuple),
        "values": {},
        "values_by_cluster": {},
        "unreadable": {},
    }
    walk = Walk(ntuple)
    # Not ntuple[name]: a look-up by name may answer with a member of the same name.
    for field in ntuple.fields:
        name = ntuple.field_records[field.field_id].field_name
        try:
            values = read_field(ntuple, walk, field, [(0, ntuple.num_entries)])
            if walk.has_variant(field.field_id):
                document["values_by_cluster"][name] = read_field(ntuple, walk, field, clusters(ntuple))
            document["values"][name] = values
        except Exception as error:  # noqa: BLE001 - whatever uproot raises is the reason
            document["unreadable"][name] = reason(error)
    return document


def read_file(path):
    document = {"peer": "uproot", "version": uproot.__version__, "ntuples": {}, "unreadable": {}}
    # A mapping, since "name.root:object" in a string would be split at the colon.
    with uproot.open({path: None}) as file:
        for name, key in newest_keys(file):
            if not key.fClassName.endswith("RNTuple"):
                continue
            try:
                document["ntuples"][name] = read_ntuple(key.get())
            except Exception as error:  # noqa: BLE001
                document["unreadable"][name] = reason(error)
    return document


def main():
    parser = argparse.ArgumentParser(description="Reads every RNTuple of a ROOT file with uproot.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--out", metavar="OUT.json", help="instead of stdout")
    arguments = parser.parse_args()
    try:
        document = read_file(arguments.file)
    except Exception as error:  # noqa: BLE001
        print(f"{arguments.file}: {reason(error)}", file=sys.stderr)
        return 1
    text = json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n"
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as out:
            out.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
