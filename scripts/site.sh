#!/usr/bin/env bash
# Builds the documentation's site into build/site, with MkDocs-Material from PyPI. A link or a heading that is not there is an error.
#
#   scripts/site.sh            builds it
#   scripts/site.sh --serve    serves it at http://127.0.0.1:8000 and builds it again after each change
#   scripts/site.sh --release FOLDER
#                              builds it, and puts it into FOLDER/VERSION beside the sites of other versions; pages have a switch between them
#   scripts/site.sh --check    builds it, and opens every page in a browser (scripts/site-check.py; Debian: chromium, chromium-driver)
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/site-venv
if ! "$venv/bin/python" -c 'import material, mkdocs_print_site_plugin' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q 'mkdocs-material>=9.6,<10' 'mkdocs-print-site-plugin>=2.6,<3'
fi
export NO_MKDOCS_2_WARNING=1
if [[ ${1:-} == --serve ]]; then exec "$venv/bin/mkdocs" serve; fi
# Not --quiet: what it does not print is no error either.
log=build/site.log
"$venv/bin/mkdocs" build --clean >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "build/site: $(find build/site -name '*.html' | wc -l) pages"
if [[ ${1:-} == --check ]]; then set -- --check build/site-versions; fi
if [[ ${1:-} == --release || ${1:-} == --check ]]; then
  version=$(sed -n 's/^project(kiln VERSION \([0-9]*\.[0-9]*\).*/\1/p' CMakeLists.txt)
  mkdir -p "$2"
  rm -rf "${2:?}/$version"
  cp -r build/site "$2/$version"
  python3 - "$2" <<'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
versions = sorted((f.name for f in folder.iterdir() if (f / "index.html").is_file()), key=lambda v: [int(n) for n in v.split(".")], reverse=True)
(folder / "versions.json").write_text(json.dumps([{"version": v, "title": v, "aliases": ["latest"] if v == versions[0] else []} for v in versions]))
(folder / "index.html").write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={versions[0]}/"><a href="{versions[0]}/">kiln {versions[0]}</a>')
END
fi
if [[ ${1:-} == --check ]]; then
  "$venv/bin/python" -c 'import selenium' 2>/dev/null || "$venv/bin/pip" install -q 'selenium>=4.20,<5'
  "$venv/bin/python" scripts/site-check.py "$2/$version"
fi
