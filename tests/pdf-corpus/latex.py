"""LaTeX documents: pdflatex, latex with dvips and Ghostscript, xelatex, lualatex."""

from build import Job, run
from content import Writer, truth

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
}

FONTS = {
    "cm": "",
    "cm-t1": r"\usepackage[T1]{fontenc}",
    "lm": r"\usepackage[T1]{fontenc}\usepackage{lmodern}",
    "times": r"\usepackage[T1]{fontenc}\usepackage{mathptmx}",
    "palatino": r"\usepackage[T1]{fontenc}\usepackage{mathpazo}\usepackage{microtype}",
    "helvetica": r"\usepackage[T1]{fontenc}\usepackage[scaled]{helvet}"
    r"\renewcommand{\familydefault}{\sfdefault}",
}
BABEL = {"en": "english", "de": "ngerman"}
# Fonts and line breaking of the engines that read Unicode.
UNICODE_FONTS = {
    "ru": "Liberation Serif",
    "el": "DejaVu Serif",
    "vi": "Noto Serif",
    "tr": "Noto Sans",
    "ko": "WenQuanYi Micro Hei",
    "zh": "WenQuanYi Micro Hei",
    "ja": "WenQuanYi Micro Hei",
    "hi": "FreeSerif",
    "th": "Garuda",
    "ar": "DejaVu Sans",
    "he": "DejaVu Sans",
    "pl": "Noto Serif",
    "en": "Liberation Serif",
    "de": "Latin Modern Roman",
    "fr": "Noto Serif",
    "es": "DejaVu Sans",
}
BREAKS = {"zh": "zh", "ja": "ja", "th": "th"}


def escape(text):
    return "".join(SPECIAL.get(c, c) for c in text)


def runs(block):
    out = []
    for run in block.runs:
        text = escape(run.text)
        out.append(
            {
                "text": text,
                "bold": rf"\textbf{{{text}}}",
                "italic": rf"\emph{{{text}}}",
                "link": rf"\href{{{run.url}}}{{{text}}}",
                "note": rf"\footnote{{{text}}}",
                "math": f"${run.text}$",
            }[run.kind]
        )
    return "".join(out)


def table(rows, style, narrow):
    long = any(len(cell) > 40 for row in rows[1:] for cell in row)
    columns = ["l"] + ["r"] * (len(rows[0]) - 1)
    if long:
        columns = ["p{2.6cm}"] * (len(rows[0]) - 1) + ["p{4.4cm}"]
    heads = [escape(cell) for cell in rows[0]]
    if narrow:
        heads = [
            r"\shortstack{%s}" % r" \\ ".join(escape(part) for part in cell.rsplit(" ", 1))
            for cell in rows[0]
        ]
    body = [heads] + [[escape(cell) for cell in row] for row in rows[1:]]
    if style == "ruled":
        preamble = "|" + "|".join(columns) + "|"
        lines = [r"\hline"] + [" & ".join(row) + r" \\ \hline" for row in body]
    else:
        preamble = "".join(columns)
        rules = (r"\toprule", r"\midrule", r"\bottomrule") if style == "booktabs" else ("", "", "")
        lines = [rules[0], " & ".join(body[0]) + r" \\", rules[1]]
        lines += [" & ".join(row) + r" \\" for row in body[1:]] + [rules[2]]
    begin, end = (
        (r"\begin{longtable}", r"\end{longtable}")
        if style == "longtable"
        else (r"\begin{center}\begin{tabular}", r"\end{tabular}\end{center}")
    )
    size = r"\footnotesize" if narrow or long else r"\small"
    return "{%s %s{%s}\n%s\n%s}" % (size, begin, preamble, "\n".join(lines), end)


def body(document, options):
    levels = {2: "chapter", 3: "section"} if options.get("chapters") else {2: "section", 3: "subsection"}
    star = "*" if options.get("unnumbered") else ""
    out = []
    for block in document.blocks:
        if block.kind == "heading":
            out.append(rf"\{levels[block.level]}{star}{{{escape(block.text)}}}")
        elif block.kind == "paragraph":
            out.append(runs(block))
        elif block.kind == "list":
            kind = "enumerate" if block.ordered else "itemize"
            items = "\n".join(rf"\item {escape(item)}" for item in block.items)
            out.append(rf"\begin{{{kind}}}" + f"\n{items}\n" + rf"\end{{{kind}}}")
        elif block.kind == "table":
            out.append(table(block.rows, options.get("table", "booktabs"), options.get("two")))
        elif block.kind == "code":
            size = r"\scriptsize" if options.get("two") else r"\small"
            out.append("{%s\\begin{verbatim}\n%s\n\\end{verbatim}}" % (size, block.text))
        elif block.kind == "formula":
            out.append(
                r"\[ %s \]" % block.text
                if options.get("unnumbered")
                else r"\begin{equation} %s \end{equation}" % block.text
            )
    return "\n\n".join(out)


