#!/bin/sh
# Tests of the engines that run on many machines, with processes on this one. From an empty target some 440 packages are
# compiled. Flags go to `cargo test`: engines/test.sh -p rntuple-worker queries
set -eu
cd "$(dirname "$0")"
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
cargo fmt --all --check
exec cargo test --locked --workspace "$@"
