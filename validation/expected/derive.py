#!/usr/bin/env python3
"""Writes what is expected of each category beside this script: the document, CATEGORY.json, and the schema, a
paragraph of schemas.txt.

    derive.py [--check]

The values stand here as the suite's write.C state them, in the order of its entries; nothing of the crate under
test is used. What is stored with less than it has (Real32Trunc, Real32Quant) is worked out by the rules of the
format's specification. The documents have the form that the suite's read.C print. Schemas are as the README.md
and write.C say: a line for each field, `path: type [column types]`. With --check nothing is written:
the exit code says whether the files are what would be.
"""

import math
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent

# --- the form ---------------------------------------------------------------------------------------


class Pairs(list):
    """The members of an object: names may be there twice."""


class Row(list):
    """A list on one line."""


def real(value):
    """A number as C++'s std::hexfloat prints it, in quotes: 0x1.8p+1."""
    text = float(value).hex()
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f'"{mantissa}p{exponent}"'


class Real(float):
    """A float, in a document."""


def text_of(value, indent=0):
    pad = " " * (indent + 2)
    if value is None:
        return "null"
    if isinstance(value, Real):
        return real(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Row):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        lines, braces = [f'"{name}": {text_of(item, indent + 2)}' for name, item in value], "{}"
    else:
        lines, braces = [text_of(item, indent + 2) for item in value], "[]"
    if not lines:
        return braces
    return braces[0] + "\n" + ",\n".join(pad + line for line in lines) + "\n" + " " * indent + braces[1]


def document(value):
    return "[\n]\n" if value == [] else text_of(value) + "\n"


# --- what is stored ---------------------------------------------------------------------------------


