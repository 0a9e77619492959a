#!/usr/bin/env bash
# Compiles the hot modules with address and undefined-behaviour sanitizers into an environment of their own
# (build/sanitized), then runs the fuzz targets in it; arguments go to fuzz/run.py.
#
#   fuzz/sanitized.sh --seconds 6 --processes 2    # the smoke run of two minutes
#   fuzz/sanitized.sh sc2_mpq --input FILE         # one input, as to reproduce a finding
#   fuzz/sanitized.sh build                        # compile and make the seeds, nothing else; BUILT=1 skips that later
#
# MODULES names the hot modules that get sanitizers; the others are those of PLAYHEAD_WHEEL. Their C files come from
# PLAYHEAD_TRANSLATED (.ci/run). Without it, all are compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
export VIRTUAL_ENV=${SANITIZED:-$PWD/build/sanitized}
export CC=${CC:-gcc}
sanitize=address,undefined
# Without optimization: gcc takes a third of the time, and a run misses nothing that -O1 would find.
# A null pointer that is used ends the process anyway.
flags="-fsanitize=$sanitize -fno-sanitize=null -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1 -O0"
if [ -z "${BUILT:-}" ]; then
  if [ "${MODULES:-}" ]; then
    scripts/install . >/dev/null
    read -r headers suffix package < <("$VIRTUAL_ENV/bin/python" -c 'if True:
      import playhead, sysconfig
      print(sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX"), playhead.__path__[0])')
    for module in $MODULES; do
      printf '%s\0' "$CC $flags -shared -fPIC -w -I$headers $PLAYHEAD_TRANSLATED/${module//\//_}.c -o $package/$module$suffix"
    done | xargs -0 -P "$(nproc)" -I{} sh -c {}
  else
    CFLAGS="$flags" LDFLAGS="-fsanitize=$sanitize" \
      scripts/install --config-settings=setup-args=-Dextensions=enabled --config-settings=setup-args=-Dbuildtype=plain . >/dev/null
  fi
  rm -rf build/seeds # `fuzz/run.py --seeds` reads every file there, also those of an older commit
  # Interpreted and without sanitizers, once for all targets: with them, samples take half a minute of each process.
  PLAYHEAD_PURE_PYTHON=1 "$VIRTUAL_ENV/bin/python" fuzz/seeds.py build/seeds
fi
if [ "${1:-}" = build ]; then exit; fi
# Python's own allocator would hide what is next to its objects; its leaks at the end are none of ours.
export LD_PRELOAD="$(${CC##* } -print-file-name=libasan.so)" PYTHONMALLOC=malloc PLAYHEAD_REQUIRE_COMPILED=1
# Arrow's own pools would hide what is next to its buffers.
export ARROW_DEFAULT_MEMORY_POOL=system
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
exec "$VIRTUAL_ENV/bin/python" fuzz/run.py --seeds build/seeds "$@"
