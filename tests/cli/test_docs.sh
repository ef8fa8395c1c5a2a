#!/usr/bin/env bash
# Every command that the documentation shows runs, and prints what the page says it prints.
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$SOURCE_DIR" && python3 tests/cli/docs.py README.md CONTRIBUTING.md docs/*.md