def single(value):
    """Rounded to single precision."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def bits(number):
    """The single precision number with these bits."""
    return struct.unpack("<f", struct.pack("<I", number))[0]


def truncated(value, width):
    """Real32Trunc: the upper bits of single precision; the others are cut off."""
    (number,) = struct.unpack("<I", struct.pack("<f", value))
    return bits(number >> (32 - width) << (32 - width))


def quantized(value, width, low, high):
    """Real32Quant: the nearest of 2^width equal steps from low to high."""
    steps = (1 << width) - 1
    step = math.floor((value - low) * (steps / (high - low)) + 0.5)
    return min(step * ((high - low) / steps) + low, high)


# --- the entries ------------------------------------------------------------------------------------

INDEX = ["Index32", "Index64", "SplitIndex32", "SplitIndex64"]


def named(names, *rows):
    return [dict(zip(names, row, strict=True)) for row in rows]


def indexed(*rows):
    return named(INDEX, *rows)


def reals(names, *rows):
    return [{name: Real(value) for name, value in zip(names, row, strict=True)} for row in rows]


DOCUMENTS = {}

# compression/: the sum of 0, 1, .. of 32 entries, 2 entries, 40 MiB of 8 bytes.
for codec in ["lz4", "lzma", "zlib", "zstd"]:
    DOCUMENTS[f"compression.algorithms.{codec}"] = {"Int64": sum(range(32))}
DOCUMENTS["compression.block.big"] = {"Int64": sum(range(40 * 1024 * 1024 // 8))}
DOCUMENTS["compression.block.short"] = {"Int64": 0 + 1}

# structure/
DOCUMENTS["structure.clusters"] = [{"Int32": 1}, {"Int32": 2}]
DOCUMENTS["structure.cluster_groups"] = [{"Int32": 1}, {"Int32": 2}, {"Int32": 3}, {"Int32": 4}]
DOCUMENTS["structure.empty"] = []
DOCUMENTS["structure.feature_flag"] = {"error": "unsupported format feature: 137"}
DOCUMENTS["structure.attributes"] = [
    {"Value": 1, "Range": Row([0, 0])},
    {"Value": 2, "Range": Row([1, 2])},
]

# projections/
LISTS = [[[1], [2], [3], [4]], [[], [], [], []], [[1], [2, 3], [4, 5, 6], [7, 8, 9, 10]]]
DOCUMENTS["projections.cardinality"] = [
    dict(pair for name, items in zip(INDEX, row, strict=True)
         for pair in [(name, items), (f"{name}Cardinality", len(items))])
    for row in LISTS
]  # fmt: skip
DOCUMENTS["projections.collection"] = [
    {"Vector": [1, 2], "Projected": [1, 2]},
    {"Vector": [], "Projected": []},
]
DOCUMENTS["projections.leaf"] = [{"Pair": [1, Real(2)], "Int32": 1, "Float": Real(2)}]
DOCUMENTS["projections.nested"] = [
    {
        "VectorPair": [[1, Real(2)], [3, Real(4)]],
        "VectorInt": [1, 3],
        "VectorFloat": [Real(2), Real(4)],
    },
    {"VectorPair": [], "VectorInt": [], "VectorFloat": []},
]

# types/vector, types/RVec, types/*set: lists, and lists of lists.
ONE_EACH = [[[1]], [[2]], [[3]], [[4]]]
NONE_EACH = [[], [], [], []]
NESTED_LISTS = [[[1]], [[], [2, 3]], [[4], [], [5, 6]], [[], [7, 8, 9], [], [10]]]
NESTED_SETS = [[[1]], [[], [2, 3]], [[], [4], [5, 6]], [[], [7, 8, 9], [10], [11, 12]]]
for kind in ["RVec", "vector"]:
    DOCUMENTS[f"types.{kind}.fundamental"] = indexed(*LISTS)
    DOCUMENTS[f"types.{kind}.nested"] = indexed(ONE_EACH, NONE_EACH, NESTED_LISTS)
for kind in ["set", "multiset", "unordered_set", "unordered_multiset"]:
    DOCUMENTS[f"types.{kind}.fundamental"] = indexed(*LISTS)
    # Python sorts lists as std::sort sorts vectors.
    DOCUMENTS[f"types.{kind}.nested"] = indexed(ONE_EACH, NONE_EACH, [sorted(sets) for sets in NESTED_SETS])

# types/*map: maps, and maps of maps.
for kind in ["map", "multimap", "unordered_map", "unordered_multimap"]:
    DOCUMENTS[f"types.{kind}.fundamental"] = indexed(
        [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}],
        [{}, {}, {}, {}],
        [{"a": 1}, {"b": 2, "c": 3}, {"d": 4, "e": 5, "f": 6}, {"g": 7, "h": 8, "i": 9, "j": 10}],
    )
    DOCUMENTS[f"types.{kind}.nested"] = indexed(
        [{"a": {"aa": 1}}, {"b": {"bb": 2}}, {"c": {"cc": 3}}, {"d": {"dd": 4}}],
        [{}, {}, {}, {}],
        [
            {"a": {"aa": 1}},
            {"b": {"ba": 2}, "c": {"ca": 3}},
            {"d": {"da": 4}, "e": {"ea": 5, "eb": 6}, "f": {}},
            {"g": {"ga": 7, "gb": 8}, "h": {}, "i": {"ia": 9}, "j": {"ja": 10, "jb": 11, "jc": 12}},
        ],
    )

# types/array
DOCUMENTS["types.array"] = [
    {
        "Array_Int32": [1, 2],
        "Array_Array": [[3, 4], [5, 6], [7, 8]],
        "Array_String": ["ijk", "lmn"],
        "Array_Variant": [19, "uvw"],
        "Array_Vector": [[15, 16, 17], [17, 18]],
    },
    {
        "Array_Int32": [0, 0],
        "Array_Array": [[0, 0], [0, 0], [0, 0]],
        "Array_String": ["", ""],
        "Array_Variant": [0, ""],
        "Array_Vector": [[], []],
    },
]

# types/atomic
ATOMICS = ["Bit", "Byte", "Char", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"]
DOCUMENTS["types.atomic"] = [
    dict(zip(ATOMICS, range(1, 12), strict=True)) | {"Real32": Real(12), "Real64": Real(13)},
    dict.fromkeys(ATOMICS, 0) | {"Real32": Real(0), "Real64": Real(0)},
]

# types/bitset: the highest bit first, as std::bitset::to_string.
DOCUMENTS["types.bitset"] = [
    {f"Bitset{size}": format(value, f"0{size}b") for size, value in zip([1, 64, 65], row, strict=True)}
    for row in [[1 << 0, 1 << 1, 1 << 2], [(1 << size) - 1 for size in [1, 64, 65]], [0, 0, 0]]
]

# types/fundamental/integer
SIZES = [("Int8", 8), ("UInt8", 8), ("Int16", 16), ("UInt16", 16), ("Int32", 32), ("UInt32", 32),
         ("Int64", 64), ("UInt64", 64)]  # fmt: skip
INTEGERS = SIZES + [(f"Split{name}", size) for name, size in SIZES if size > 8]
PATTERN = {8: 0x12, 16: 0x1234, 32: 0x12345678, 64: 0x123456780112358C}
NEGATIVE = {8: -110, 16: -28108, 32: -1842063752, 64: -7911603571969084020}


def is_signed(name):
    return "UInt" not in name


DOCUMENTS["types.fundamental.integer"] = [
    {name: number for number, (name, _) in enumerate(INTEGERS, 1)},
    {name: PATTERN[size] for name, size in INTEGERS},
    {name: NEGATIVE[size] if is_signed(name) else PATTERN[size] for name, size in INTEGERS},
    {name: -(1 << (size - 1)) if is_signed(name) else 0 for name, size in INTEGERS},
    {name: (1 << (size - is_signed(name))) - 1 for name, size in INTEGERS},
]

# types/fundamental/misc
DOCUMENTS["types.fundamental.misc"] = named(["Bit", "Byte", "Char"], [1, 2, 3], [0, 0, 0], [1, 255, 127])

# types/fundamental/real
WIDTHS = {
    "FloatReal16": 16, "FloatReal32": 32, "DoubleReal16": 16, "DoubleReal32": 32, "DoubleReal64": 64,
    "FloatSplitReal32": 32, "DoubleSplitReal32": 32, "DoubleSplitReal64": 64,
}  # fmt: skip
FLT_MAX = float.fromhex("0x1.fffffep127")
BY_WIDTH = [
    {16: "0x1.234p1", 32: "0x1.23456p1", 64: "0x1.2345678901123p1"},
    {16: "-0x1.ffcp15", 32: "-0x1.fffffep127", 64: "-0x1.fffffffffffffp1023"},
    {16: "0x1p-14", 32: "0x1p-126", 64: "0x1p-1022"},
    {16: "0x1p-24", 32: "0x1p-149", 64: "0x1p-1074"},
    {16: "0x1.ffcp15", 32: "0x1.fffffep127", 64: "0x1.fffffffffffffp1023"},
]
DOCUMENTS["types.fundamental.real"] = reals(
    WIDTHS,
    range(1, 9),
    *([float.fromhex(row[width]) for width in WIDTHS.values()] for row in BY_WIDTH),
)

# types/fundamental/real32trunc
TRUNCATED = {f"{kind}Real32Trunc{width}": width for kind in ["Float", "Double"] for width in [10, 16, 31]}
ALL_ONES = single(3.9999997)
# lowest() + 0x1p-149f and max() - 0x1p-149f are lowest() and max(): the difference is rounded away.
TRUNCATED_ROWS = [
    [1, 2, 3, 4, 5, 6],
    [ALL_ONES] * 6,
    [float.fromhex("-0x1.8p127"), float.fromhex("-0x1.fep127"), -FLT_MAX] * 2,
    [float.fromhex("0x1p-126")] * 6,
    [float.fromhex("0x1p-127"), float.fromhex("0x1p-133"), float.fromhex("0x1p-148")] * 2,
    [float.fromhex("0x1.8p127"), float.fromhex("0x1.fep127"), FLT_MAX] * 2,
]
DOCUMENTS["types.fundamental.real32trunc"] = reals(
    TRUNCATED,
    *([truncated(value, width) for value, width in zip(row, TRUNCATED.values(), strict=True)]
      for row in TRUNCATED_ROWS),
)  # fmt: skip

# types/fundamental/real32quant
PI = single(math.pi)
QUANTIZED = {
    "FloatReal32Quant1": (1, -1, 1),
    "FloatReal32Quant8": (8, -1, 1),
    "FloatReal32Quant32": (32, -PI, PI),
    "DoubleReal32Quant1": (1, -1, 1),
    "DoubleReal32Quant20": (20, -1, 1),
    "DoubleReal32Quant32": (32, -100, 25),
}
QUANTIZED_ROWS = [
    [-1, -0.5, 0.25, 0.5, 1, 2],
    [single(2.3509885e-38)] * 6,
    [0, 0, 0, 0, 0, -37.5],
    [-1, -1, -PI, -1, -1, -100],
    [1, 1, PI, 1, 1, 25],
]


def as_stored(name, value):
    stored = quantized(value, *QUANTIZED[name])
    return single(stored) if name.startswith("Float") else stored


DOCUMENTS["types.fundamental.real32quant"] = reals(
    QUANTIZED,
    *([as_stored(name, value) for name, value in zip(QUANTIZED, row, strict=True)] for row in QUANTIZED_ROWS),
)

# types/optional, types/unique_ptr
for kind, last in [("optional", "VectorOpt"), ("unique_ptr", "VectorPtr")]:
    DOCUMENTS[f"types.{kind}"] = named(
        [*INDEX, "String", "Variant", "VectorInt32", last],
        [1, 2, 3, 4, "abc", "def", [1, 2, 3], [4, 5, 6]],
        [None, None, None, None, None, None, None, [None]],
        [0, 0, 0, 0, "", 0, [], []],
    )

# types/pair, types/tuple
DOCUMENTS["types.pair"] = named(
    ["Int32_String", "Variant_Vector", "Pair", "VectorPair"],
    [[1, "abc"], ["def", [2, 3, 4]], [[5, "ghi"], 6], [[7, "jkl"], [8, "mno"]]],
    [[0, ""], [0, []], [[0, ""], 0], []],
)
DOCUMENTS["types.tuple"] = named(
    ["Int32_String_Vector", "Variant", "Tuple", "VectorTuple"],
    [[1, "abc", [2, 3, 4]], ["def"], [[5, "ghi"]], [[6, "jkl"], [7, "mno"]]],
    [[0, "", []], [0], [[0, ""]], []],
)

# types/string
DOCUMENTS["types.string"] = indexed(["a", "b", "c", "d"], [""] * 4, ["🐣"] * 4, ["a", "bc", "def", "ghij"])


# types/user
def user(base, string, variant, vector, nested):
    return {
        ":_0": {"fInt": base},
        "fString": string,
        "fVariant": variant,
        "fVector": vector,
        "fNested": {"fInt": nested},
    }


DOCUMENTS["types.user.class"] = [
    {"f": user(1, "b", 3, [4], 5), "Vector": [user(6, "g", "h", [9, 10], 11), user(12, "m", 14, [15], 16)]},
    {"f": user(0, "", 0, [], 0), "Vector": []},
]
ENUMS = [f"Enum{name}" for name, _ in SIZES]
DOCUMENTS["types.user.enum"] = named(ENUMS, range(1, 9), [0] * 8)

# types/variant
DOCUMENTS["types.variant"] = named(
    ["f", "Vector"], [1, [1]], ["abc", ["abc"]], [[1, 2, 3], [1, "2", 3]], ["", [""]], [[], []]
)


# --- the schemas ------------------------------------------------------------------------------------

# Columns without compression.
LEAVES = {
    "bool": "Bit", "std::byte": "Byte", "char": "Char", "float": "Real32", "double": "Real64",
    **{f"std::{name.lower()}_t": name for name, _ in SIZES},
}  # fmt: skip
COLLECTIONS = [
    "std::vector", "ROOT::VecOps::RVec", "std::set", "std::multiset", "std::unordered_set",
    "std::unordered_multiset", "std::optional", "std::unique_ptr",
]  # fmt: skip
MAPS = ["std::map", "std::multimap", "std::unordered_map", "std::unordered_multimap"]
CLASSES = {
    "Base": [("fInt", "std::int32_t")],
    "Nested": [("fInt", "std::int32_t")],
    "User": [
        (":_0", "Base"),
        ("fString", "std::string"),
        ("fVariant", "std::variant<std::int32_t,std::string>"),
        ("fVector", "std::vector<std::int32_t>"),
        ("fNested", "Nested"),
    ],
    **{f"Enum{name}": [("_0", f"std::{name.lower()}_t")] for name, _ in SIZES},
}


def arguments(text):
    """The arguments of a template, which may be templates."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def lines_of(path, kind, index="Index64", columns=None):
    """The field and all below; `index` is the column type of all collections in it but strings."""
    name, _, rest = kind.partition("<")
    inner = arguments(rest[:-1])
    own, below = [], []
    if kind in CLASSES:
        below = CLASSES[kind]
    elif kind == "std::string":
        own = ["Index64", "Char"]
    elif name in COLLECTIONS:
        own, below = [index], [("_0", inner[0])]
    elif name in MAPS:
        own, below = [index], [("_0", f"std::pair<{rest[:-1]}>")]
    elif name == "std::bitset":
        own = ["Bit"]
    elif name in ["std::array", "std::atomic"]:
        below = [("_0", inner[0])]
    elif name in ["std::pair", "std::tuple", "std::variant"]:
        own = ["Switch"] if name == "std::variant" else []
        below = [(f"_{number}", part) for number, part in enumerate(inner)]
    else:
        own = [LEAVES[kind]]
    own = columns or own
    yield f"{path}: {kind}" + (f" [{', '.join(own)}]" if own else "")
    for name, part in below:
        yield from lines_of(f"{path}.{name}", part, index)


