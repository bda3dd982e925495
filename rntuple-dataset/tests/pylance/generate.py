"""Makes Lance data sets, and writes what Lance says that they contain as JSON.

    generate.py FOLDER

Each data set is FOLDER/{name}.lance, what it contains is FOLDER/{name}.json, and which pairs of commits exclude each
other is FOLDER/races.json.
"""

import json
import random
import shutil
import sys
from pathlib import Path

import lance
import pyarrow as pa
from lance import LanceOperation as Op
from lance.fragment import write_fragments


def muons(count, first=0):
    """Rows with a number, a text, and a list of structs."""
    numbers = range(first, first + count)
    muon = pa.struct([("pt", pa.float32()), ("q", pa.int32())])
    return pa.table(
        {
            "number": pa.array(numbers, pa.int64()),
            "text": pa.array([str(number) for number in numbers]),
            "muons": pa.array([[{"pt": 1.5, "q": 1}] * (number % 3) for number in numbers], pa.list_(muon)),
        }
    )


def numbers(count, first=0):
    return pa.table({"number": pa.array(range(first, first + count), pa.int64())})


def fields(schema):
    """All fields, parents before their children."""
    found = []

    def walk(field, parent):
        arrow = field.to_arrow()
        found.append({"id": field.id(), "parent": parent, "name": field.name(), "nullable": arrow.nullable})
        for child in field.children():
            walk(child, field.id())

    for field in schema.fields():
        walk(field, -1)
    return found


def types(schema):
    """The type of each field, by its id."""
    found = {}

    def walk(field):
        found[field.id()] = str(field.to_arrow().type)
        for child in field.children():
            walk(child)

    for field in schema.fields():
        walk(field)
    return found


def offsets(fragment):
    """The offsets of the rows that are left, and their ids."""
    table = fragment.scanner(columns=[], with_row_id=True, with_row_address=True).to_table()
    return (
        [address & 0xFFFFFFFF for address in table["_rowaddr"].to_pylist()],
        table["_rowid"].to_pylist(),
    )


def transaction(dataset, version):
    try:
        found = dataset.read_transaction(version)
    except TypeError:  # pylance 14.0.2 cannot show a rewrite that rewrote indices.
        return None
    if found is None:
        return None
    operation = found.operation
    said = {"read_version": found.read_version, "uuid": found.uuid, "name": type(operation).__name__}
    for name in ("fragments", "updated_fragments", "new_fragments"):
        if hasattr(operation, name):
            said[name] = [fragment.to_json() for fragment in getattr(operation, name)]
    for name in ("deleted_fragment_ids", "removed_fragment_ids", "predicate", "version", "fields_modified"):
        if hasattr(operation, name):
            said[name] = getattr(operation, name)
    for name in ("schema", "new_schema"):
        if hasattr(operation, name):
            said["schema"] = fields(getattr(operation, name))
    if hasattr(operation, "groups"):
        said["groups"] = [
            {
                "old": [fragment.to_json() for fragment in group.old_fragments],
                "new": [fragment.to_json() for fragment in group.new_fragments],
            }
            for group in operation.groups
        ]
    return said


def describe(folder, name):
    """Writes what the data set contains."""
    path = str(folder / f"{name}.lance")
    dataset = lance.dataset(path)
    versions = []
    for entry in dataset.versions():
        version = entry["version"]
        old = dataset.checkout_version(version)
        stable = old.has_stable_row_ids
        fragments = []
        for fragment in old.get_fragments():
            said = fragment.metadata.to_json()
            said["live"], ids = offsets(fragment)
            said["row_ids"] = ids if stable else None
            fragments.append(said)
        versions.append(
            {
                "version": version,
                "seconds": entry["timestamp"].astimezone().timestamp(),
                "rows": old.count_rows(),
                "stable_row_ids": stable,
                "storage_version": old.data_storage_version,
                "max_field_id": old.max_field_id,
                "fields": fields(old.lance_schema),
                "types": types(old.lance_schema),
                "fragments": fragments,
                "config": old.config(),
                "indices": [index.name for index in old.describe_indices()],
                "transaction": transaction(dataset, version),
            }
        )
    said = {"lance": lance.__version__, "versions": versions, "latest": dataset.latest_version}
    said["tags"] = {tag: entry["version"] for tag, entry in dataset.tags.list().items()}
    (folder / f"{name}.json").write_text(json.dumps(said))


