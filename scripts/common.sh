# Shared by the scripts: where the project and its cache are, progress lines, and running long steps.
# Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}
jobs=${TESSERA_JOBS:-$(nproc)}
export TESSERA_JOBS=$jobs

# Open MPI refuses to start for the root user of a container without the first two, and more processes than cores
# without the third.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# What has been compiled before, in this tree or in another one, is taken from the cache.
if command -v ccache >/dev/null && [ -z "${CCACHE_DISABLE:-}" ]; then
  export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Puts nvcc on the PATH, also from where NVIDIA's packages install it; false where there is none.
find_nvcc() {
  command -v nvcc >/dev/null && return
  [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
}

# use_petsc FLAVOUR [VERSION]: builds that PETSc unless it is in the cache, and exports PETSC_DIR and PETSC_ARCH.
use_petsc() {
  local answer
  answer=$("$root/scripts/petsc" "$@") || exit 1
  eval "$answer"
  export PETSC_DIR PETSC_ARCH
}

# Prints a line every 30 seconds until it is killed. Leaves no process behind that would hold the caller's pipes open.
ticker() {
  local what=$1 log=$2 start=$SECONDS sleeper
  trap 'kill $sleeper; exit' TERM
  while true; do
    sleep 30 &
    sleeper=$!
    wait $sleeper
    printf '    ... %s, %d s: %s\n' "$what" $((SECONDS - start)) "$(tail -n 1 "$log" 2>/dev/null | cut -c1-100)" >&2
  done
}

# attempt "what it does" LOGFILE command...: runs the command with its output in LOGFILE, prints a line every 30 seconds
# while it runs, and the end of the log when it fails. Its status is the command's.
attempt() {
  local what=$1 log=$2 start=$SECONDS rc=0 pid
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$what (log: $log)"
  ticker "$what" "$log" >/dev/null &
  pid=$!
  "$@" >"$log" 2>&1 </dev/null || rc=$?
  kill $pid 2>/dev/null
  wait $pid 2>/dev/null || true
  if [ "$rc" -ne 0 ]; then
    tail -n 40 "$log" >&2
    printf '    %s FAILED after %d s; the whole log is in %s\n' "$what" $((SECONDS - start)) "$log" >&2
    return "$rc"
  fi
  printf '    done in %d s\n' $((SECONDS - start)) >&2
}

# step: attempt, and the end of the script when it fails.
step() { attempt "$@" || exit 1; }

# fetch_from_pypi NAME VERSION: the source of a package as PyPI serves it, in $cache/NAME-VERSION; pip has to be told not to
# build it. (attempt has bash go on after a command that failed, so && stops here, and in other functions that it runs.)
fetch_from_pypi() {
  local name=$1 version=$2 tmp=$cache/tmp.$$
  mkdir -p "$tmp" &&
    python3 -m venv "$tmp/venv" &&
    "$tmp/venv/bin/pip" install -q -U setuptools wheel &&
    "$tmp/venv/bin/pip" download -q --no-deps --no-build-isolation --no-binary :all: -d "$tmp" "$name==$version" &&
    tar -xf "$tmp/$name-$version.tar.gz" -C "$tmp" &&
    rm -rf "$cache/${name:?}-$version" &&
    mv "$tmp/$name-$version" "$cache/$name-$version" &&
    rm -rf "$tmp"
}

# build PRESET [TARGET...]: configures and compiles one of CMakePresets.json, or those targets of it, with the PETSc of
# PETSC_DIR and PETSC_ARCH.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  cd "$root"
  step "configuring preset $preset" "$root/build/log/$preset-configure.log" cmake --preset "$preset"
  step "compiling preset $preset" "$root/build/log/$preset-build.log" \
    cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"
}
