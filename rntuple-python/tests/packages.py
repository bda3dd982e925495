"""Packages that tests need and users may lack."""

import importlib
import os

import pytest


def needed(name):
    """Imports a package. Without it the tests are skipped, but for where all packages are required."""
    if os.environ.get("RNTUPLE_PACKAGES_REQUIRED"):
        return importlib.import_module(name)
    return pytest.importorskip(name)