def storage(folder, name, version):
    """One data set for each version of the file format: rows of many types, few and many deletions, new columns."""
    path = folder / f"{name}.lance"
    dataset = lance.write_dataset(muons(1000), path, max_rows_per_file=400, data_storage_version=version)
    dataset.delete("number in (3, 5, 700)")
    dataset.insert(muons(50, 1000))
    dataset.delete("number >= 100 and number < 300")
    dataset.add_columns({"twice": "number * 2"})
    dataset.drop_columns(["text"])
    dataset.tags.create("dropped", dataset.version)


def v1_names(folder):
    dataset = lance.write_dataset(numbers(10), folder / "v1_names.lance", enable_v2_manifest_paths=False)
    dataset.delete("number = 4")


def deletions(folder):
    """A few rows as an array, many as a bitmap, and all of a fragment."""
    dataset = lance.write_dataset(numbers(60000), folder / "deletions.lance", max_rows_per_file=20000)
    dataset.delete("number % 1000 = 7")
    dataset.delete("number < 20000 and number % 2 = 0")
    dataset.delete("number >= 20000 and number < 26000")
    dataset.delete("number >= 40000")


def row_ids(folder):
    """Sequences of each kind."""
    source = random.Random(1)
    dataset = lance.write_dataset(
        numbers(12000), folder / "row_ids.lance", max_rows_per_file=3000, enable_stable_row_ids=True
    )
    chosen = [number for number in range(3000) if source.random() < 0.01]
    dataset.delete(f"number in ({', '.join(map(str, chosen))})")
    chosen = [number for number in range(3000, 6000) if source.random() < 0.5]
    dataset.delete(f"number in ({', '.join(map(str, chosen))})")
    dataset.delete("number >= 6000 and number < 9000 and number % 300 != 0")
    dataset.optimize.compact_files(target_rows_per_fragment=1000, materialize_deletions_threshold=0.0)
    dataset.update({"number": "number + 100000"}, where="number % 11 = 0")
    new = pa.table({"number": pa.array([11999, 7, 11000, 999999, 3], pa.int64())})
    dataset.merge_insert("number").when_matched_update_all().when_not_matched_insert_all().execute(new)
    dataset.insert(numbers(10, 50000))
    dataset.optimize.compact_files(materialize_deletions_threshold=0.0)


def sparse(folder):
    """Row ids that are far from each other, and those of no fragment but one."""
    dataset = lance.write_dataset(numbers(40000), folder / "sparse.lance", enable_stable_row_ids=True)
    dataset.delete("number % 500 != 0")
    dataset.optimize.compact_files(materialize_deletions_threshold=0.0)


def history(folder):
    """What commits do to settings, schema and versions."""
    path = folder / "history.lance"
    dataset = lance.write_dataset(numbers(100), path, max_rows_per_file=40)
    dataset.update_config({"a": "1", "b": "2"})
    dataset.delete_config_keys(["a"])
    dataset.add_columns({"half": "number / 2"})
    dataset.alter_columns({"path": "half", "name": "part"})
    dataset.create_scalar_index("number", "BTREE")
    dataset.optimize.compact_files(target_rows_per_fragment=100)
    dataset.tags.create("compacted", dataset.version)
    dataset.checkout_version(1).restore()
    lance.write_dataset(numbers(7), path, mode="overwrite")
    dataset = lance.dataset(path)
    dataset.update({"number": "0"}, where="number = 3")


