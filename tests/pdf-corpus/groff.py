"""Documents of groff: the macros ms and man, tables by tbl; to PDF by gropdf or by Ghostscript."""

from build import Job, run
from content import Writer, truth


def line(text):
    """A line of text: nothing at its start is a request."""
    return "\\&" + text.replace("\\", "\\e")


def runs(block):
    out, pending = [], ""
    for part in block.runs:
        if part.kind == "note":
            out.append(line(pending.strip()) + "\\**")
            out += [".FS", line(part.text), ".FE"]
            pending = ""
        elif part.kind in ("bold", "italic"):
            pending += f"\\f{part.kind[0].upper()}{part.text}\\fP"
        else:
            pending += part.text
    return out + ([line_keeping_fonts(pending.strip())] if pending.strip() else [])


def line_keeping_fonts(text):
    return "\\&" + text


def table(rows, options):
    columns = " ".join(["l"] + ["r"] * (len(rows[0]) - 1))
    rule = "allbox " if options.get("ruled") else ""
    lines = [".TS", f"{rule}center tab(|);", " ".join("c" * len(rows[0])), columns + "."]
    return lines + ["|".join(row) for row in rows] + [".TE"]


def ms(document, options):
    out = [
        f".ds LH {document.head}",
        ".ds CH",
        f".ds RH {options.get('right', '')}",
        f".ds CF {document.foot.replace('{page}', chr(92) + 'n%')}",
        f".nr PS {options.get('size', 10)}",
        ".TL",
        line(document.title),
        ".AU",
        line(document.author),
    ]
    if options.get("columns"):
        out.append(".2C")
    for block in document.blocks:
        if block.kind == "heading":
            out += [f".NH {block.level - 1}" if options.get("numbered") else ".SH", line(block.text)]
        elif block.kind == "paragraph":
            out += [".PP" if options.get("indent") else ".LP", *runs(block)]
        elif block.kind == "list":
            for at, item in enumerate(block.items, 1):
                out += [f".IP {at}. 4" if block.ordered else ".IP \\(bu 3", line(item)]
        elif block.kind == "code":
            out += [".DS L", ".ft CW", *(line(part) for part in block.text.split("\n")), ".ft", ".DE"]
        elif block.kind == "table":
            out += table(block.rows, options)
    return "\n".join(out) + "\n"


def man(document, options):
    out = [f'.TH {document.head.replace(" ", "")} 1 2019-05-02 "Release 7" "{document.foot}"']
    for block in document.blocks:
        if block.kind == "heading":
            out += [".SH" if block.level == 2 else ".SS", line(block.text)]
        elif block.kind == "paragraph":
            out += [".PP", *runs(block)]
        elif block.kind == "list":
            for at, item in enumerate(block.items, 1):
                out += [f".IP {at}. 4" if block.ordered else ".IP \\(bu 3", line(item)]
        elif block.kind == "code":
            out += [".PP", ".nf", ".ft CW", *(line(part) for part in block.text.split("\n")), ".ft", ".fi"]
        elif block.kind == "table":
            out += table(block.rows, options)
    return "\n".join(out) + "\n"


def make(job, folder):
    options = job.options
    path = folder / f"{job.name}.{options['macros']}"
    path.write_text((man if options["macros"] == "man" else ms)(job.document, options))
    if options["device"] == "pdf":
        made = run(["groff", "-k", "-t", f"-m{options['macros']}", "-Tpdf", path], folder)
        (folder / f"{job.name}.pdf").write_bytes(made)
    else:
        (folder / "made.ps").write_bytes(
            run(["groff", "-k", "-t", f"-m{options['macros']}", "-Tps", path], folder)
        )
        run(["ps2pdf", "made.ps", f"{job.name}.pdf"], folder)


def job(
    number,
    layout,
    macros="ms",
    device="pdf",
    language="en",
    parts=(),
    head="",
    foot="",
    document=None,
    **options,
):
    writer = Writer(language, f"groff{number}")
    settings = {
        "sections": 5,
        "notes": 0.4 if options.pop("notes", False) else 0,
        "marks": True,
        **(document or {}),
    }
    text = writer.document(parts, **settings)
    text.head, text.foot = head, foot
    facts = truth(text, title=macros == "ms")
    if macros == "ms":
        facts["blocks"].insert(1, {"kind": "paragraph", "text": text.author})
        facts["furniture"] = [part for part in (head, foot) if part]
    else:
        facts["furniture"] = [f"{head.replace(' ', '')}(1)", "Release 7", "2019-05-02", foot]
    return Job(
        f"groff-{number:02}-{macros}-{layout}-{language}-{device}",
        "groff",
        layout,
        text,
        facts,
        {"macros": macros, "device": device, **options},
        make,
    )


def jobs():
    lists, mixed, tables = (
        ["list", "numbers", "list"],
        ["list", "table", "code", "numbers"],
        ["table", "list", "table"],
    )
    head, foot = "Notes on Weirs 83", "- {page} -"
    rows = [
        ("article", {"parts": mixed, "foot": foot}),
        ("article", {"parts": tables, "ruled": True, "device": "ps"}),
        (
            "article",
            {"parts": lists, "notes": True, "numbered": True, "indent": True, "head": head, "foot": foot},
        ),
        (
            "columns",
            {"parts": lists, "columns": True, "head": head, "foot": foot, "document": {"sections": 7}},
        ),
        (
            "columns",
            {"parts": ["list"], "columns": True, "device": "ps", "notes": True, "document": {"sections": 7}},
        ),
        (
            "columns",
            {
                "columns": True,
                "numbered": True,
                "indent": True,
                "size": 9,
                "document": {"sections": 9, "depth": 3},
            },
        ),
        ("article", {"language": "fr", "parts": lists, "device": "ps", "foot": foot}),
        ("article", {"language": "es", "parts": lists, "indent": True}),
        ("article", {"language": "de", "parts": tables, "ruled": True}),
        ("manual", {"macros": "man", "parts": mixed, "head": "weirctl", "foot": "Weir Manual"}),
        (
            "manual",
            {
                "macros": "man",
                "parts": lists,
                "head": "orchard",
                "foot": "Orchard Manual",
                "device": "ps",
                "document": {"sections": 8, "depth": 3},
            },
        ),
    ]
    return [job(number, layout, **options) for number, (layout, options) in enumerate(rows, 1)]
