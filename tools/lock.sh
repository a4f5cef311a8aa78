#!/usr/bin/env bash
# Write the locks in requirements/ anew: exact versions with hashes of every public artifact, for
# Python 3.11 and later on every platform, naming no host and no path.
#
#   pip install uv && tools/lock.sh            keep what is locked, add what is missing
#   pip install uv && tools/lock.sh --upgrade  take the newest of everything
set -euo pipefail
cd "$(dirname "$0")/.."

command -v uv >/dev/null || {
  echo "tools/lock.sh needs uv. Install it with: pip install uv" >&2
  exit 2
}

# A mirror of this machine must not leak into the locks: its hashes may be its own.
unset PIP_FIND_LINKS PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_FIND_LINKS UV_INDEX UV_INDEX_URL

compile() {
  uv --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-annotate --no-header "$@"
}

compile "$@" pyproject.toml --output-file requirements/run.txt
compile "$@" pyproject.toml --group dev --constraint requirements/run.txt \
  --output-file requirements/dev.txt
compile "$@" --group bench --constraint requirements/dev.txt --output-file requirements/bench.txt

! grep -nE '(https?|file):|--(find-links|index-url|extra-index-url)' requirements/*.txt
