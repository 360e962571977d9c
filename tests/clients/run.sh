#!/usr/bin/env bash
# Runs the official Python client, and schemathesis with the generated OpenAPI document, against the host example.
#
# Needs Python 3.10 or later with `venv`, and PyPI. GLEANER_CLIENTS_VENV names a folder to keep the environment in.
# Exit status: 0 all passed; 77 nothing was run, because PyPI is out of reach; any other: something failed. Where PyPI can
# be reached nothing is skipped: what is missing then is a failure.
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
            "the official Python client ($client, $(cat "$here/sdk.py" "$here/methods.py" | grep -c '^def case_') cases)" \
            "every operation of the OpenAPI document (schema.py, $fuzzer)"
    } >&2
    exit 77
}

# Asked of pip itself, so that its mirrors, proxies and certificates count; a folder of wheels does not.
reaches_pypi() {
    env -u PIP_FIND_LINKS "$venv/bin/pip" download --quiet --no-deps --no-cache-dir --retries 1 --timeout 20 --dest "$work" idna
}

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    skipped "there is no Python 3.10 or later with venv (Debian: python3-venv)"
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/pip" install --quiet "$client" "$fuzzer"; then
    reaches_pypi || skipped "PyPI cannot be reached"
    # A mirror may lag behind the client's demand for the newest certificate bundle, which these tests never use.
    "$venv/bin/pip" install --quiet --no-deps "$client"
    "$venv/bin/pip" install --quiet "$fuzzer" \
        requests httpx websockets nest-asyncio pydantic aiohttp python-dotenv certifi
fi

# As a part of the workspace, so that what its tests were built from serves here too.
cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --workspace \
    --example host --example site --example webhook_receiver
examples="${CARGO_TARGET_DIR:-$root/target}/debug/examples"

# The cases of sdk.py are run by methods.py, which adds what they leave out.
"$venv/bin/python" "$here/methods.py" --host "$examples/host" --site "$examples/site"
"$venv/bin/python" "$here/receiver.py" --receiver "$examples/webhook_receiver"
"$venv/bin/python" "$here/schema.py" --host "$examples/host" --schemathesis "$venv/bin/schemathesis"
