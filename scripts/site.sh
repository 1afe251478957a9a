#!/usr/bin/env bash
# Builds the documentation's site into build/site, with MkDocs-Material from PyPI. A link or a heading that is not there is an error.
#
#   scripts/site.sh            builds it
#   scripts/site.sh --serve    serves it at http://127.0.0.1:8000 and builds it again after each change
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/site-venv
if ! "$venv/bin/python" -c 'import material' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q 'mkdocs-material>=9.6,<10'
fi
export NO_MKDOCS_2_WARNING=1
if [[ ${1:-} == --serve ]]; then exec "$venv/bin/mkdocs" serve; fi
# Not --quiet: what it does not print is no error either.
log=build/site.log
"$venv/bin/mkdocs" build --clean >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "build/site: $(find build/site -name '*.html' | wc -l) pages"
