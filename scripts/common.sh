# Shared by the scripts: where the project and its cache are, progress lines, and running long steps.
# Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}
jobs=${TESSERA_JOBS:-$(nproc)}

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step "what it does" LOGFILE command...: runs the command with its output in LOGFILE, prints a line every
# 30 seconds while it runs, and the end of the log when it fails.
step() {
  local what=$1 log=$2 start=$SECONDS rc=0 ticker
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$what (log: $log)"
  (while sleep 30; do
    printf '    ... %s, %d s: %s\n' "$what" $((SECONDS - start)) "$(tail -n 1 "$log" 2>/dev/null | cut -c1-100)" >&2
  done) &
  ticker=$!
  "$@" >"$log" 2>&1 </dev/null || rc=$?
  kill "$ticker" 2>/dev/null
  wait "$ticker" 2>/dev/null || true
  if [ "$rc" -ne 0 ]; then
    tail -n 40 "$log" >&2
    die "$what failed after $((SECONDS - start)) s; the whole log is in $log"
  fi
  printf '    done in %d s\n' $((SECONDS - start)) >&2
}