def fields(*named):
    return [line for name, kind in named for line in lines_of(name, kind)]


def leaves(*named):
    return [line for name, kind, column in named for line in lines_of(name, kind, columns=[column])]


def indexed_fields(kind):
    return [line for index in INDEX for line in lines_of(index, kind, index)]


def cxx(name):
    return f"std::{name.lower()}_t"


INT, STRING = "std::int32_t", "std::string"
INTS, VARIANT = f"std::vector<{INT}>", f"std::variant<{INT},{STRING}>"

SCHEMAS = {}
for name in DOCUMENTS:
    if name.startswith("compression."):
        SCHEMAS[name] = leaves(("Int64", "std::int64_t", "SplitInt64"))
    if name in ["structure.clusters", "structure.cluster_groups", "structure.empty"]:
        SCHEMAS[name] = fields(("Int32", INT))
# With the compression that ROOT has where nothing else is said.
SCHEMAS["structure.attributes"] = leaves(("Int32", INT, "SplitInt32"))
for kind in ["vector", "RVec", "set", "multiset", "unordered_set", "unordered_multiset"]:
    template = "ROOT::VecOps::RVec" if kind == "RVec" else f"std::{kind}"
    SCHEMAS[f"types.{kind}.fundamental"] = indexed_fields(f"{template}<{INT}>")
    SCHEMAS[f"types.{kind}.nested"] = indexed_fields(f"{template}<{template}<{INT}>>")
