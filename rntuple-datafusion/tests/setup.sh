#!/usr/bin/env bash
# Installs the Python packages that SQL is compared with. Run it again at any time.
#
# They go into target/datafusion/venv, or into the folder that is the only argument; the tests look there, or at the
# interpreter that RNTUPLE_PYTHON names.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv="${1:-target/datafusion/venv}"

xtask/python.sh "$venv" duckdb==2.0.0 polars==2.1.0 uproot==5.7.7 awkward==2.14.0
echo "Python packages are in $venv"
