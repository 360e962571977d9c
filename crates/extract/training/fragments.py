#!/usr/bin/env python3
"""Cuts saved pages to the part around their main heading, for `evaluate fields DIR --options`.

    python3 training/fragments.py DATA/wcxb FOLDER

Users save parts of pages, without a head, a menu or a footer. A page with JSON-LD and an `h1` becomes its
JSON-LD and the largest element around the heading whose text has at most 300, 1,000 or 3,000 characters, by
the page. The files of FOLDER are named like those of the data. Needs lxml.
"""
import gzip, json, pathlib, random, sys

import lxml.html

LENGTHS = (300, 1000, 3000)


def length(element):
    return sum(len(" ".join(text.split())) for text in element.xpath(
        ".//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]"))


def fragment(html, limit):
    """The part around the heading; nothing if the page has none or no JSON-LD."""
    tree = lxml.html.document_fromstring(html)
    data = tree.xpath("//script[@type='application/ld+json']")
    headings = [heading for heading in tree.iter("h1") if heading.text_content().strip()]
    if not data or not headings:
        return None
    part = headings[0]
    for outer in part.iterancestors():
        if outer.tag in ("body", "html") or length(outer) > limit:
            break
        part = outer
    part.tail = None
    texts = [lxml.html.tostring(part, encoding="unicode")]
    for script in data:
        if part not in script.iterancestors():
            script.tail = None
            texts.append(lxml.html.tostring(script, encoding="unicode"))
    return "\n".join(texts)


def main():
    data, folder = map(pathlib.Path, sys.argv[1:3])
    for name in ("html", "ground-truth"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for path in sorted((data / "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        html = gzip.decompress(path.read_bytes()).decode(errors="replace").replace("\0", "")
        if not html.strip():
            continue
        part = fragment(html.encode(), random.Random(name).choice(LENGTHS))
        if part is None:
            continue
        truth = json.loads(gzip.decompress((data / "ground-truth" / f"{name}.json.gz").read_bytes()))
        (folder / "html" / path.name).write_bytes(gzip.compress(part.encode(), mtime=0))
        (folder / "ground-truth" / f"{name}.json").write_text(json.dumps({"url": truth["url"]}) + "\n")


if __name__ == "__main__":
    main()
