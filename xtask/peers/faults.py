"""What the peers get wrong, and what of it is known.

Two lists, both by name and with a reason. UNREADABLE says which fields a peer cannot read. FAULTS says which
values it gives wrongly, and what it gives instead: that is what its answer is compared with, so a known
fault is no licence to be wrong in another way. Whatever is in neither list must be right.
"""

import collections
import re
import struct

from values import FORESEEN, About, Anything, Decoded, Near, same

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


def added(schema, field):
    """A field of the footer whose columns have pages in every cluster."""
    return field.get("added", False)


def several_representations(schema, field):
    return any("repidx" in column for column in field["columns"])


def represented_pair(schema, field):
    return sum("repidx" in column for column in field["columns"]) > 1


def offsets_of_two_widths(schema, field):
    widths = {column["bits"] for column in field["columns"] if "Index" in column["type"]}
    return len(widths) > 1


def mergeable_variant(schema, field):
    """Awkward merges numbers of any two types, so it has no union of them."""
    if field["role"] != "variant":
        return False
    numbers = [child for child in schema.children[field["id"]] if is_number(schema, child)]
    return len(numbers) > 1


def variant_of_variant(schema, field):
    inner = schema.children[field["id"]]
    return field["role"] == "variant" and any(child["role"] == "variant" for child in inner)


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
    ("uproot", represented_pair, "where two columns are suppressed, the first one is read for the second"),
    ("uproot", mergeable_variant, "an Awkward union cannot hold two number types"),
    ("uproot", variant_of_variant, "an Awkward union cannot hold a union"),
    ("uproot", offsets_of_two_widths, "offsets of 32 bits are widened in place, over those that follow"),
    ("uproot", option_of_option, "an Awkward option cannot hold an option or a union"),
    ("jsroot", shadowed, "selection by name finds a member of the same name first"),
    ("jsroot", not_stl, "a collection that is not a std:: container is read as its index column"),
    ("jsroot", empty_record, "a record without members is taken for a field without columns"),
    ("jsroot", bare_record, "a record without type name or checksum is taken for a field without columns"),
    ("jsroot", enumeration, "the wrapper of an enum is taken for a field without columns"),
    ("jsroot", cardinality, "projected fields have no columns"),
    ("jsroot", projected, "projected fields have no columns"),
    ("jsroot", deferred, "deferred columns are looked up in clusters that do not have them"),
    ("jsroot", added, "columns of the footer are looked up by other numbers than theirs"),
    ("jsroot", several_representations, "suppressed columns are not understood"),
]


# (peer, what a field or one of its sub-fields is, why what the peer gives instead of an error means nothing)
MISREAD = [
    ("jsroot", deferred, "the pages of deferred columns are taken for those of the first entries"),
    ("jsroot", added, "columns of the footer are looked up by other numbers than theirs"),
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
    plain = isinstance(value, float) and not isinstance(value, FORESEEN)
    return Near(value) if quantized and plain else value


def js_quant_wide(value, schema, field):
    """The number of steps, 2**bits - 1, is computed in 32 signed bits: -2**31 - 1 for 31 bits, 0 for 32."""
    column = next((each for each in schema.columns(field) if each["type"] == "Real32Quant"), None)
    if column is None or column["bits"] < 31 or not isinstance(value, float):
        return value
    low, high = column["min"], column["max"]
    if column["bits"] == 31:
        return About(2 * low - value, (high - low) * 1e-6)
    # The value is low + n * infinity, where n is read as a signed number of 32 bits.
    return "NaN" if value == low else "Infinity" if value < (low + high) / 2 else "-Infinity"


def js_streamer(value, schema, field):
    """A streamer field is decoded; its bytes are not to be had."""
    return Decoded() if isinstance(value, dict) and "streamed" in value else value


def py_quant(value, schema, field):
    """Real32Quant is narrowed to float32, in a double field too."""
    quantized = any(column["type"] == "Real32Quant" for column in schema.columns(field))
    narrow = quantized and field["type"] == "double" and isinstance(value, float)
    return struct.unpack("<f", struct.pack("<f", value))[0] if narrow else value


def py_bases(value, schema, field):
    """Members of base classes are pulled up, with the class in front where two have one name."""
    if field["role"] != "record":
        return value
    bases = [child for child in schema.children[field["id"]] if re.fullmatch(":_[0-9]+", child["name"])]
    if not bases:
        return value
    if any(isinstance(value[base["name"]], Anything) for base in bases):
        return Anything()
    own = {name: item for name, item in value.items() if all(name != base["name"] for base in bases)}
    names = collections.Counter([*own, *(name for base in bases for name in value[base["name"]])])
    flat, is_deep = dict(own), False
    for base in bases:
        has_bases = any(child["name"].startswith(":_") for child in schema.children[base["id"]])
        for name, item in value[base["name"]].items():
            is_twice = names[name] > 1
            flat[f"{base['type']}::{name}" if is_twice else name] = item
            # Which of several classes are named then is a long story.
            is_deep |= is_twice and has_bases
    return Anything() if is_deep or len(flat) != sum(names.values()) else flat


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
# Faults that are dealt with elsewhere: what they are, in one sentence.
ELSEWHERE = {
    "mangled name": "the bytes of names are taken for Latin-1 (undone before anything is compared)",
    "first group": "only the first cluster group is read (its entries are compared)",
    "variant clusters": "the index of a variant, which starts anew in each cluster, is taken for one into the "
    "whole column (the first cluster is compared, and then every cluster, each read on its own)",
    "inner offsets": "the offsets of collections and strings inside a field, which start anew in each cluster, are "
    "taken to go on (the first cluster is compared, and then every cluster, each read on its own)",
}


def reason_of(name):
    """A known fault, in one sentence."""
    for _, known, function in FAULTS:
        if known == name:
            return f"{name}: {function.__doc__.rstrip('.')}"
    return f"{name}: {ELSEWHERE[name]}"


def unreadable_field(peer, schema, field, entries):
    """Why the peer cannot read the field of an ntuple with so many entries, if that is known."""
    if peer == "jsroot" and entries == 0:
        return "an ntuple without entries is an error"
    return ruled_out(UNREADABLE, peer, schema, field)


def misread_field(peer, schema, field):
    """Why the peer's values of a field mean nothing, if that is known."""
    return ruled_out(MISREAD, peer, schema, field)


def ruled_out(rules, peer, schema, field):
    tree = list(schema.below(field))
    for owner, rule, why in rules:
        if owner == peer and any(rule(schema, each) for each in tree):
            return why
    return None


def unreadable_ntuple(peer, wanted):
    """Why the peer cannot read the whole ntuple, if that is known."""
    if peer == "jsroot" and not wanted.get("streamer_info", True):
        return "there is no streamer info of the anchor in the file"
    if wanted.get("max_key_size"):
        return "header and page lists that are continued in other keys cannot be followed"
    return None


def one_cluster_at_a_time(peer, schema, field):
    """The fault, if there is one, that makes the peer read the field rightly only cluster by cluster."""
    below = list(schema.below(field))
    if peer == "uproot" and any(each["role"] == "variant" for each in below):
        return "variant clusters"
    inner = (each["role"] == "collection" or each["type"] == "std::string" for each in below[1:])
    return "inner offsets" if peer == "jsroot" and any(inner) else None


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


