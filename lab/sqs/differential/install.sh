#!/usr/bin/env bash
# Installs the SQS emulators that the lab's endpoint is compared with, each in
# its pinned version, into TWICEPROOF_TOOLS or the user's cache folder: the first
# two that can be, all with TWICEPROOF_FULL=1, or those that are named. One that
# is there already is left alone. It starts nothing.
set -euo pipefail
cd "$(dirname "$0")"

cache=${XDG_CACHE_HOME:-$HOME/.cache}
[ "$(uname)" != Darwin ] || cache=$HOME/Library/Caches
tools=${TWICEPROOF_TOOLS:-$cache/twiceproof}/sqs

say() { echo "sqs emulators: $*"; }

has() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || { say "not installed: $program is missing"; return 1; }
  done
}

# Name and version, as in emulators_test.go.
fauxqs=1.9.2
elasticmq=1.7.1
moto=5.2.5

# npm compares each package with its sum in package-lock.json.
install_fauxqs() {
  has node npm &&
    cp fauxqs/package.json fauxqs/package-lock.json "$1" &&
    npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error &&
    grep -q "\"version\": \"$fauxqs\"" "$1/node_modules/fauxqs/package.json"
}

install_elasticmq() {
  has java mvn &&
    mvn -q -B -Dstyle.color=never --strict-checksums -f elasticmq/pom.xml dependency:copy-dependencies -DoutputDirectory="$1/lib" &&
    cp elasticmq/jars.sha256 "$1" &&
    (cd "$1/lib" && sum -c ../jars.sha256) &&
    [ "$(find "$1/lib" -name '*.jar' | wc -l)" -eq "$(wc -l <elasticmq/jars.sha256)" ]
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum --quiet "$@"; else shasum -a 256 --quiet "$@"; fi
}

# A virtual environment knows its place: it is made where it stays.
install_moto() {
  has python3 &&
    python3 -m venv "$1/venv" &&
    "$1/venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps -r moto/requirements.txt &&
    "$1/venv/bin/python" -m pip -q check &&
    "$1/venv/bin/python" -c "import moto.server, sys; sys.exit(moto.__version__ != '$moto')"
}

# install leaves the file "installed", with the sum of what was asked for, only
# when all of it worked.
install() {
  local name=$1 dir="$tools/$1-${!1}" asked
  asked=$(cat "$name"/* | cksum)
  if [ "$(cat "$dir/installed" 2>/dev/null)" = "$asked" ]; then
    say "$name ${!name}: installed"
    return
  fi
  say "$name ${!name}: installing into $dir"
  rm -rf "$dir"
  mkdir -p "$dir"
  if "install_$name" "$dir"; then
    echo "$asked" >"$dir/installed"
    return
  fi
  rm -rf "$dir"
  say "$name ${!name}: could not be installed"
  return 1
}

order=(fauxqs elasticmq moto) want=2 there=0
[ -z "${TWICEPROOF_FULL:-}" ] || want=${#order[@]}
[ $# -eq 0 ] || { order=("$@"); want=$#; }
for name in "${order[@]}"; do
  [ "$there" -lt "$want" ] || break
  if install "$name"; then there=$((there + 1)); fi
done
if [ "$there" -lt 2 ] && [ $# -eq 0 ] && [ -z "${TWICEPROOF_SKIP_SERVERS:-}" ]; then
  {
    echo "error: the lab's SQS endpoint is compared with two emulators, and $there could be installed"
    echo "hint: two of these are enough: node and npm; java 17 and mvn; python3 with venv"
  } >&2
  exit 1
fi
