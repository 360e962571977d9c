"""Asks one question per page with `gleaner extract`, and counts passed and refused claims."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

REFUSALS = {"quoteNotOnPage", "notInQuote", "noQuote", "wrongType"}


def claims(answer, field):
    """The value and quote in an answer of the model for a field, or None."""
    try:
        answered = json.loads(answer["text"]).get(field)
    except (ValueError, AttributeError):
        return None
    value = answered.get("value") if isinstance(answered, dict) else answered
    return None if value is None else answered


def main():
    arguments = argparse.ArgumentParser()
    for name in ["--gleaner", "--questions", "--answers"]:
        arguments.add_argument(name, required=True)
    arguments.add_argument("--port", required=True, type=int)
    options = arguments.parse_args()
    origin = f"http://127.0.0.1:{options.port}"
    answers = pathlib.Path(options.answers)
    counts = {"questions": 0, "calls": 0, "claims": 0, "passed": 0, "true": 0, "refused": 0,
              "without answer": 0}
    unproven = []
    for number, question in enumerate(json.loads(pathlib.Path(options.questions).read_text())):
        field = question["field"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
            json.dump({"type": "object", "properties": {field: question["schema"]}}, schema)
            schema.flush()
            before = len(answers.read_text().splitlines())
            command = [
                options.gleaner, "extract", f"{origin}/page/{number}", "--schema", schema.name, "--proofs",
                "--quiet",
                "--allow-private", "127.0.0.0/8", "--model", "smollm2", "--model-url", f"{origin}/v1",
                "--model-context", "2048",
            ]
            # The exit status depends on whether a value was found, so it is not checked.
            run = subprocess.run(command, capture_output=True, text=True)
        if not run.stdout.strip():
            sys.exit(f"{field}: {run.stderr}")
        result = json.loads(run.stdout)
        answered = [json.loads(line) for line in answers.read_text().splitlines()[before:]]
        claimed = [claim for claim in (claims(answer, field) for answer in answered) if claim is not None]
        value = result["data"].get(field)
        reasons = [missing["reason"] for missing in result["missing"]]
        counts["questions"] += 1
        counts["calls"] += len(answered)
        counts["claims"] += len(claimed)
        counts["passed"] += value is not None
        counts["true"] += value is not None and value == question["truth"]
        counts["refused"] += value is None and bool(REFUSALS.intersection(reasons))
        counts["without answer"] += value is None and not REFUSALS.intersection(reasons)
        seconds = sum(answer["milliseconds"] for answer in answered) / 1000
        print(f"{field}: expected {question['truth']!r}, got {value!r} {reasons}, {seconds:.0f} s")
        for claim in claimed:
            print(f"    claimed {json.dumps(claim, ensure_ascii=False)}")
        for leaf in result["leaves"]:
            if leaf["provenance"][0]["quote"].casefold() not in question["text"].casefold():
                unproven.append(leaf)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    if unproven:
        sys.exit(f"passed but not on the page: {unproven}")


main()
