"""A file that the tests read."""

import awkward as ak
import numpy as np
import pytest

import rntuple


def events(count=1000):
    random = np.random.default_rng(1)
    muons = random.integers(0, 4, count)
    total = int(muons.sum())
    return ak.zip(
        {
            "number": np.arange(count, dtype=np.uint64),
            "met": random.gamma(2, 15, count).astype(np.float32),
            "tag": ak.Array([f"event {i % 7}" for i in range(count)]),
            "muons": ak.zip(
                {
                    "pt": ak.unflatten(random.gamma(2, 20, total).astype(np.float32), muons),
                    "charge": ak.unflatten(random.choice(np.array([-1, 1], np.int8), total), muons),
                }
            ),
        },
        depth_limit=1,
    )


@pytest.fixture(scope="session")
def array():
    return events()


@pytest.fixture(scope="session")
def path(tmp_path_factory, array):
    path = tmp_path_factory.mktemp("files") / "events.root"
    rntuple.write(f"{path}:Events", array)
    return path


@pytest.fixture
def ntuple(path):
    return rntuple.open(f"{path}:Events")
