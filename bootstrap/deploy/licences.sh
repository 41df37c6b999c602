#!/usr/bin/env bash
# Prints the licences of all parts of the binaries: the standard library of Go, the modules of each platform, and the
# scripts in the pages. A part without a licence is an error.
set -euo pipefail
export CGO_ENABLED=0 LC_ALL=C
modules() {
  for system in darwin linux windows; do
    GOOS=$system go list -deps -tags nomsgpack -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' \
      ./bootstrap/resellerd
  done | sort -u
}
scripts() {
  echo "Redoc - adapters/httpapi/pages/redoc/LICENSE.txt"
  echo "Preact - adapters/console/LICENSE.preact.txt"
  echo "htm - adapters/console/LICENSE.htm.txt"
  echo "uqr - adapters/console/LICENSE.uqr.txt"
  echo "Lucide - adapters/console/LICENSE.lucide.txt"
}
echo "resellerd contains the following works, under the licences that follow their names."
{ echo "std $(go env GOVERSION) $(go env GOROOT)"; modules; scripts; } | while read -r name version path; do
  texts=$(find "$path" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
  [ -n "$texts" ] || { echo "$name $version has no licence in $path" >&2; exit 1; }
  printf '\n%s\n%s %s\n' "========================================" "$name" "$version"
  echo "$texts" | while read -r text; do printf '\n%s:\n\n' "$(basename "$text")"; cat "$text"; done
done
