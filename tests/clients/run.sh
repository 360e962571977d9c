#!/usr/bin/env bash
# Runs the official Python client, and schemathesis with the generated OpenAPI document, against the host example.
# Needs Python 3.10 or later and the network for PyPI. GLEANER_CLIENTS_VENV names a folder to keep the venv in.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
venv="${GLEANER_CLIENTS_VENV:-$work/venv}"

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
sdk="firecrawl-py==4.55.0"
if ! "$venv/bin/pip" install --quiet "$sdk"; then
    # A mirror may lag behind the client's demand for the newest certificate bundle, which these tests never use.
    "$venv/bin/pip" install --quiet --no-deps "$sdk"
    "$venv/bin/pip" install --quiet requests httpx websockets nest-asyncio pydantic aiohttp python-dotenv certifi
fi
"$venv/bin/pip" install --quiet "schemathesis>=4,<5"

cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p gleaner-http --example host
cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p gleaner-testkit --example site
examples="${CARGO_TARGET_DIR:-$root/target}/debug/examples"

"$venv/bin/python" "$here/sdk.py" --host "$examples/host" --site "$examples/site"
"$venv/bin/python" "$here/schema.py" --host "$examples/host" --schemathesis "$venv/bin/schemathesis"