def source(document, engine, options):
    lines = [
        r"\documentclass[%s]{%s}"
        % (
            ",".join(
                [options.get("size", "10pt"), "a4paper"]
                + (["twocolumn"] if options.get("two") == "class" else [])
            ),
            options.get("class", "article"),
        )
    ]
    language = document.language
    if engine in ("pdflatex", "latex"):
        lines += [r"\usepackage[utf8]{inputenc}", FONTS[options.get("font", "cm")]]
        if language in BABEL:
            lines.append(rf"\usepackage[{BABEL[language]}]{{babel}}")
    else:
        lines.append(r"\usepackage{fontspec}")
        font = options.get("family") or UNICODE_FONTS[language]
        script = {"hi": "[Script=Devanagari]", "th": "[Script=Thai]"}.get(language, "")
        if language in ("ar", "he"):
            name = {"ar": "arabic", "he": "hebrew"}[language]
            lines = lines[:-1] + [
                rf"\usepackage[bidi=basic,layout=lists]{{babel}}\babelprovide[import,main]{{{name}}}",
                rf"\babelfont{{rm}}{{{font}}}",
            ]
        else:
            lines.append(rf"\setmainfont{{{font}}}{script}")
        if language in BREAKS and engine == "xelatex":
            lines.append(r'\XeTeXlinebreaklocale "%s"\XeTeXlinebreakskip=0pt plus 1pt' % BREAKS[language])
    lines += [
        r"\usepackage{booktabs,longtable,array,multicol}",
        r"\usepackage[margin=%s]{geometry}" % options.get("margin", "2.5cm"),
    ]
    if document.head or document.foot:
        lines += [
            r"\usepackage{fancyhdr,lastpage}\pagestyle{fancy}\fancyhf{}\setlength{\headheight}{14pt}",
            rf"\fancyhead[{options.get('head_at', 'L')}]{{{escape(document.head)}}}",
            r"\fancyfoot[C]{%s}"
            % escape(document.foot)
            .replace(r"\{page\}", r"{\thepage}")
            .replace(r"\{pages\}", r"\pageref*{LastPage}"),
            r"\fancypagestyle{plain}{}",
        ]
    if options.get("marks"):
        lines.append(r"\pagestyle{headings}")
    links = r"\hypersetup{colorlinks,urlcolor=blue}" if options.get("colour") else ""
    lines.append(r"\usepackage%s{hyperref}" % ("[dvips]" if engine == "latex" else "") + links)
    lines += [
        rf"\title{{{escape(document.title)}}}\author{{{escape(document.author)}}}\date{{}}",
        r"\emergencystretch=2em",
        r"\begin{document}",
        r"\maketitle",
    ]
    if options.get("two") == "multicol":
        lines += [r"\begin{multicols}{2}", body(document, options), r"\end{multicols}"]
    else:
        lines.append(body(document, options))
    return "\n".join(lines + [r"\end{document}", ""])


def make(job, folder):
    """Writes `job.name`.pdf."""
    document, options = job.document, job.options
    engine = job.tool
    path = folder / f"{job.name}.tex"
    path.write_text(source(document, engine, options))
    for _ in range(2):
        run([engine, "-interaction=nonstopmode", path.name], folder, may_fail=True, seconds=240)
    if engine == "latex":
        run(["dvips", "-q", f"{job.name}.dvi", "-o", f"{job.name}.ps"], folder)
        run(["ps2pdf", f"{job.name}.ps", f"{job.name}.pdf"], folder)


