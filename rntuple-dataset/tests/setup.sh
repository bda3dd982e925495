#!/usr/bin/env bash
# Installs the Python packages that the tests of data sets compare with. Run it again at any time.
#
# They go into target/dataset/venv, or into the folder that is the only argument; the tests look there, or at the
# interpreter that RNTUPLE_PYTHON names.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv="${1:-target/dataset/venv}"

xtask/python.sh "$venv" pylance==14.0.2 uproot==5.7.7
echo "Python packages are in $venv"