for kind in ["map", "multimap", "unordered_map", "unordered_multimap"]:
    flat = f"std::{kind}<{STRING},{INT}>"
    SCHEMAS[f"types.{kind}.fundamental"] = indexed_fields(flat)
    SCHEMAS[f"types.{kind}.nested"] = indexed_fields(f"std::{kind}<{STRING},{flat}>")
SCHEMAS["types.array"] = fields(
    ("Array_Int32", f"std::array<{INT},2>"),
    ("Array_Array", f"std::array<std::array<{INT},2>,3>"),
    ("Array_String", f"std::array<{STRING},2>"),
    ("Array_Variant", f"std::array<{VARIANT},2>"),
    ("Array_Vector", f"std::array<{INTS},2>"),
)
ATOMIC_TYPES = ["bool", "std::byte", "char", *(cxx(name) for name in ATOMICS[3:]), "float", "double"]
SCHEMAS["types.atomic"] = fields(
    *((name, f"std::atomic<{kind}>") for name, kind in zip([*ATOMICS, "Real32", "Real64"], ATOMIC_TYPES, strict=True))
)
SCHEMAS["types.bitset"] = fields(*((f"Bitset{size}", f"std::bitset<{size}>") for size in [1, 64, 65]))
SCHEMAS["types.fundamental.integer"] = leaves(
    *((name, cxx(name.removeprefix("Split")), name) for name, _ in INTEGERS)
)
SCHEMAS["types.fundamental.misc"] = leaves(
    ("Bit", "bool", "Bit"), ("Byte", "std::byte", "Byte"), ("Char", "char", "Char")
)


