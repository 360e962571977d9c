#!/usr/bin/env bash
# Runs the official Python client, and schemathesis with the generated OpenAPI document, against the host
# example.
#
# Needs Python 3.10 or later with `venv`, and PyPI. If PostgreSQL is installed, the client also runs against
# two hosts with one database; with CI=true, its absence is a failure. GLEANER_CLIENTS_VENV names a folder that
# keeps the environment between runs. Exit status: 0 if everything passed; 77 if nothing ran because PyPI is
# unreachable; any other if something failed. If PyPI is reachable, nothing else is skipped: a missing package
# is a failure.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
venv="${GLEANER_CLIENTS_VENV:-$work/venv}"
client="firecrawl-py==4.55.0"
fuzzer="schemathesis>=4,<5"

skipped() {
    {
        printf '\n!! SKIPPED: %s\n' "$1"
        printf '!! SKIPPED, so this run did not test: %s\n' \
            "the official Python client ($client," \
            "$(cat "$here"/cases_*.py "$here/methods.py" | grep -c '^def case_') cases)" \
            "every operation of the OpenAPI document (schema.py, $fuzzer)"
    } >&2
    exit 77
}

# Uses pip itself, so that its mirrors, proxies and certificates apply; a folder of wheels does not count.
reaches_pypi() {
    env -u PIP_FIND_LINKS "$venv/bin/pip" download --quiet --no-deps --no-cache-dir --retries 1 --timeout 20 \
        --dest "$work" idna
}

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    skipped "there is no Python 3.10 or later with venv (Debian: python3-venv)"
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/pip" install --quiet "$client" "$fuzzer"; then
    reaches_pypi || skipped "PyPI is unreachable"
    # A mirror may lack the newest certificate bundle that the client requires; these tests do not use it.
    "$venv/bin/pip" install --quiet --no-deps "$client"
    "$venv/bin/pip" install --quiet "$fuzzer" \
        requests httpx websockets nest-asyncio pydantic aiohttp python-dotenv certifi
fi

# Builds with the whole workspace, so that artifacts of its tests are reused.
cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --workspace \
    --example host --example site --example webhook_receiver
examples="${CARGO_TARGET_DIR:-$root/target}/debug/examples"

# methods.py runs the cases of sdk.py and its own.
"$venv/bin/python" "$here/methods.py" --host "$examples/host" --site "$examples/site"
# The same again with two hosts on one PostgreSQL, in turns.
if compgen -G "/usr/lib/postgresql/*/bin/postgres" >/dev/null; then
    "$venv/bin/python" "$here/methods.py" --in-database --host "$examples/host" --site "$examples/site"
elif [ "${CI:-}" = true ]; then
    printf 'PostgreSQL is not installed (Debian: postgresql)\n' >&2
    exit 1
else
    printf '!! SKIPPED: two hosts on one database, because PostgreSQL is not installed\n' >&2
fi
"$venv/bin/python" "$here/receiver.py" --receiver "$examples/webhook_receiver"
"$venv/bin/python" "$here/schema.py" --host "$examples/host" --schemathesis "$venv/bin/schemathesis"
