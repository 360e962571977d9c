"""Pages printed by WeasyPrint (CSS for paged media, text shaped by Pango), and reports drawn by ReportLab."""

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    ListFlowable,
    PageTemplate,
    Paragraph,
    Preformatted,
    Spacer,
    Table,
    TableStyle,
)
from xml.sax.saxutils import escape

from build import Job, run
from content import Writer, truth
from web import margin_boxes, page

NOTE = ".note { float: footnote; font-size: 9pt; } "


def print_html(job, folder):
    path = folder / f"{job.name}.html"
    path.write_text(page(job.document, job.options))
    run(["weasyprint", path, folder / f"{job.name}.pdf"], folder)


def draw(job, folder):
    """Headings, paragraphs, lists and tables as flowing parts of frames; heads and page numbers by hand."""
    sheet, options, document = getSampleStyleSheet(), job.options, job.document
    parts = [Paragraph(escape(document.title), sheet["Title"])]
    for block in document.blocks:
        if block.kind == "heading":
            parts.append(Paragraph(escape(block.text), sheet[f"Heading{block.level}"]))
        elif block.kind == "paragraph":
            parts += [Paragraph(escape(block.plain), sheet["BodyText"]), Spacer(1, 4)]
        elif block.kind == "list":
            parts.append(
                ListFlowable(
                    [Paragraph(escape(item), sheet["BodyText"]) for item in block.items],
                    bulletType="1" if block.ordered else "bullet",
                    **({} if block.ordered else {"start": "•"}),
                )
            )
        elif block.kind == "code":
            parts.append(Preformatted(block.text, sheet["Code"]))
        elif block.kind == "table":
            grid = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)] if options.get("ruled") else []
            grid += [
                ("BACKGROUND", (0, at), (-1, at), colors.whitesmoke) for at in range(0, len(block.rows), 2)
            ]
            parts += [
                Table(block.rows, style=TableStyle(grid + [("FONTSIZE", (0, 0), (-1, -1), 8)])),
                Spacer(1, 8),
            ]

    def furniture(canvas, made):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 810, document.head)
        canvas.drawRightString(535, 30, document.foot.replace("{page}", str(made.page)))

    count = options.get("columns", 1)
    width = (A4[0] - 110 - 15 * (count - 1)) / count
    frames = [Frame(55 + at * (width + 15), 50, width, A4[1] - 100) for at in range(count)]
    made = BaseDocTemplate(str(folder / f"{job.name}.pdf"), pagesize=A4, title=document.title)
    made.addPageTemplates([PageTemplate(frames=frames, onPage=furniture)])
    made.build(parts)


def job(number, tool, layout, language="en", parts=(), head="", foot="", document=None, **options):
    writer = Writer(language, f"{tool}{number}")
    settings = {
        "sections": 6,
        "marks": tool == "weasyprint" and language not in ("zh", "ar", "ja"),
        "notes": 0.5 if options.get("notes") else 0,
        **(document or {}),
    }
    text = writer.document(parts, **settings)
    text.head, text.foot = head, foot
    facts = truth(text)
    facts["furniture"] = [part for part in (head, foot) if part]
    if tool == "weasyprint":
        options["style"] = NOTE + (margin_boxes(head, foot) if head or foot else "")
    make = print_html if tool == "weasyprint" else draw
    return Job(f"{tool}-{number:02}-{layout}-{language}", tool, layout, text, facts, options, make)


def jobs():
    lists, mixed, tables = (
        ["list", "numbers", "list"],
        ["list", "table", "code", "numbers"],
        ["table", "wide", "table"],
    )
    head, foot = "Registry of Weirs 29", "Page {page} of {pages}"
    rows = [
        ("weasyprint", "article", {"parts": mixed, "head": head, "foot": foot}),
        ("weasyprint", "article", {"parts": tables, "ruled": True}),
        ("weasyprint", "notes", {"parts": lists, "notes": True, "hyphens": True}),
        (
            "weasyprint",
            "columns",
            {"parts": lists, "columns": 2, "hyphens": True, "head": head, "foot": foot},
        ),
        ("weasyprint", "columns", {"language": "de", "columns": 3, "size": "9pt", "hyphens": True}),
        ("weasyprint", "columns", {"language": "tr", "columns": 2, "ruled": True}),
        ("weasyprint", "article", {"language": "zh", "parts": ["list"]}),
        ("weasyprint", "article", {"language": "ru", "parts": mixed, "stripes": True, "head": head}),
        ("reportlab", "article", {"parts": mixed, "head": head, "foot": "Page {page}"}),
        ("reportlab", "article", {"parts": ["table", "table", "list"], "ruled": True}),
        ("reportlab", "columns", {"parts": lists, "columns": 2, "head": head, "foot": "{page}"}),
        ("reportlab", "article", {"language": "fr", "parts": lists, "foot": "- {page} -"}),
    ]
    return [job(number, tool, layout, **options) for number, (tool, layout, options) in enumerate(rows, 1)]