def floating(name):
    """The type, and what is behind it in the name."""
    kind = "float" if name.startswith("Float") else "double"
    return kind, name.removeprefix(kind.capitalize())


SCHEMAS["types.fundamental.real"] = leaves(*((name, *floating(name)) for name in WIDTHS))
SCHEMAS["types.fundamental.real32trunc"] = leaves(
    *((name, floating(name)[0], f"Real32Trunc {width}") for name, width in TRUNCATED.items())
)
SCHEMAS["types.fundamental.real32quant"] = leaves(
    *((name, floating(name)[0], f"Real32Quant {width} {real(low)[1:-1]}..{real(high)[1:-1]}")
      for name, (width, low, high) in QUANTIZED.items())
)  # fmt: skip
for kind, last in [("optional", "VectorOpt"), ("unique_ptr", "VectorPtr")]:
    SCHEMAS[f"types.{kind}"] = indexed_fields(f"std::{kind}<{INT}>") + fields(
        ("String", f"std::{kind}<{STRING}>"),
        ("Variant", f"std::{kind}<{VARIANT}>"),
        ("VectorInt32", f"std::{kind}<{INTS}>"),
        (last, f"std::vector<std::{kind}<{INT}>>"),
    )
PAIR, TUPLE = f"std::pair<{INT},{STRING}>", f"std::tuple<{INT},{STRING}>"
SCHEMAS["types.pair"] = fields(
    ("Int32_String", PAIR),
    ("Variant_Vector", f"std::pair<{VARIANT},{INTS}>"),
    ("Pair", f"std::pair<{PAIR},{INT}>"),
    ("VectorPair", f"std::vector<{PAIR}>"),
)
SCHEMAS["types.tuple"] = fields(
    ("Int32_String_Vector", f"std::tuple<{INT},{STRING},{INTS}>"),
    ("Variant", f"std::tuple<{VARIANT}>"),
    ("Tuple", f"std::tuple<{TUPLE}>"),
    ("VectorTuple", f"std::vector<{TUPLE}>"),
)
SCHEMAS["types.string"] = leaves(*((index, STRING, f"{index}, Char") for index in INDEX))
SCHEMAS["types.user.class"] = fields(("f", "User"), ("Vector", "std::vector<User>"))
SCHEMAS["types.user.enum"] = fields(*((name, name) for name in ENUMS))
SCHEMAS["types.variant"] = fields(
    ("f", f"std::variant<{INT},{STRING},{INTS}>"), ("Vector", f"std::vector<{VARIANT}>")
)


