#!/usr/bin/env python3
"""Scores Markdown against the made files: folders of `NAME.md` beside a folder of `NAME.json`."""

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

from measure import FIGURES, beside, score


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def show(value):
    return "     -" if value is None else f"{value:6.3f}"


def table(title, groups):
    print(f"{title:30}{'files':>6}" + "".join(f"{name:>10}" for name in FIGURES))
    for name, scores in groups:
        print(
            f"{name:30}{len(scores):6}"
            + "".join(f"{show(mean(s[figure] for s in scores)):>10}" for figure in FIGURES)
        )


def read(folder, name):
    """The Markdown of a file; empty if there is none."""
    path = folder / f"{name}.md"
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def compare_words(truths, outputs):
    """The shares of files with some text, and with four fifths of the words that poppler finds."""
    for folder in outputs:
        rows = []
        for path in sorted(truths.glob("*.poppler.txt.gz")):
            wanted = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
            rows.append(beside(wanted, read(folder, path.name.removesuffix(".poppler.txt.gz"))))
        if rows:
            some = sum(has_text for has_text, _ in rows) / len(rows)
            enough = sum(recall >= 0.8 for _, recall in rows) / len(rows)
            print(
                f"{folder.name}: {len(rows)} files, some text {some:.3f}, four fifths of words {enough:.3f}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truths", type=Path, help="the folder of NAME.json or NAME.poppler.txt.gz")
    parser.add_argument("outputs", type=Path, nargs="+", help="folders of NAME.md, one of each tool")
    parser.add_argument(
        "--by", choices=["tool", "layout", "language"], help="a table by this for each folder"
    )
    parser.add_argument("--worst", choices=FIGURES, help="list the worst files in this figure")
    parser.add_argument("--json", type=Path, help="write all figures of all files here")
    options = parser.parse_args()
    truths = {path.stem: json.loads(path.read_text()) for path in sorted(options.truths.glob("*.json"))}
    compare_words(options.truths, options.outputs)
    if not truths:
        return
    everything = {}
    for folder in options.outputs:
        scores = {}
        for name, truth in truths.items():
            scores[name] = score(truth, read(folder, name))
        everything[str(folder)] = scores
    table("all", [(Path(folder).name, list(scores.values())) for folder, scores in everything.items()])
    for folder, scores in everything.items():
        if options.by:
            groups = defaultdict(list)
            for name, figures in scores.items():
                groups[truths[name][options.by]].append(figures)
            print()
            table(f"{Path(folder).name} by {options.by}", sorted(groups.items()))
        if options.worst:
            known = [
                (figures[options.worst], name)
                for name, figures in scores.items()
                if figures[options.worst] is not None
            ]
            print(f"\n{Path(folder).name}, worst in {options.worst}")
            for value, name in sorted(known, reverse=options.worst in ("heads", "numbers"))[:15]:
                print(f"  {value:.3f} {name}")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
