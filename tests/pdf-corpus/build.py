"""What is common to the tools: a job, the programs, and the facts that are known only from the file."""

import re
import subprocess
from dataclasses import dataclass
from typing import Callable

from content import Document


class Failed(Exception):
    """A program failed."""


@dataclass
class Job:
    """One file to make. `make(job, folder)` writes `folder/NAME.pdf`."""

    name: str
    tool: str
    layout: str
    document: Document
    truth: dict
    options: dict
    make: Callable


def run(command, folder, may_fail=False, seconds=120):
    """Runs a program in a folder and returns its output."""
    done = subprocess.run(
        ["nice", "-n", "15", *map(str, command)],
        cwd=folder,
        capture_output=True,
        timeout=seconds,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode and not may_fail:
        said = (done.stderr or done.stdout).decode(errors="replace")
        raise Failed(f"{command[0]}: {said[-300:]}")
    return done.stdout


def pages(pdf):
    found = re.search(rb"Pages:\s+(\d+)", run(["pdfinfo", pdf], pdf.parent))
    return int(found.group(1))


def letters(text):
    return "".join(c for c in text if c.isalpha()).lower()


def all_text(blocks):
    for block in blocks:
        yield from (cell for row in block.get("rows", []) for cell in row)
        yield block.get("text", "")


def hyphenated(pdf, blocks):
    """Words of the truth that the file breaks at the end of a line, as `pdftotext` shows the lines."""
    known = {letters(word) for text in all_text(blocks) for word in re.findall(r"[^\W\d_]+", text)}
    lines = run(["pdftotext", "-raw", pdf, "-"], pdf.parent).decode().splitlines()
    broken = []
    for line, following in zip(lines, lines[1:]):
        start = re.search(r"([^\W\d_]+)[-\u2010\u00ad]$", line.strip())
        end = re.match(r"[^\W\d_]+", following.strip())
        if start and end:
            word = letters(start.group(1) + end.group(0))
            if word in known and not {letters(start.group(1)), letters(end.group(0))} <= known:
                broken.append(word)
    return broken