def projected(name, kind, source, below=()):
    """A projected field and those below it: what they show, instead of columns of their own."""
    lines = [f"{name}: {kind} = {source}"]
    return lines + [f"{name}.{inner}: {part} = {origin}" for inner, part, origin in below]


SCHEMAS["projections.cardinality"] = indexed_fields(INTS) + [
    line
    for index in INDEX
    for line in projected(
        f"{index}Cardinality", f"ROOT::RNTupleCardinality<std::uint{index[-2:]}_t>", index
    )
]
SCHEMAS["projections.collection"] = fields(("Vector", INTS)) + projected(
    "Projected", f"ROOT::VecOps::RVec<{INT}>", "Vector", [("_0", INT, "Vector._0")]
)
SCHEMAS["projections.leaf"] = [
    *fields(("Pair", f"std::pair<{INT},float>")),
    *projected("Int32", INT, "Pair._0"),
    *projected("Float", "float", "Pair._1"),
]
SCHEMAS["projections.nested"] = [
    *fields(("VectorPair", f"std::vector<std::pair<{INT},float>>")),
    *projected("VectorInt", INTS, "VectorPair", [("_0", INT, "VectorPair._0._0")]),
    *projected("VectorFloat", "std::vector<float>", "VectorPair", [("_0", "float", "VectorPair._0._1")]),
]


def main():
    files = {f"{name}.json": document(value) for name, value in DOCUMENTS.items()}
    paragraphs = ("\n".join([name, *(f"  {line}" for line in SCHEMAS[name])]) for name in sorted(SCHEMAS))
    files["schemas.txt"] = "\n\n".join(paragraphs) + "\n"
    wrong = []
    for name, text in files.items():
        file = HERE / name
        if "--check" not in sys.argv:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            wrong.append(name)
    for name in wrong:
        print(f"{name} is not what derive.py makes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
