"""Asks one question a page through `gleaner extract`, and counts the model's claims: how many there were, passed and were refused."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

REFUSALS = {"quoteNotOnPage", "notInQuote", "noQuote", "wrongType"}


def claims(answer, field):
    """The value and the quote that one answer of the model gives for a field, where it gives any."""
    try:
        said = json.loads(answer["text"]).get(field)
    except (ValueError, AttributeError):
        return None
    value = said.get("value") if isinstance(said, dict) else said
    return None if value is None else said


def main():
    arguments = argparse.ArgumentParser()
    for name in ["--gleaner", "--questions", "--answers"]:
        arguments.add_argument(name, required=True)
    arguments.add_argument("--port", required=True, type=int)
    asked = arguments.parse_args()
    origin = f"http://127.0.0.1:{asked.port}"
    answers = pathlib.Path(asked.answers)
    counts = {"questions": 0, "calls": 0, "claims": 0, "passed": 0, "true": 0, "refused": 0, "without answer": 0}
    wrong = []
    for number, question in enumerate(json.loads(pathlib.Path(asked.questions).read_text())):
        field = question["field"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
            json.dump({"type": "object", "properties": {field: question["schema"]}}, schema)
            schema.flush()
            before = len(answers.read_text().splitlines())
            command = [
                asked.gleaner, "extract", f"{origin}/page/{number}", "--schema", schema.name, "--proofs", "--quiet",
                "--allow-private", "127.0.0.0/8", "--model", "smollm2", "--model-url", f"{origin}/v1",
                "--model-context", "2048",
            ]
            # Its exit status tells whether anything was found.
            run = subprocess.run(command, capture_output=True, text=True)
        if not run.stdout.strip():
            sys.exit(f"{field}: {run.stderr}")
        result = json.loads(run.stdout)
        said = [json.loads(line) for line in answers.read_text().splitlines()[before:]]
        made = [claim for claim in (claims(answer, field) for answer in said) if claim is not None]
        value = result["data"].get(field)
        reasons = [missing["reason"] for missing in result["missing"]]
        counts["questions"] += 1
        counts["calls"] += len(said)
        counts["claims"] += len(made)
        counts["passed"] += value is not None
        counts["true"] += value is not None and value == question["truth"]
        counts["refused"] += value is None and bool(REFUSALS.intersection(reasons))
        counts["without answer"] += value is None and not REFUSALS.intersection(reasons)
        seconds = sum(answer["milliseconds"] for answer in said) / 1000
        print(f"{field}: the page says {question['truth']!r}, came out {value!r} {reasons}, {seconds:.0f} s")
        for claim in made:
            print(f"    claimed {json.dumps(claim, ensure_ascii=False)}")
        for leaf in result["leaves"]:
            if leaf["provenance"][0]["quote"].casefold() not in question["text"].casefold():
                wrong.append(leaf)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    if wrong:
        sys.exit(f"passed and not on the page: {wrong}")


main()
