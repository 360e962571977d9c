"""Pages printed by Chromium."""

import os
import shutil

from build import Job, run
from content import Writer, truth
from web import page

PROGRAMS = ["/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium", "google-chrome"]

STYLES = {
    "panels": "main { display: grid; grid-template-columns: 1fr 1fr; gap: 8mm; align-items: start; }"
              "main > * { min-width: 0; margin-top: 0; }",
    "screen": "body { font-size: 13px; max-width: 60em; margin: auto; } h2 { border-bottom: 1px solid #bbb; }"
              "a { color: #06c; }",
    "fixed": "#head { position: fixed; top: 0; left: 0; right: 0; font-size: 9pt; border-bottom: 1px solid; }"
             "#foot { position: fixed; bottom: 0; left: 0; right: 0; font-size: 9pt; }"
             "@page { margin: 22mm 18mm; } body { margin: 0; } #head, #foot { margin: 0; }"
             "body { padding-top: 10mm; } h2 { break-before: auto; }",
}


def make(job, folder):
    path = folder / f"{job.name}.html"
    path.write_text(page(job.document, job.options))
    program = next(found for found in map(shutil.which, PROGRAMS) if found)
    # The sandbox does not work as root; the page is one that this program wrote.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    tags = [] if job.options.get("tagged", True) else ["--disable-pdf-tagging"]
    heads = [] if job.options.get("heads") else ["--no-pdf-header-footer"]
    run([program, "--headless", *rights, *tags, *heads, "--disable-gpu", f"--user-data-dir={folder}/profile",
         f"--print-to-pdf={folder}/{job.name}.pdf", path.as_uri()], folder)


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
    if layout == "fixed":
        furniture = ["Ferry times and notices 62", "Printed for the harbour office"]
        options["before"] = f'<p id="head">{furniture[0]}</p><p id="foot">{furniture[1]}</p>'
    facts["furniture"] = furniture
    options["style"] = STYLES.get(layout, "") + options.get("style", "")
    tagged = "tagged" if options.get("tagged", True) else "plain"
    return Job(f"chromium-{number:02}-{layout}-{language}-{tagged}", "chromium", layout, text, facts, options, make)


def jobs():
    lists, mixed, tables = ["list", "numbers", "list"], ["list", "table", "code", "numbers"], ["table", "wide", "table"]
    rows = []
    for tagged in (True, False):
        more = {"tagged": tagged}
        rows += [
            ("article", {"parts": mixed, **more}),
            ("article", {"parts": tables, "ruled": True, **more}),
            ("article", {"parts": tables, "stripes": True, "family": "Noto Sans", **more}),
            ("columns", {"parts": lists, "columns": 2, "document": {"sections": 7}, **more}),
            ("columns", {"parts": ["list"], "columns": 3, "soft": True, "size": "9pt", "document": {"sections": 8}, **more}),
            ("screen", {"parts": mixed, "family": "DejaVu Sans", "document": {"depth": 3}, **more}),
            ("heads", {"parts": lists, "heads": True, "document": {"sections": 7}, **more}),
            ("fixed", {"parts": mixed, "document": {"sections": 7}, **more}),
            ("article", {"language": "ar", "parts": ["list", "table"], "ruled": True, **more}),
            ("article", {"language": "zh", "parts": ["list", "table"], **more}),
        ]
    rows += [
        ("article", {"language": "he", "parts": ["list", "table"]}), ("article", {"language": "ja", "parts": ["list"]}),
        ("article", {"language": "ko", "parts": ["table", "list"]}), ("article", {"language": "th", "parts": ["list"]}),
        ("article", {"language": "hi", "parts": ["list"]}), ("article", {"language": "ru", "parts": mixed}),
        ("article", {"language": "vi", "parts": tables, "ruled": True}), ("article", {"language": "tr", "parts": lists}),
        ("columns", {"language": "el", "columns": 2, "document": {"sections": 7}}),
        ("columns", {"language": "zh", "columns": 2, "document": {"sections": 8}}),
        ("columns", {"language": "ar", "columns": 2, "document": {"sections": 7}}),
        ("columns", {"language": "de", "columns": 2, "soft": True, "document": {"sections": 7}, "tagged": False}),
        ("long", {"parts": ["long"], "ruled": True, "document": {"sections": 2}}),
        ("long", {"parts": ["long"], "document": {"sections": 2}, "tagged": False}),
        ("fixed", {"language": "fr", "parts": lists, "document": {"sections": 7}}),
        ("screen", {"language": "pl", "parts": mixed, "tagged": False}),
    ]
    return [job(number, layout, **options) for number, (layout, options) in enumerate(rows, 1)]