def job(number, engine, layout, language="en", parts=(), head="", foot="", document=None, **options):
    writer = Writer(language, f"latex{number}")
    settings = {
        "sections": 4,
        "notes": 0.3 if options.pop("notes", False) else 0,
        "links": bool(options.get("colour")),
    }
    settings["marks"] = language not in ("zh", "ja", "ko", "th", "hi", "ar", "he")
    settings.update(document or {})
    text = writer.document(parts, **settings)
    text.head, text.foot = head, foot
    facts = truth(text)
    facts["blocks"].insert(1, {"kind": "paragraph", "text": text.author})
    facts["furniture"] = [part for part in (head, foot) if part]
    if not head and not foot:
        facts["furniture"] = ["{page}"]
    if options.get("chapters"):
        facts["heading_prefix"] = "Chapter"
        facts["optional"].append(" ".join(f"Chapter {at}" for at in range(1, 20)))
    if options.get("marks"):
        facts["furniture"] += [block["text"] for block in facts["blocks"] if block["kind"] == "heading"]
    return Job(f"{engine}-{number:02}-{layout}-{language}", engine, layout, text, facts, options, make)


def jobs():
    table, lists = ["table", "list", "table"], ["list", "numbers", "list"]
    mixed = ["list", "table", "code", "numbers"]
    head, foot = "Quarterly Survey of Inland Ferries 58", "Page {page} of {pages}"
    rows = [
        ("pdflatex", "article", {"parts": lists, "font": "cm"}),
        ("pdflatex", "article", {"parts": mixed, "font": "lm", "notes": True}),
        ("pdflatex", "article", {"parts": table, "font": "times", "table": "ruled", "unnumbered": True}),
        ("pdflatex", "article", {"parts": ["wide", "wide"], "font": "palatino", "table": "ruled"}),
        (
            "pdflatex",
            "article",
            {"parts": ["wide", "table"], "font": "lm", "table": "booktabs", "colour": True},
        ),
        (
            "pdflatex",
            "article",
            {"parts": table, "font": "helvetica", "table": "plain", "document": {"depth": 3}},
        ),
        ("pdflatex", "article", {"parts": mixed, "font": "cm-t1", "document": {"sections": 3}}),
        ("pdflatex", "notes", {"font": "times", "notes": True, "document": {"notes": 0.9, "sections": 5}}),
        (
            "pdflatex",
            "notes",
            {"font": "lm", "notes": True, "two": "class", "document": {"notes": 0.6, "sections": 6}},
        ),
        (
            "pdflatex",
            "columns",
            {"parts": lists, "font": "times", "two": "class", "margin": "1.9cm", "document": {"sections": 7}},
        ),
        (
            "pdflatex",
            "columns",
            {"parts": mixed, "font": "cm", "two": "class", "document": {"sections": 8, "depth": 3}},
        ),
        (
            "pdflatex",
            "columns",
            {"parts": ["formula", "formula"], "font": "lm", "two": "multicol", "document": {"sections": 6}},
        ),
        (
            "pdflatex",
            "columns",
            {
                "parts": lists,
                "font": "palatino",
                "two": "multicol",
                "head": head,
                "foot": foot,
                "document": {"sections": 8},
            },
        ),
        (
            "pdflatex",
            "columns",
            {"language": "de", "font": "lm", "two": "class", "margin": "1.7cm", "document": {"sections": 7}},
        ),
        (
            "pdflatex",
            "columns",
            {
                "language": "fr",
                "font": "times",
                "two": "class",
                "unnumbered": True,
                "document": {"sections": 6},
            },
        ),
        (
            "pdflatex",
            "report",
            {
                "parts": mixed,
                "font": "lm",
                "class": "report",
                "chapters": True,
                "head": head,
                "foot": foot,
                "document": {"depth": 3},
            },
        ),
        (
            "pdflatex",
            "report",
            {
                "parts": table,
                "font": "times",
                "class": "report",
                "chapters": True,
                "marks": True,
                "document": {"depth": 3, "sections": 3, "paragraphs": (5, 8)},
            },
        ),
        (
            "pdflatex",
            "report",
            {
                "parts": lists,
                "font": "cm",
                "class": "book",
                "chapters": True,
                "marks": True,
                "size": "11pt",
                "document": {"depth": 3, "sections": 3, "paragraphs": (6, 9)},
            },
        ),
        (
            "pdflatex",
            "heads",
            {"parts": lists, "font": "helvetica", "head": head, "foot": foot, "document": {"sections": 8}},
        ),
        (
            "pdflatex",
            "heads",
            {
                "parts": table,
                "font": "palatino",
                "head": "Internal draft",
                "foot": "{page}",
                "head_at": "R",
                "document": {"sections": 8},
            },
        ),
        (
            "pdflatex",
            "heads",
            {
                "language": "de",
                "parts": lists,
                "font": "lm",
                "head": "Jahresbericht der Fähren 7",
                "foot": "Seite {page} von {pages}",
                "notes": True,
                "document": {"sections": 7},
            },
        ),
        ("pdflatex", "math", {"parts": ["formula"] * 4, "font": "cm", "document": {"math": True}}),
        (
            "pdflatex",
            "math",
            {"parts": ["formula"] * 4, "font": "times", "unnumbered": True, "document": {"math": True}},
        ),
        (
            "pdflatex",
            "math",
            {
                "parts": ["formula"] * 5,
                "font": "lm",
                "two": "class",
                "document": {"math": True, "sections": 6},
            },
        ),
        (
            "pdflatex",
            "longtable",
            {"font": "lm", "table": "longtable", "parts": ["long"], "document": {"sections": 2}},
        ),
        (
            "pdflatex",
            "article",
            {"language": "de", "parts": mixed, "font": "times", "notes": True, "margin": "4cm"},
        ),
        ("pdflatex", "article", {"language": "fr", "parts": lists, "font": "lm"}),
        ("pdflatex", "article", {"language": "es", "parts": table, "font": "cm", "notes": True}),
        ("pdflatex", "article", {"language": "pl", "parts": lists, "font": "lm", "table": "ruled"}),
        ("pdflatex", "koma", {"parts": mixed, "class": "scrartcl", "font": "lm", "notes": True}),
        (
            "pdflatex",
            "memoir",
            {
                "parts": mixed,
                "class": "memoir",
                "chapters": True,
                "font": "times",
                "document": {"depth": 3, "sections": 3},
            },
        ),
        ("latex", "article", {"parts": mixed, "font": "cm", "notes": True}),
        ("latex", "columns", {"parts": lists, "font": "times", "two": "class", "document": {"sections": 6}}),
        (
            "latex",
            "article",
            {"parts": table, "font": "cm-t1", "table": "ruled", "document": {"sections": 3}},
        ),
        (
            "latex",
            "heads",
            {"parts": lists, "font": "lm", "head": head, "foot": foot, "document": {"sections": 6}},
        ),
        ("latex", "article", {"language": "fr", "parts": lists, "font": "cm"}),
    ]
    for language in ("en", "ru", "el", "tr", "vi", "zh", "ja", "ko", "hi", "th"):
        rows.append(
            ("xelatex", "article", {"language": language, "parts": ["list", "table"], "unnumbered": True})
        )
    rows += [
        (
            "xelatex",
            "columns",
            {"language": "ru", "parts": lists, "two": "class", "document": {"sections": 6}},
        ),
        (
            "xelatex",
            "columns",
            {"language": "zh", "parts": ["list"], "two": "multicol", "document": {"sections": 8}},
        ),
        (
            "xelatex",
            "heads",
            {
                "language": "en",
                "parts": mixed,
                "family": "Liberation Sans",
                "head": head,
                "foot": foot,
                "document": {"sections": 7},
            },
        ),
        ("lualatex", "article", {"language": "en", "parts": mixed, "notes": True, "table": "ruled"}),
        ("lualatex", "article", {"language": "de", "parts": mixed, "notes": True}),
        (
            "lualatex",
            "columns",
            {
                "language": "en",
                "parts": lists,
                "two": "class",
                "family": "Noto Serif",
                "document": {"sections": 6},
            },
        ),
        ("lualatex", "article", {"language": "ar", "parts": ["list", "table"], "unnumbered": True}),
        ("lualatex", "article", {"language": "he", "parts": ["list", "table"], "unnumbered": True}),
        (
            "lualatex",
            "heads",
            {
                "language": "pl",
                "parts": lists,
                "head": "Przegląd promów 12",
                "foot": "{page} / {pages}",
                "document": {"sections": 6},
            },
        ),
        ("lualatex", "math", {"language": "en", "parts": ["formula"] * 4, "document": {"math": True}}),
        ("lualatex", "article", {"language": "ru", "parts": ["table", "list"], "family": "DejaVu Serif"}),
    ]
    return [
        job(number, engine, layout, **options) for number, (engine, layout, options) in enumerate(rows, 1)
    ]
