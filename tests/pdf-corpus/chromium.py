"""Pages printed by Chromium."""

import os
import shutil

from build import Job, run
from content import Writer, truth
from web import margin_boxes, page

PROGRAMS = [
    "/usr/lib/chromium/chromium-headless-shell",
    "chromium-headless-shell",
    "chromium",
    "google-chrome",
]

STYLES = {
    "screen": "body { font-size: 13px; max-width: 60em; margin: auto; } h2 { border-bottom: 1px solid #bbb; }"
    "a { color: #06c; }",
}


def make(job, folder):
    path = folder / f"{job.name}.html"
    path.write_text(page(job.document, job.options))
    program = next(found for found in map(shutil.which, PROGRAMS) if found)
    # The sandbox does not work as root; the page is one that this program wrote.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    tags = [] if job.options.get("tagged", True) else ["--disable-pdf-tagging"]
    heads = [] if job.options.get("heads") else ["--no-pdf-header-footer"]
    run(
        [
            program,
            "--headless",
            *rights,
            *tags,
            *heads,
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={folder}/{job.name}.pdf",
            path.as_uri(),
        ],
        folder,
    )


def job(number, layout, language="en", parts=(), document=None, **options):
    writer = Writer(language, f"chromium{number}")
    settings = {"sections": 5, "links": layout == "screen"}
    settings["marks"] = language not in ("zh", "ja", "ko", "th", "hi", "ar", "he")
    settings.update(document or {})
    text = writer.document(parts, **settings)
    facts = truth(text)
    furniture = []
    if options.get("heads"):
        furniture = [text.title, "{page}/{pages}"]
    if layout == "margins":
        furniture = ["Ferry times and notices 62", "Harbour office, sheet {page} of {pages}"]
    facts["furniture"] = furniture
    options["style"] = margin_boxes(*furniture) if layout == "margins" else STYLES.get(layout, "")
    tagged = "tagged" if options.get("tagged", True) else "plain"
    return Job(
        f"chromium-{number:02}-{layout}-{language}-{tagged}", "chromium", layout, text, facts, options, make
    )


def jobs():
    lists, mixed, tables = (
        ["list", "numbers", "list"],
        ["list", "table", "code", "numbers"],
        ["table", "wide", "table"],
    )
    rows = []
    for tagged in (True, False):
        more = {"tagged": tagged}
        rows += [
            ("article", {"parts": mixed, **more}),
            ("article", {"parts": tables, "ruled": True, **more}),
            ("article", {"parts": tables, "stripes": True, "family": "Noto Sans", **more}),
            ("columns", {"parts": lists, "columns": 2, "document": {"sections": 7}, **more}),
            (
                "columns",
                {
                    "parts": ["list"],
                    "columns": 3,
                    "soft": True,
                    "size": "9pt",
                    "document": {"sections": 8},
                    **more,
                },
            ),
            ("screen", {"parts": mixed, "family": "DejaVu Sans", "document": {"depth": 3}, **more}),
            ("heads", {"parts": lists, "heads": True, "document": {"sections": 7}, **more}),
            ("margins", {"parts": mixed, "document": {"sections": 7}, **more}),
            ("article", {"language": "ar", "parts": ["list", "table"], "ruled": True, **more}),
            ("article", {"language": "zh", "parts": ["list", "table"], **more}),
        ]
    rows += [
        ("article", {"language": "he", "parts": ["list", "table"]}),
        ("article", {"language": "ja", "parts": ["list"]}),
        ("article", {"language": "ko", "parts": ["table", "list"]}),
        ("article", {"language": "th", "parts": ["list"]}),
        ("article", {"language": "hi", "parts": ["list"]}),
        ("article", {"language": "ru", "parts": mixed}),
        ("article", {"language": "vi", "parts": tables, "ruled": True}),
        ("article", {"language": "tr", "parts": lists}),
        ("columns", {"language": "el", "columns": 2, "document": {"sections": 7}}),
        ("columns", {"language": "zh", "columns": 2, "document": {"sections": 8}}),
        ("columns", {"language": "ar", "columns": 2, "document": {"sections": 7}}),
        (
            "columns",
            {"language": "de", "columns": 2, "soft": True, "document": {"sections": 7}, "tagged": False},
        ),
        ("long", {"parts": ["long"], "ruled": True, "document": {"sections": 2}}),
        ("long", {"parts": ["long"], "document": {"sections": 2}, "tagged": False}),
        ("margins", {"language": "fr", "parts": lists, "document": {"sections": 7}}),
        ("screen", {"language": "pl", "parts": mixed, "tagged": False}),
    ]
    return [job(number, layout, **options) for number, (layout, options) in enumerate(rows, 1)]
