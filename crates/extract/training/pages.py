#!/usr/bin/env python3
"""Writes generated pages with known truth for `evaluate fields` and for the training of the scorer.

    python3 training/pages.py FOLDER [SITES] [PAGES]

SITES sites (378 if not given) of PAGES pages each (5) go to FOLDER as html/ID.html.gz and
ground-truth/ID.json. The sites go through 9 kinds of things, 14 locales (12 languages, 10 currencies) and 56
layouts. All pages of a site have one layout, so that what recurs on them is its template. The same arguments
give the same files.
"""
import gzip, json, pathlib, random, sys

import words
from kinds import KINDS
from layouts import LAYOUTS, Site, page
from notation import Locale

SEED = 19


def sites(count):
    """The number, kind, locale and random numbers of each site."""
    kinds, locales = list(KINDS), []
    for number in range(count):
        rng = random.Random(f"{SEED} {number}")
        # Each locale comes equally often, in an order of its own, so that it says nothing about the kind.
        if not locales:
            locales = rng.sample(sorted(words.LOCALES), len(words.LOCALES))
        # The shift shows each kind in all layouts, whatever the two numbers have in common.
        kind = kinds[(number + number // LAYOUTS) % len(kinds)]
        yield Site(number, kind, Locale(locales.pop(), rng), rng)


def main():
    folder = pathlib.Path(sys.argv[1])
    count, per_site = (int(value) for value in (sys.argv[2:] + ["378", "5"][len(sys.argv) - 2:]))
    for name in ("html", "ground-truth"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for site in sites(count):
        make = KINDS[site.kind]
        for number in range(per_site):
            thing = make(site.locale)
            others = [make(site.locale) for _ in range(site.rng.randrange(2, 5))]
            html, fields = page(site, thing, others, number)
            name = f"{site.number:04}-{number}"
            truth = {"url": f"https://{site.host}/{site.kind}/{number}", "kind": thing.kind,
                     "fields": fields, "layout": site.layout, "locale": site.locale.code}
            data = gzip.compress(html.encode(), mtime=0)
            (folder / "html" / f"{name}.html.gz").write_bytes(data)
            text = json.dumps(truth, ensure_ascii=False, indent=1)
            (folder / "ground-truth" / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
