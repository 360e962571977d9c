"""LibreOffice documents: Writer (flat ODT, and HTML), Calc and Impress."""

import json
from html import escape

from build import Job, letters, run
from content import Writer, truth
from languages import RIGHT_TO_LEFT
from web import FONTS, page

NAMESPACES = (
    " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}"'
        for name, urn in [
            ("office", "office:1.0"),
            ("style", "style:1.0"),
            ("text", "text:1.0"),
            ("table", "table:1.0"),
            ("draw", "drawing:1.0"),
            ("fo", "xsl-fo-compatible:1.0"),
            ("svg", "svg-compatible:1.0"),
            ("presentation", "presentation:1.0"),
        ]
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def styles(language, options):
    font = options.get("font") or FONTS.get(language, "Liberation Serif")
    direction = "rl-tb" if language in RIGHT_TO_LEFT else "lr-tb"
    start = "end" if language in RIGHT_TO_LEFT else "start"
    hyphens = (
        ' fo:hyphenate="true" fo:hyphenation-remain-char-count="2" fo:hyphenation-push-char-count="2"'
        if options.get("hyphens")
        else ""
    )
    align = "justify" if options.get("hyphens") else start

    def text(size, more=""):
        both = "".join(
            f' style:font-name{kind}="F" {prefix}:font-size{kind}="{size}pt"'
            for kind, prefix in (("", "fo"), ("-asian", "style"), ("-complex", "style"))
        )
        codes = f' fo:language="{language}" fo:country="{"US" if language == "en" else language.upper()}"'
        return f"<style:text-properties{both}{codes}{more}/>"

    def style(name, size, bold="", margin="0.2cm", more=""):
        return (
            f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties '
            f'fo:margin-top="{margin}" fo:margin-bottom="0.2cm" style:writing-mode="{direction}" '
            f'fo:text-align="{align if size < 12 else start}"{more}/>'
            f'{text(size, bold + (hyphens if size < 12 else ""))}</style:style>'
        )

    bold = "".join(
        f' {prefix}:font-weight{kind}="bold"'
        for kind, prefix in (("", "fo"), ("-asian", "style"), ("-complex", "style"))
    )
    border = 'fo:border="0.5pt solid #000000"' if options.get("ruled") else ""
    keep = ' fo:keep-with-next="always"'
    columns = f'<style:columns fo:column-count="{options.get("columns", 1)}" fo:column-gap="0.8cm"/>'
    return f"""<office:font-face-decls><style:font-face style:name="F" svg:font-family="'{font}'"/>
<style:font-face style:name="M" svg:font-family="'Liberation Mono'"/></office:font-face-decls>
<office:styles>{style("Title", 20, bold)}{style("Heading_20_1", 16, bold, "0.5cm", keep)}
{style("Heading_20_2", 13, bold, "0.4cm", keep)}{style("Body", 11)}{style("Cell", 9)}
{style("Note", 9)}{style("Head", 9)}
<style:style style:name="Code" style:family="paragraph"><style:paragraph-properties/>
<style:text-properties style:font-name="M" fo:font-size="9pt"/></style:style>
<style:style style:name="Bold" style:family="text"><style:text-properties{bold}/></style:style>
<style:style style:name="Italic" style:family="text"><style:text-properties
 fo:font-style="italic"/></style:style>
<text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
<style:list-level-properties text:space-before="0.5cm"
 text:min-label-width="0.5cm"/></text:list-level-style-bullet></text:list-style>
<text:list-style style:name="Numbers"><text:list-level-style-number text:level="1" style:num-format="1"
 style:num-suffix=".">
<style:list-level-properties text:space-before="0.5cm"
 text:min-label-width="0.6cm"/></text:list-level-style-number></text:list-style>
</office:styles><office:automatic-styles>
<style:style style:name="Grid" style:family="table-cell"><style:table-cell-properties
 fo:padding="0.1cm" {border}/></style:style>
<style:style style:name="Columns"
 style:family="section"><style:section-properties>{columns}</style:section-properties></style:style>
<style:page-layout style:name="Layout"><style:page-layout-properties fo:page-width="21cm"
 fo:page-height="29.7cm"
 fo:margin="2cm" style:writing-mode="{direction}"/><style:header-style><style:header-footer-properties
 fo:min-height="0.8cm"
 fo:margin-bottom="0.3cm"/></style:header-style><style:footer-style><style:header-footer-properties
 fo:min-height="0.8cm"
 fo:margin-top="0.3cm"/></style:footer-style></style:page-layout></office:automatic-styles>"""


def runs(block, numbers):
    out = []
    for part in block.runs:
        text = escape(part.text)
        if part.kind == "note":
            number = next(numbers)
            text = (
                f'<text:note text:id="n{number}" text:note-class="footnote">'
                f"<text:note-citation>{number}</text:note-citation>"
                f'<text:note-body><text:p text:style-name="Note">{text}</text:p></text:note-body></text:note>'
            )
        elif part.kind in ("bold", "italic"):
            text = f'<text:span text:style-name="{part.kind.capitalize()}">{text}</text:span>'
        elif part.kind == "link":
            text = f'<text:a xlink:type="simple" xlink:href="{part.url}">{text}</text:a>'
        out.append(text)
    return "".join(out)


def block_xml(block, number, numbers):
    if block.kind == "heading":
        level = block.level - 1
        style = f'text:style-name="Heading_20_{level}" text:outline-level="{level}"'
        return f"<text:h {style}>{escape(block.text)}</text:h>"
    if block.kind == "paragraph":
        return f'<text:p text:style-name="Body">{runs(block, numbers)}</text:p>'
    if block.kind == "list":
        items = "".join(
            f'<text:list-item><text:p text:style-name="Body">{escape(item)}</text:p></text:list-item>'
            for item in block.items
        )
        return f'<text:list text:style-name="{"Numbers" if block.ordered else "Bullets"}">{items}</text:list>'
    if block.kind == "code":
        lines = (escape(line).replace("    ", '<text:s text:c="4"/>') for line in block.text.split("\n"))
        return "".join(f'<text:p text:style-name="Code">{line}</text:p>' for line in lines)
    cells = (
        f'<table:table-cell table:style-name="Grid" office:value-type="string">'
        f'<text:p text:style-name="Cell">{escape(cell)}</text:p></table:table-cell>'
        for row in block.rows
        for cell in row
    )
    width, rows = len(block.rows[0]), []
    cells = list(cells)
    for at in range(0, len(cells), width):
        rows.append(f'<table:table-row>{"".join(cells[at:at + width])}</table:table-row>')
    return (
        f'<table:table table:name="T{number}"><table:table-column table:number-columns-repeated="{width}"/>'
        f'<table:table-header-rows>{rows[0]}</table:table-header-rows>{"".join(rows[1:])}</table:table>'
    )


def writer_source(document, options):
    field = {"{page}": '<text:page-number text:select-page="current"/>', "{pages}": "<text:page-count/>"}

    def furniture(kind, text):
        xml = escape(text)
        for name, value in field.items():
            xml = xml.replace(name, value)
        return f'<style:{kind}><text:p text:style-name="Head">{xml}</text:p></style:{kind}>' if text else ""

    numbers = iter(range(1, 999))
    blocks = "\n".join(block_xml(block, at, numbers) for at, block in enumerate(document.blocks))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
{styles(document.language, options)}<office:master-styles><style:master-page style:name="Standard"
 style:page-layout-name="Layout">
{furniture("header", document.head)}{furniture("footer", document.foot)}</style:master-page>
</office:master-styles>
<office:body><office:text><text:p text:style-name="Title">{escape(document.title)}</text:p>
<text:section text:name="S"
 text:style-name="Columns">{blocks}</text:section></office:text></office:body></office:document>
"""


def slides_source(document, options):
    pages = []
    for at, (title, items) in enumerate(document.slides, 1):
        body = "".join(f"<text:list-item><text:p>{escape(item)}</text:p></text:list-item>" for item in items)
        pages.append(f"""<draw:page draw:name="p{at}" draw:master-page-name="M">
<draw:frame draw:style-name="G" svg:x="2cm" svg:y="1cm" svg:width="24cm"
 svg:height="2.5cm"><draw:text-box><text:p>
<text:span text:style-name="Big">{escape(title)}</text:span></text:p></draw:text-box></draw:frame>
<draw:frame draw:style-name="G" svg:x="2cm" svg:y="4.5cm" svg:width="24cm" svg:height="9cm"><draw:text-box>
<text:list text:style-name="L">{body}</text:list></draw:text-box></draw:frame>
<draw:frame draw:style-name="G" svg:x="2cm" svg:y="14.2cm" svg:width="12cm"
 svg:height="1cm"><draw:text-box><text:p>
<text:span text:style-name="Small">{escape(document.foot)}</text:span></text:p></draw:text-box>
</draw:frame></draw:page>""")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:automatic-styles><style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="28cm"
 fo:page-height="21cm"/></style:page-layout>
<style:style style:name="G" style:family="graphic"><style:graphic-properties draw:stroke="none"
 draw:fill="none"/></style:style>
<style:style style:name="Big" style:family="text"><style:text-properties fo:font-size="28pt"
 fo:font-weight="bold"/></style:style>
<style:style style:name="Small" style:family="text"><style:text-properties fo:font-size="9pt"/></style:style>
<text:list-style style:name="L"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
<style:list-level-properties text:min-label-width="0.8cm"/></text:list-level-style-bullet></text:list-style>
</office:automatic-styles><office:master-styles><style:master-page style:name="M"
 style:page-layout-name="PL"/></office:master-styles>
<office:body><office:presentation>{"".join(pages)}</office:presentation></office:body></office:document>
"""


def convert(job, folder, source, suffix, module):
    path = folder / f"{job.name}.{suffix}"
    path.write_text(source)
    wanted = {
        "UseTaggedPDF": job.options.get("tagged", False),
        "ExportBookmarks": job.options.get("tagged", False),
    }
    settings = json.dumps(
        {name: {"type": "boolean", "value": str(value).lower()} for name, value in wanted.items()}
    )
    # A profile of its own: an office that runs already would take over the file.
    run(
        [
            "soffice",
            f"-env:UserInstallation=file://{folder}/profile",
            "--headless",
            "--convert-to",
            f"pdf:{module}_pdf_Export:{settings}",
            "--outdir",
            folder,
            path,
        ],
        folder,
    )


def make_writer(job, folder):
    convert(job, folder, writer_source(job.document, job.options), "fodt", "writer")


def make_html(job, folder):
    convert(job, folder, page(job.document, job.options), "html", "writer_web")


def make_calc(job, folder):
    rows = job.document.blocks[0].rows
    convert(job, folder, "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows), "csv", "calc")


def make_impress(job, folder):
    convert(job, folder, slides_source(job.document, job.options), "fodp", "impress")


def writer_job(number, layout, language="en", parts=(), head="", foot="", document=None, **options):
    writer = Writer(language, f"office{number}")
    settings = {
        "sections": 5,
        "notes": 0.35 if options.pop("notes", False) else 0,
        "links": options.pop("links", False),
    }
    settings["marks"] = language not in ("zh", "ja", "ko", "th", "hi", "ar", "he")
    settings.update(document or {})
    text = writer.document(parts, **settings)
    text.head, text.foot = head, foot
    facts = truth(text)
    facts["furniture"] = [part for part in (head, foot) if part]
    html = options.get("html")
    tagged = "tagged" if options.get("tagged") else "plain"
    return Job(
        f"{'officehtml' if html else 'writer'}-{number:02}-{layout}-{language}-{tagged}",
        "writer",
        layout,
        text,
        facts,
        options,
        make_html if html else make_writer,
    )


def calc_job(number, rows, columns, tagged):
    writer = Writer("en", f"calc{number}")
    document = writer.document([], sections=0)
    table = writer.table(rows=rows, columns=columns)
    # Cells are cut at the width of their column, and numbers are formatted anew: so names and amounts.
    table.rows = [
        [writer.name() if len(cell) > 10 else f"{writer.random.randint(100, 999)} kg" for cell in row]
        for row in table.rows
    ]
    for row in table.rows:
        row[0] = writer.unique(writer.name)
    document.blocks = [table]
    facts = truth(document, title=False)
    # The default header has the name of the sheet, which is that of the file.
    name = f"calc-{number:02}-sheet-en"
    facts["furniture"] = [name, "Page {page}"]
    return Job(name, "calc", "sheet", document, facts, {"tagged": tagged}, make_calc)


def impress_job(number, language, tagged):
    writer = Writer(language, f"impress{number}")
    document = writer.document([], sections=0)
    document.slides = [(writer.heading(), [writer.sentences(1) for _ in range(4)]) for _ in range(5)]
    document.foot = "Ferry board meeting 31"
    facts = truth(document, title=False)
    for title, items in document.slides:
        facts["blocks"].append({"kind": "heading", "level": 1, "text": title})
        facts["blocks"] += [{"kind": "item", "ordered": False, "text": item} for item in items]
    facts["furniture"] = [document.foot]
    assert all(letters(block["text"]) for block in facts["blocks"])
    return Job(
        f"impress-{number:02}-slides-{language}",
        "impress",
        "slides",
        document,
        facts,
        {"tagged": tagged},
        make_impress,
    )


def jobs():
    lists, mixed, tables = (
        ["list", "numbers", "list"],
        ["list", "table", "code", "numbers"],
        ["table", "wide", "table"],
    )
    head, foot = "Survey of Orchards and Mills 44", "Page {page} of {pages}"
    rows = []
    for tagged in (False, True):
        rows += [
            ("article", {"parts": mixed, "notes": True}),
            ("article", {"parts": tables, "ruled": True}),
            ("article", {"parts": tables, "font": "Liberation Sans"}),
            ("heads", {"parts": lists, "head": head, "foot": foot, "document": {"sections": 8}}),
            (
                "heads",
                {
                    "parts": mixed,
                    "notes": True,
                    "head": head,
                    "foot": "{page}",
                    "ruled": True,
                    "document": {"sections": 7, "depth": 3},
                },
            ),
            (
                "columns",
                {"parts": lists, "columns": 2, "head": head, "foot": foot, "document": {"sections": 8}},
            ),
            (
                "columns",
                {
                    "parts": ["list"],
                    "columns": 3,
                    "document": {"sections": 8},
                    "font": "Liberation Sans Narrow",
                },
            ),
            ("hyphens", {"language": "de", "columns": 2, "hyphens": True, "document": {"sections": 8}}),
            ("article", {"language": "ar", "parts": ["list", "table"], "ruled": True}),
            ("article", {"language": "zh", "parts": ["list", "table"], "notes": True}),
        ]
    rows += [
        (
            "hyphens",
            {"language": "en", "columns": 2, "hyphens": True, "notes": True, "document": {"sections": 7}},
        ),
        ("article", {"language": "he", "parts": ["list", "table"], "tagged": True}),
        ("article", {"language": "ja", "parts": ["list"]}),
        ("article", {"language": "ko", "parts": ["table"]}),
        ("article", {"language": "ru", "parts": mixed, "notes": True}),
        ("article", {"language": "th", "parts": ["list"]}),
        ("article", {"language": "hi", "parts": ["list"]}),
        ("article", {"language": "vi", "parts": tables, "ruled": True}),
        ("html", {"html": True, "parts": mixed}),
        ("html", {"html": True, "parts": tables, "ruled": True, "tagged": True}),
        ("html", {"html": True, "language": "el", "parts": lists}),
        ("notes", {"links": True, "document": {"notes": 0.9, "sections": 6}, "head": head}),
    ]
    made = [
        writer_job(number, layout, **{"tagged": 10 < number <= 20, **options})
        for number, (layout, options) in enumerate(rows, 1)
    ]
    made += [calc_job(1, 30, 4, False), calc_job(2, 120, 5, False), calc_job(3, 60, 6, True)]
    made += [impress_job(1, "en", False), impress_job(2, "de", True), impress_job(3, "es", False)]
    return made
