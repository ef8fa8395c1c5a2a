#!/usr/bin/env bash
# Bytes of every shipped row, recounted by another program in another language (recount.py says how).
set -euo pipefail
python3 -c 'import yaml' 2>/dev/null || { echo "skipped: no python3 with yaml (Debian: python3-yaml)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BUILD_DIR/bin/rows" >"$work/rows.tsv"
PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/oracle/recount.py" "$work/rows.tsv" "$SOURCE_DIR"/manifest/ops/*.yaml
