"""Says as JSON what Lance finds in a data set, or why it does not open it.

    open.py DATASET
"""

import json
import sys

import lance
from generate import offsets


def main():
    try:
        dataset = lance.dataset(sys.argv[1])
        stable = dataset.has_stable_row_ids
        fragments = []
        for fragment in dataset.get_fragments():
            live, ids = offsets(fragment)
            fragments.append({"id": fragment.fragment_id, "live": live, "row_ids": ids if stable else None})
        said = {"version": dataset.version, "rows": dataset.count_rows(), "fragments": fragments}
    except Exception as error:  # Lance raises more than one type.
        said = {"error": str(error)}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
