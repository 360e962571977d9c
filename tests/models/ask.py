"""Asks one question per page with `gleaner extract`, and counts right and ungrounded values.

The exit status is not 0 if a value passed whose quote is not on its page, or if fewer than 60 % are right.
"""

import argparse
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MIN_RIGHT = 0.6


def page_text(question):
    """The text of a question's page, with single blanks."""
    text = question.get("text") or html.unescape(re.sub(r"<[^>]*>", " ", question["html"]))
    return " ".join(text.split()).casefold()


def is_right(question, value):
    """Whether a value is one of the accepted ones. Case and marks at the edges do not count."""
    bare = value.strip(" .,;:").casefold() if isinstance(value, str) else value
    accepted = [truth.casefold() if isinstance(truth, str) else truth for truth in question["truth"]]
    return bare in accepted


def is_choice(answer, field):
    """Whether an answer of the model chooses among candidates rather than quoting the page."""
    try:
        return isinstance(json.loads(answer["text"]).get(field), str)
    except (ValueError, AttributeError):
        return False


def ask(options, number, question):
    """The result of `gleaner extract` for a question, and the answers of the model."""
    origin = f"http://127.0.0.1:{options.port}"
    answers = pathlib.Path(options.answers)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
        json.dump({"type": "object", "properties": {question["field"]: question["schema"]}}, schema)
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
        sys.exit(f"{question['field']}: {run.stderr}")
    return json.loads(run.stdout), [json.loads(line) for line in answers.read_text().splitlines()[before:]]


def main():
    arguments = argparse.ArgumentParser()
    for name in ["--gleaner", "--questions", "--answers"]:
        arguments.add_argument(name, required=True)
    arguments.add_argument("--port", required=True, type=int)
    options = arguments.parse_args()
    counts = dict.fromkeys(
        ["questions", "calls", "right", "wrong", "null", "right null", "without a model", "by choosing",
         "right by choosing", "by reading", "right by reading"], 0)
    ungrounded = []
    for number, question in enumerate(json.loads(pathlib.Path(options.questions).read_text())):
        field = question["field"]
        result, answers = ask(options, number, question)
        value = result["data"].get(field)
        right = is_right(question, value)
        # A choice that gave a value ends the asking, so the last answer says where the value comes from.
        source = "without a model"
        if answers:
            source = "by choosing" if is_choice(answers[-1], field) else "by reading"
        counts["questions"] += 1
        counts["calls"] += len(answers)
        counts["right"] += right
        counts["null"] += value is None
        counts["right null"] += right and value is None
        counts["wrong"] += not right and value is not None
        if value is not None:
            counts[source] += 1
            if answers:
                counts[f"right {source}"] += right
        reasons = [missing["reason"] for missing in result["missing"]]
        seconds = sum(answer["milliseconds"] for answer in answers) / 1000
        print(f"{'right' if right else 'WRONG'} {field}: expected {question['truth'][0]!r}, got {value!r} "
              f"{source} {reasons}, {seconds:.0f} s")
        text = page_text(question)
        for leaf in result["leaves"]:
            if " ".join(leaf["provenance"][0]["quote"].split()).casefold() not in text:
                ungrounded.append(leaf)
    counts["ungrounded"] = len(ungrounded)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    if ungrounded:
        sys.exit(f"passed but not on the page: {ungrounded}")
    if counts["right"] < MIN_RIGHT * counts["questions"]:
        sys.exit(f"fewer than {MIN_RIGHT:.0%} are right")


if __name__ == "__main__":
    main()
