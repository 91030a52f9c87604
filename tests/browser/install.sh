#!/bin/sh
# What the tests need beyond Python: Chromium, Pango for PDF, and from npm ipywidgets' front end and what
# builds and checks js/.
# As root on Debian or Ubuntu both come from the distribution; else one line says what to type.
set -eu
cd "$(dirname "$0")"

PATH="$PATH:/usr/sbin:/sbin"
have() { command -v "$1" >/dev/null 2>&1; }

missing=""
have chromium || have chromium-browser || have google-chrome || missing="chromium fonts-dejavu-core"
have npm || missing="$missing npm"
# Playwright's own Node links to it; a bare Debian does not have it.
[ ! -e /etc/debian_version ] || ldconfig -p | grep -q libatomic.so.1 || missing="$missing libatomic1"
# WeasyPrint, which writes reports as PDF, loads this part of Pango.
[ ! -e /etc/debian_version ] || ldconfig -p | grep -q libpangoft2-1.0.so.0 || missing="$missing libpangoft2-1.0-0"

if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && have apt-get; then
        apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing >/dev/null
    else
        echo "The browser tests need: sudo apt-get install $missing" >&2
        exit 1
    fi
fi

for folder in . ../../js; do (
    cd "$folder"
    if [ ! -e node_modules/.installed ] || [ package-lock.json -nt node_modules/.installed ]; then
        npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
        touch node_modules/.installed
    fi
) done
