"""Writes the Markdown of other tools for the pages of a folder that `evaluate structure` scores.

    python3 markdown.py FOLDER OUT [--modules NODE_MODULES]

OUT gets `trafilatura/ID.md` and, with a folder of node modules that has defuddle and linkedom,
`defuddle/ID.md`. A page on which a tool fails gets an empty file. Needs trafilatura.
"""
import argparse
import gzip
import json
import pathlib
import re
import select
import subprocess
import sys

import trafilatura
from trafilatura.utils import decode_file

SECONDS_PER_PAGE = 30


def pages(folder):
    """The pages of a folder: name, address and HTML. The layouts are those of `evaluate structure`."""
    if (folder / "ground-truth").is_dir():
        for path in sorted((folder / "html").glob("*.html.gz")):
            name = path.name.removesuffix(".html.gz")
            truth = json.loads(gzip.open(folder / "ground-truth" / f"{name}.json.gz").read())
            yield name, truth["url"] or "https://example.com/", gzip.open(path).read()
    elif (folder / "fixtures").is_dir():
        for path in sorted((folder / "fixtures").glob("*.html")):
            if (folder / "expected" / f"{path.stem}.md").exists():
                html = path.read_bytes()
                said = re.search(rb'<!--\s*\{\s*"url"\s*:\s*"([^"]+)"', html)
                name = re.sub("^[a-z]+--", "", path.stem)
                yield path.stem, said[1].decode() if said else f"https://{name}/", html
    else:
        sources = sorted(folder.glob("*/source.html.gz"))
        if not sources:
            sys.exit(f"{folder}: no layout of pages with truth")
        for path in sources:
            yield path.parent.name, "http://fakehost/test/page.html", gzip.open(path).read()


def with_trafilatura(html, url):
    return trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_formatting=True,
        include_images=True,
        include_links=True,
        include_tables=True,
    )


class Defuddle:
    def __init__(self, modules):
        self.command = ["node", str(pathlib.Path(__file__).with_name("defuddle.mjs")), str(modules.resolve())]
        self.process = None

    def __call__(self, html, url):
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True)
        self.process.stdin.write(json.dumps({"html": html, "url": url}) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS_PER_PAGE)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.process.kill()
            self.process = None
            raise RuntimeError("no answer")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["markdown"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--modules", type=pathlib.Path)
    arguments = arguments.parse_args()
    tools = {"trafilatura": with_trafilatura}
    if arguments.modules:
        tools["defuddle"] = Defuddle(arguments.modules)
    failed = dict.fromkeys(tools, 0)
    for tool in tools:
        (arguments.out / tool).mkdir(parents=True, exist_ok=True)
    for name, url, html in pages(arguments.folder):
        text = decode_file(html)
        for tool, convert in tools.items():
            try:
                markdown = convert(text, url) or ""
            except Exception as error:
                print(f"{tool}: {name}: {error}", file=sys.stderr)
                markdown, failed[tool] = "", failed[tool] + 1
            (arguments.out / tool / f"{name}.md").write_text(markdown)
    print("failed:", ", ".join(f"{tool} {count}" for tool, count in failed.items()))


if __name__ == "__main__":
    main()
