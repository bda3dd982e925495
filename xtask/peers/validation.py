#!/usr/bin/env python3
"""Has uproot and JSROOT read the files of the RNTuple Validation Suite, and compares with what is expected.

    validation.py FOLDER --expected DIR --modules DIR --out OUT.json [--suite DIR]

FOLDER has CATEGORY.root, DIR (of --expected) CATEGORY.json and derive.py, which says how documents look. --modules
is the folder that holds node_modules/jsroot. --suite is a checkout of the suite, whose own scripts for JSROOT are
then run too. OUT.json gets

    {CATEGORY: {"uproot" | "jsroot" | "suite": {"verdict": .., "note": .., "foreseen": bool}}}

with the verdict "same"; "different" or "unreadable", with the fields that are, of which KNOWN gives the reason or
none does; or "none", where there is no script.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import uproot_read

HERE = pathlib.Path(__file__).resolve().parent

# Verdict, fields and reason of what is known to be otherwise; no fields: the whole file.
INDEX = ["Index32", "Index64", "SplitIndex32", "SplitIndex64"]
OPTIONS = [*INDEX, "String", "Variant", "VectorInt32"]
ENUMS = [f"Enum{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
GROUPS = ("different", [], "JSROOT reads the first cluster group only")
NO_GROUP = ("unreadable", [], "JSROOT refuses a file without a cluster group, as that of no entries is")
INTEGERS = ["Int64", "SplitInt64", "SplitUInt64", "UInt64"]
ROUNDED = ("different", INTEGERS, "JSROOT rounds integers of 64 bits to doubles")
QUANTIZED = ["DoubleReal32Quant32", "FloatReal32Quant32"]
QUANTUM = ("different", QUANTIZED, "JSROOT has no value for Real32Quant of 32 bits")
PROJECTED = "JSROOT does not read projected fields"
BARE = "JSROOT gives the bare offsets of {}"
KNOWN = {
    ("uproot", "structure.attributes"): ("unreadable", [], "uproot does not read attribute sets, but the entries"),
    ("jsroot", "structure.attributes"): ("unreadable", [], "JSROOT does not read attribute sets, but the entries"),
    ("uproot", "types.fundamental.real32quant"): (
        "different", ["DoubleReal32Quant32"], "uproot narrows Real32Quant to single precision"),
    ("uproot", "types.optional"): (
        "unreadable", ["Variant"], "an Awkward option cannot hold a union"),
    ("uproot", "types.user.class"): (
        "different", ["Vector", "f"], "uproot pulls the members of base classes up into the class"),
    ("jsroot", "projections.cardinality"): ("unreadable", [f"{index}Cardinality" for index in INDEX], PROJECTED),
    ("jsroot", "projections.collection"): ("unreadable", ["Projected"], PROJECTED),
    ("jsroot", "projections.leaf"): ("unreadable", ["Float", "Int32"], PROJECTED),
    ("jsroot", "projections.nested"): ("unreadable", ["VectorFloat", "VectorInt"], PROJECTED),
    ("jsroot", "structure.cluster_groups"): GROUPS,
    ("suite", "structure.cluster_groups"): GROUPS,
    ("jsroot", "structure.empty"): ("unreadable", ["Int32"], NO_GROUP[2]),
    ("suite", "structure.empty"): NO_GROUP,
    ("jsroot", "types.RVec.fundamental"): ("unreadable", INDEX, BARE.format("RVec")),
    ("jsroot", "types.RVec.nested"): ("unreadable", INDEX, BARE.format("RVec")),
    ("jsroot", "types.fundamental.integer"): ROUNDED,
    ("suite", "types.fundamental.integer"): ROUNDED,
    ("jsroot", "types.fundamental.real32quant"): QUANTUM,
    ("suite", "types.fundamental.real32quant"): QUANTUM,
    ("jsroot", "types.optional"): (
        "unreadable", [*OPTIONS, "VectorOpt"], BARE.format("std::optional")),
    ("jsroot", "types.string"): (
        "different", INDEX, "JSROOT makes UTF-16 units of the bytes of a string (the suite's script undoes it)"),
    ("jsroot", "types.unique_ptr"): (
        "unreadable", [*OPTIONS, "VectorPtr"], BARE.format("std::unique_ptr")),
    ("jsroot", "types.user.enum"): ("unreadable", sorted(ENUMS), "JSROOT does not read enums of a class"),
}  # fmt: skip


# --- the suite's form of what the peers' readers give -------------------------------------------------


class Form:
    """Turns values as `uproot_read.py` describes them into those of derive.py."""

    def __init__(self, fields, derive):
        self.fields, self.derive = fields, derive
        self.children = {field["id"]: [] for field in fields}
        for field in fields:
            if field["parent"] is not None:
                self.children[field["parent"]].append(field)

    def top(self):
        return [field for field in self.fields if field["parent"] is None]

    def of(self, field, value):
        template = field["type"].partition("<")[0]
        below = self.children[field["id"]]
        if value is None:
            return None
        if template in ("std::optional", "std::unique_ptr"):
            return self.of(below[0], value)
        if template == "std::bitset":
            return "".join(str(int(bit)) for bit in reversed(value))
        if field["role"] == "variant":
            return self.of(below[value["variant"] - 1], value["value"])
        if field["role"] == "record":
            members = [
                (member["name"], self.of(member, value[member["name"]]))
                for member in below
                if member["name"] in value
            ]
            # What has other names than the schema says is shown as it is.
            names = {member["name"] for member in below}
            members += [(name, item) for name, item in value.items() if name not in names]
            if template in ("std::pair", "std::tuple"):
                return [item for _, item in members]
            return self.derive.Pairs(members)
        if isinstance(value, list):
            items = [self.of(below[0], item) for item in value]
            if template.endswith("map"):
                pairs = self.derive.Pairs((key, item) for key, item in items)
                return self.derive.Pairs(sorted(pairs)) if "unordered" in template else pairs
            return sorted(items) if "unordered" in template else items
        if field["role"] == "plain" and below:
            return self.of(below[0], value)
        if isinstance(value, float):
            # JavaScript has no other numbers than doubles.
            is_single = field["type"] == "float"
            return self.derive.Real(self.derive.single(value) if is_single else value)
        if isinstance(value, bool):
            return int(value)
        return value


def compare(category, document, expected, derive):
    """(verdict, fields, note) of what a reader made of a file."""
    unreadable = document.get("unreadable", {}).get("ntpl")
    if category == "structure.feature_flag":
        is_refused = unreadable or "ntpl" not in document.get("ntuples", {})
        return ("same", [], "") if is_refused else ("different", [], "the file is read")
    if unreadable or "ntpl" not in document.get("ntuples", {}):
        return "unreadable", [], unreadable or document.get("error") or "no ntuple"
    ntuple = document["ntuples"]["ntpl"]
    form = Form(ntuple["fields"], derive)
    if ntuple["unreadable"]:
        fields = sorted(ntuple["unreadable"])
        return "unreadable", fields, "; ".join(dict.fromkeys(ntuple["unreadable"].values()))
    if category == "structure.attributes" and ntuple["values"] == {"Int32": [1, 2, 3]}:
        return "unreadable", [], "only the entries are read"
    if category.startswith("compression."):
        text = derive.document({"Int64": sum(ntuple["values"]["Int64"])})
        return ("same", [], "") if text == expected else ("different", ["Int64"], "")
    wanted = json.loads(expected)
    columns = {}
    for field in form.top():
        values = ntuple["values"][field["name"]]
        columns[field["name"]] = [form.of(field, value) for value in values]
    count = max((len(values) for values in columns.values()), default=0)
    entries = [{name: values[number] for name, values in columns.items()} for number in range(count)]
    found = json.loads(derive.document(entries))
    # Fields may be in another order.
    if found == wanted:
        return "same", [], ""
    if len(found) != len(wanted):
        return "different", [], f"{len(found)} entries instead of {len(wanted)}"
    fields = sorted({
        name
        for one, other in zip(found, wanted, strict=True)
        for name in one.keys() | other.keys()
        if one.get(name) != other.get(name)
    })  # fmt: skip
    return "different", fields, ""


# --- the readers --------------------------------------------------------------------------------------


def read_uproot(file):
    try:
        return uproot_read.read_file(str(file))
    except Exception as error:  # noqa: BLE001 - whatever uproot raises is the reason
        return {"error": uproot_read.reason(error)}


def read_jsroot(files, modules, out):
    command = ["node", HERE / "jsroot_read.mjs", *files, "--modules", modules, "--out-dir", out]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    documents = {}
    for file in files:
        document = out / f"{file.stem}.json"
        documents[file.stem] = (
            json.loads(document.read_text(encoding="utf-8")) if document.exists() else {"error": "no document"}
        )
    return documents


def run_suite(suite, modules, file, out):
    """What the suite's own script makes of a file: its document, or why there is none."""
    script = pathlib.Path("jsroot", *file.stem.split("."), "read.mjs")
    if not (suite / script).exists():
        return None
    # Beside node_modules, where scripts find JSROOT.
    copy = modules / "suite"
    if not copy.is_symlink() or copy.resolve() != suite.resolve():
        copy.unlink(missing_ok=True)
        copy.symlink_to(suite.resolve(), target_is_directory=True)
    command = ["node", "--preserve-symlinks", "--preserve-symlinks-main", copy / script, file, out]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0 or not out.exists():
        said = [line for line in (run.stdout + run.stderr).splitlines() if "Error" in line]
        return {"error": said[0].strip() if said else f"exit code {run.returncode}"}
    return {"text": out.read_text(encoding="utf-8")}


