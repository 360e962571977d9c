#!/usr/bin/env python3
"""Makes PDF files with real tools, and writes beside each what it says: `NAME.pdf` and `NAME.json`."""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import build

TOOLS = ["latex", "office", "chromium", "paged", "groff", "scans"]


def finish(job, pdf, out):
    """Completes the truth by facts of the file, and puts both into the output folder."""
    truth, count = dict(job.truth), build.pages(pdf)
    expanded = []
    for text in truth.get("furniture", []):
        numbers = range(1, count + 1) if "{page}" in text else [1]
        expanded += [text.replace("{pages}", str(count)).replace("{page}", str(page)) for page in numbers]
    truth.update(
        tool=job.tool,
        layout=job.layout,
        pages=count,
        furniture=expanded,
        hyphenated=build.hyphenated(pdf, truth["blocks"]),
    )
    shutil.copyfile(pdf, out / f"{job.name}.pdf")
    (out / f"{job.name}.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the output folder")
    parser.add_argument("--only", default="", help="make only files whose name contains this")
    parser.add_argument("--tools", nargs="*", choices=TOOLS, default=TOOLS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    jobs = [job for tool in options.tools for job in __import__(tool).jobs() if options.only in job.name]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for at, job in enumerate(jobs, 1):
            folder = Path(scratch) / job.name
            folder.mkdir()
            try:
                job.make(job, folder)
                finish(job, folder / f"{job.name}.pdf", options.folder)
                print(f"{at}/{len(jobs)} {job.name}", flush=True)
            except (build.Failed, OSError, build.subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{at}/{len(jobs)} {job.name}: {error}", file=sys.stderr, flush=True)
            shutil.rmtree(folder)
    print(f"{len(jobs) - failed} files, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
