#!/usr/bin/env bash
# Builds the web application out of web/ into src/everlore/web_dist/, if anything changed since the last build.
#
#   scripts/web.sh           build
#   scripts/web.sh check     types and unit tests
#   scripts/web.sh dev       a development server that passes /api on to `make run` (port 8420)
#   scripts/web.sh lock      write web/package-lock.json anew from web/package.json
#
# Node.js is the system's, if it is new enough, or else the one that the development environment brings along.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv/bin/python
dist=src/everlore/web_dist

find_node() {
    # What Vite asks for: 20.19, 22.12, or 24 and newer.
    local new_enough='const [a, b] = process.versions.node.split(".").map(Number);
        process.exit(a >= 24 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
    if node -e "$new_enough" 2>/dev/null && command -v npm >/dev/null; then
        return
    fi
    if [[ ! -x .venv/bin/npm ]]; then
        echo "Building the web application needs Node.js 20.19, 22.12, 24 or newer. Install it, or run: make env" >&2
        exit 1
    fi
    export PATH="$PWD/.venv/bin:$PATH"
}

# What the pages know of the server: its OpenAPI document, and the icons that it gives to conversations.
describe_server() {
    # Not empty, as they are after a description that failed.
    if [[ -s web/openapi.json && -s web/icons.json && -z $(find src/everlore -name '*.py' -newer web/openapi.json) ]]; then
        return
    fi
    "$python" -c 'import json; from everlore.turn.icons import ICONS; print(json.dumps(sorted(ICONS)))' >web/icons.json
    "$python" -m everlore.server.openapi >web/openapi.json
}

install_packages() {
    local wanted
    wanted="$(cksum <web/package-lock.json) $(node --version)"
    if [[ $(cat web/node_modules/.installed 2>/dev/null) != "$wanted" ]]; then
        echo "==> installing web/package-lock.json"
        npm --prefix web ci --no-progress --loglevel=error >/dev/null
        echo "$wanted" >web/node_modules/.installed
    fi
}

prepare() {
    find_node
    describe_server
    install_packages
    npm --prefix web run --silent types >/dev/null
}

# Everything that the build reads, in one number.
state() {
    find web scripts/web.sh -type f -not -path 'web/node_modules/*' -not -path 'web/tests/*' -not -name schema.d.ts |
        LC_ALL=C sort | tr '\n' '\0' | xargs -0 cksum | cksum
}

build() {
    describe_server
    local now
    now=$(state)
    if [[ $(cat "$dist/.built" 2>/dev/null) == "$now" ]]; then
        return
    fi
    prepare
    echo "==> building the web application"
    npm --prefix web run --silent build -- --logLevel warn
    # Last, so that a build that failed is tried again.
    echo "$now" >"$dist/.built"
}

# In an empty folder: beside installed packages, npm would leave out those for other systems.
lock() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp web/package.json web/.npmrc "$folder"
    npm --prefix "$folder" install --package-lock-only --loglevel=error >/dev/null
    # Whom to thank is kept by each package itself; the lock only says which packages they are.
    node -e '
        const fs = require("node:fs");
        const lock = JSON.parse(fs.readFileSync(process.argv[1], "utf-8"));
        for (const [name, entry] of Object.entries(lock.packages)) {
            delete entry.funding;
            for (const system of Object.keys(entry.optionalDependencies ?? {}))
                if (!lock.packages[`node_modules/${system}`])
                    throw new Error(`${name} has no ${system}. Choose a version of it that is complete.`);
        }
        fs.writeFileSync("web/package-lock.json", JSON.stringify(lock, null, 2) + "\n");' "$folder/package-lock.json"
}

case ${1:-build} in
    build) build ;;
    check)
        prepare
        npm --prefix web run --silent check
        ;;
    dev)
        prepare
        npm --prefix web run --silent dev
        ;;
    lock)
        find_node
        lock
        ;;
    *)
        sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