def compare_text(result, expected):
    if "error" in result:
        return "unreadable", [], result["error"]
    if result["text"] == expected:
        return "same", [], ""
    found, wanted = json.loads(result["text"]), json.loads(expected)
    if isinstance(found, list) and len(found) != len(wanted):
        return "different", [], f"{len(found)} entries instead of {len(wanted)}"
    # As text: a number that is rounded, and one that is not.
    lines = zip(result["text"].splitlines(), expected.splitlines(), strict=False)
    fields = sorted({other.split('"')[1] for one, other in lines if one != other and other.count('"') > 1})
    return "different", fields, ""


def judged(reader, category, verdict, fields, note):
    known = KNOWN.get((reader, category))
    if verdict == "same":
        foreseen = known is None
        return {"verdict": verdict, "note": "" if foreseen else f"no more: {known[2]}", "foreseen": foreseen}
    if known and known[:2] == (verdict, fields):
        return {"verdict": verdict, "note": known[2], "foreseen": True}
    listed = f"{', '.join(fields)}: " if fields else ""
    return {"verdict": verdict, "note": f"{listed}{note}", "foreseen": False}


def main():
    parser = argparse.ArgumentParser(description="Has uproot and JSROOT read the files of the suite.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--expected", type=pathlib.Path, required=True)
    parser.add_argument("--modules", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--suite", type=pathlib.Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.expected))
    import derive

    files = sorted(arguments.folder.glob("*.root"))
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        by_jsroot = read_jsroot(files, arguments.modules, folder)
        for file in files:
            category = file.stem
            expected = (arguments.expected / f"{category}.json").read_text(encoding="utf-8")
            row = {
                "uproot": compare(category, read_uproot(file), expected, derive),
                "jsroot": compare(category, by_jsroot[category], expected, derive),
            }
            if arguments.suite:
                out = folder / f"{category}.suite.json"
                result = run_suite(arguments.suite, arguments.modules, file, out)
                if result is not None:
                    row["suite"] = compare_text(result, expected)
            verdicts[category] = {
                reader: judged(reader, category, *verdict) for reader, verdict in row.items()
            }
            verdicts[category].setdefault("suite", {"verdict": "none", "note": "", "foreseen": True})
    arguments.out.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
