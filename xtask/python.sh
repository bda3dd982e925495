#!/usr/bin/env bash
# Installs Python packages into an environment: xtask/python.sh FOLDER PACKAGE..
#
# By uv, in seconds, where pip takes minutes; packages that several environments have are links to one copy. Where uv
# cannot be had, by pip.
set -euo pipefail
tools="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
folder="${1:?xtask/python.sh FOLDER PACKAGE..}"
shift

version=0.13.9
mkdir -p "$tools"
uv() {
    "$tools/uv/bin/uv" "$@"
}
# Several may want it at the same time.
{
    flock 9
    if [ "$(uv --version 2>/dev/null | cut -d ' ' -f 2)" != "$version" ]; then
        python3 -m venv --clear "$tools/uv"
        "$tools/uv/bin/pip" install --quiet --disable-pip-version-check "uv==$version" || true
    fi
} 9>"$tools/uv.lock"

python3 -m venv "$folder"
uv pip install --quiet --python "$folder/bin/python" "$@" ||
    "$folder/bin/pip" install --quiet --no-input --disable-pip-version-check "$@"
