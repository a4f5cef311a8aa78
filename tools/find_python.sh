#!/bin/sh
# Print a Python that can build the environment: 3.11 or later, with venv and pip inside.
# PYTHON=/path/to/python3 in the environment names one; else the newest tried one on PATH is taken.
set -eu

is_new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
can_make_venv='import venv, ensurepip'
lacking=

for name in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3 python}; do
  # Version managers put stand-ins on PATH that exist but do not run, so each one is tried.
  "$name" -c "$is_new_enough" >/dev/null 2>&1 || continue
  if "$name" -c "$can_make_venv" >/dev/null 2>&1; then
    command -v "$name"
    exit 0
  fi
  lacking="$lacking $name"
done

if [ -n "$lacking" ]; then
  echo "Duly found$lacking, but it lacks the module venv (or ensurepip)." >&2
  echo "Install it, for example with: apt-get install python3-venv   then run this again." >&2
else
  echo "Duly needs Python 3.11 or later, and found none${PYTHON:+ at $PYTHON}." >&2
  echo "Install it, or name one: make setup PYTHON=/path/to/python3.11" >&2
fi
exit 1
