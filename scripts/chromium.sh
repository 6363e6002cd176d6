#!/usr/bin/env bash
# Prints the path of a Chromium on standard output; everything else it says goes to standard error.
#
# Looks at $CHROMIUM, then for the usual names on the PATH. If there is none and Debian's packages can be installed
# without asking anybody (as root, or with sudo that wants no password), installs one: the shell without windows, which
# shows pages as the whole browser does and takes two thirds of its time, or else the whole.
set -euo pipefail

names=(chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable)

find_browser() {
    local name path
    for name in "${names[@]}"; do
        if path=$(command -v "$name"); then
            echo "$path"
            return 0
        fi
    done
    for path in "/Applications/Chromium.app/Contents/MacOS/Chromium" \
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        if [[ -x $path ]]; then
            echo "$path"
            return 0
        fi
    done
    return 1
}

give_up() {
    echo "$1 Install Chromium (Debian, Ubuntu: apt-get install chromium) or name one: CHROMIUM=/path/to/chromium" >&2
    exit 1
}

if [[ -n ${CHROMIUM:-} ]]; then
    path=$(command -v "$CHROMIUM") || give_up "CHROMIUM=$CHROMIUM is not a program."
    echo "$path"
    exit 0
fi

find_browser && exit 0

command -v apt-get >/dev/null || give_up "The browser tests need a Chromium, and none was found."
as_root=()
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || give_up "The browser tests need a Chromium, and none was found."
    as_root=(sudo -n)
fi

echo "no Chromium found: installing the package chromium-headless-shell" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$1"
}
install_any() {
    "${as_root[@]}" apt-get update && { install chromium-headless-shell || install chromium; }
}
if ! install_any >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    give_up "The package chromium could not be installed."
fi

find_browser || give_up "The package chromium was installed, but no browser was found."