class Race:
    """A base data set, and commits that are made from its version."""

    def __init__(self, folder):
        self.folder = folder
        self.base = folder / "race.lance"
        dataset = lance.write_dataset(numbers(30), self.base, max_rows_per_file=10)
        self.dataset = dataset.add_columns({"half": "number / 2"}) or lance.dataset(self.base)

    def operations(self, path):
        """Operations by name; their files are in `path`."""
        dataset = lance.dataset(path)
        table = pa.table({"number": pa.array([1], pa.int64()), "half": pa.array([1], pa.int64())})
        new = write_fragments(table, path, mode="append")
        first, second, third = dataset.get_fragments()
        keep = [field for field in dataset.schema if field.name != "half"]

        def merged():
            pieces = [piece.merge_columns(lambda batch: pa.record_batch([batch["number"]], ["third"]), ["number"])
                      for piece in dataset.get_fragments()]
            return [piece[0] for piece in pieces], pieces[0][1]

        fragments, schema = merged()
        projected = lance.schema.LanceSchema.from_pyarrow(pa.schema(keep))
        config = Op.UpdateConfig(config_updates=Op.UpdateMap({"key": "value"}))
        return {
            "append": Op.Append(new),
            "delete_first": Op.Delete([first.delete("number = 3")], [], "number = 3"),
            "delete_second": Op.Delete([second.delete("number = 13")], [], "number = 13"),
            "remove_first": Op.Delete([], [0], "number < 10"),
            "update_first": Op.Update(
                updated_fragments=[first.delete("number = 5")], new_fragments=new, fields_modified=[0],
                update_mode="rewrite_rows",
            ),
            "merge": Op.Merge(fragments, schema),
            "merge_valid": Op.Merge(fragments, schema, preserves_nullability=True),
            "project": Op.Project(projected),
            "project_valid": Op.Project(projected, preserves_nullability=True),
            "rewrite_first": Op.Rewrite([Op.RewriteGroup([first.metadata], new)], []),
            "rewrite_third": Op.Rewrite([Op.RewriteGroup([third.metadata], new)], []),
            "overwrite": Op.Overwrite(dataset.lance_schema, new),
            "restore": Op.Restore(1),
            "config": config,
            "replace_first": Op.DataReplacement([Op.DataReplacementGroup(0, self.replacement(path, first))]),
        }

    def replacement(self, path, fragment):
        """A new file for the column `half` of a fragment."""
        old = next(file for file in fragment.metadata.files if file.fields == [1])
        shutil.copy(path / "data" / old.path, path / "data" / "replacement.lance")
        return lance.fragment.DataFile(
            "replacement.lance", [1], old.column_indices, old.file_major_version, old.file_minor_version,
            old.file_size_bytes,
        )

    def run(self):
        # All files are in the base, so that each copy of it has those of every operation.
        operations = self.operations(self.base)
        outcomes = []
        read_version = self.dataset.version
        for theirs, operation in operations.items():
            path = self.folder / f"race_{theirs}.lance"
            shutil.copytree(self.base, path)
            lance.LanceDataset.commit(str(path), operation, read_version=read_version)
            for ours, operation in operations.items():
                pair = self.folder / "pair.lance"
                shutil.copytree(path, pair)
                try:
                    lance.LanceDataset.commit(str(pair), operation, read_version=read_version, max_retries=0)
                    outcome = "ok"
                except Exception as error:  # Lance raises more than one type.
                    outcome = str(error)
                outcomes.append({"ours": ours, "theirs": theirs, "outcome": outcome})
                shutil.rmtree(pair)
        return {"read_version": read_version, "names": list(operations), "outcomes": outcomes}


def main():
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    versions = ["legacy", "2.0", "2.1", "2.2", "2.3"]
    names = [f"storage_{version}" for version in versions]
    for name, version in zip(names, versions):
        storage(folder, name, version)
    for make in (v1_names, deletions, row_ids, sparse, history):
        make(folder)
        names.append(make.__name__)
    for name in names:
        describe(folder, name)
    (folder / "names.json").write_text(json.dumps(names))
    (folder / "races.json").write_text(json.dumps(Race(folder).run()))


if __name__ == "__main__":
    main()
