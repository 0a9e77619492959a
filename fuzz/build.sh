#!/usr/bin/env bash
# Builds and packs the fuzz targets in the style of OSS-Fuzz (base image base-builder-python): $OUT gets a program, a corpus
# and a dictionary for each. With SANITIZER=address or undefined the hot modules are compiled with it (CC=clang there).
#
#   OUT=build/out fuzz/build.sh              # elsewhere: wrappers that run fuzz/run.py in this environment
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-build/out}
mkdir -p "$out"
case "${SANITIZER:-}" in
  address | undefined)
    flags="-fsanitize=$SANITIZER -fno-omit-frame-pointer -g -O1"
    export CFLAGS="${CFLAGS:-} $flags" LDFLAGS="${LDFLAGS:-} -fsanitize=$SANITIZER"
    ;;
esac
python3 -m pip install --upgrade 'pip>=25.1' # the first with --group
python3 -m pip install --config-settings=setup-args=-Dextensions=enabled --group fuzz .
# Interpreted: an extension with a sanitizer cannot be loaded without its library.
PLAYHEAD_PURE_PYTHON=1 python3 fuzz/seeds.py build/seeds
for target in fuzz/targets/*.py; do
  name=$(basename "$target" .py)
  [ "$name" = __init__ ] && continue
  printf '#!/bin/sh\nexec python3 "%s/fuzz/run.py" %s --guided --corpus "%s/corpus" -- "$@"\n' \
    "$PWD" "$name" "$out" >"$out/fuzz_$name"
  chmod +x "$out/fuzz_$name"
  cp "build/seeds/$name.dict" "$out/fuzz_$name.dict"
  python3 -m zipfile -c "$out/fuzz_${name}_seed_corpus.zip" "build/seeds/$name/"
done
