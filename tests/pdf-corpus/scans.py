"""Scanned pages: pictures of printed pages, without text or with an invisible layer of text."""

import re
from html import unescape

from PIL import Image, ImageFilter
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

import latex
from build import Job, run

WIDE_FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"


def scan(job, folder):
    """The pages as a scanner sees them: slightly turned, blurred, and grey."""
    pages = Job(job.name + "-printed", job.options["engine"], "", job.document, {}, job.options, None)
    latex.make(pages, folder)
    dots = job.options.get("dots", 200)
    run(["pdftoppm", "-r", dots, "-gray", "-png", f"{pages.name}.pdf", "page"], folder)
    pictures = sorted(folder.glob("page*.png"))
    for at, path in enumerate(pictures):
        with Image.open(path) as picture:
            turned = picture.rotate(
                job.options.get("turn", 0) * (1 if at % 2 else -1), fillcolor=250, resample=Image.BICUBIC
            )
            turned.filter(ImageFilter.GaussianBlur(0.4)).save(path, dpi=(dots, dots))
    return pictures


def make_picture(job, folder):
    run(["img2pdf", "-o", f"{job.name}.pdf", *scan(job, folder)], folder)


def make_ocrmypdf(job, folder):
    run(["img2pdf", "-o", "pictures.pdf", *scan(job, folder)], folder)
    run(
        [
            "ocrmypdf",
            "-q",
            "-l",
            "eng",
            "--jobs",
            "1",
            "--output-type",
            job.options.get("output", "pdf"),
            "--pdf-renderer",
            job.options["renderer"],
            "pictures.pdf",
            f"{job.name}.pdf",
        ],
        folder,
        seconds=400,
    )


def make_tesseract(job, folder):
    (folder / "list.txt").write_text("\n".join(map(str, scan(job, folder))) + "\n")
    run(["tesseract", "list.txt", job.name, "-l", "eng", "pdf"], folder, seconds=400)


def make_layer(job, folder):
    """Invisible words at the places where they are printed, one by one or line by line."""
    pictures = scan(job, folder)
    layout = run(["pdftotext", "-bbox-layout", f"{job.name}-printed.pdf", "-"], folder).decode()
    pdfmetrics.registerFont(TTFont("Wide", WIDE_FONT, subfontIndex=0))
    canvas = Canvas(str(folder / f"{job.name}.pdf"))
    for picture, page in zip(pictures, layout.split("<page ")[1:]):
        width, height = (
            float(re.search(rf'{name}="([\d.]+)"', page).group(1)) for name in ("width", "height")
        )
        canvas.setPageSize((width, height))
        canvas.drawImage(str(picture), 0, 0, width, height)
        for line in page.split("<line ")[1:]:
            words = re.findall(
                r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</word>', line
            )
            if job.options["by"] == "line" and words:
                words = [
                    (words[0][0], words[0][1], words[-1][2], words[0][3], " ".join(word[4] for word in words))
                ]
            for left, top, right, bottom, text in words:
                left, top, right, bottom, text = *map(float, (left, top, right, bottom)), unescape(text)
                size = (bottom - top) * 0.8
                drawn = canvas.beginText(left, height - bottom + (bottom - top) * 0.2)
                drawn.setTextRenderMode(3)
                drawn.setFont("Wide", size)
                drawn.setHorizScale(
                    100 * (right - left) / max(pdfmetrics.stringWidth(text, "Wide", size), 0.1)
                )
                drawn.textOut(text)
                canvas.drawText(drawn)
        canvas.showPage()
    canvas.save()


def job(number, kind, layout, make, engine="pdflatex", **options):
    more = {
        name: options.pop(name) for name in ("renderer", "output", "dots", "turn", "by") if name in options
    }
    printed = latex.job(900 + number, engine, layout, **options)
    facts = dict(printed.truth)
    if kind == "picture":
        # Without a layer there is no text to find.
        facts.update(blocks=[], optional=[], furniture=[], links=[], without_text=True)
    # The layer has no links.
    facts["links"] = []
    return Job(
        f"scan-{number:02}-{kind}-{layout}-{printed.document.language}",
        "scan",
        kind,
        printed.document,
        facts,
        {**printed.options, **more, "engine": engine},
        make,
    )


def jobs():
    head, foot = "Weekly Digest of Tramways 91", "Page {page} of {pages}"
    short = {"sections": 3}
    rows = [
        (
            "ocrmypdf",
            "article",
            make_ocrmypdf,
            {"renderer": "hocr", "parts": ["list"], "font": "times", "document": short},
        ),
        (
            "ocrmypdf",
            "columns",
            make_ocrmypdf,
            {"renderer": "hocr", "font": "times", "two": "class", "turn": 0.3, "document": short},
        ),
        (
            "ocrmypdf",
            "tables",
            make_ocrmypdf,
            {"renderer": "sandwich", "parts": ["table"], "table": "ruled", "font": "lm", "document": short},
        ),
        (
            "ocrmypdf",
            "heads",
            make_ocrmypdf,
            {
                "renderer": "sandwich",
                "output": "pdfa",
                "font": "lm",
                "head": head,
                "foot": foot,
                "turn": 0.2,
                "document": {"sections": 5},
            },
        ),
        (
            "tesseract",
            "article",
            make_tesseract,
            {"parts": ["list", "numbers"], "font": "palatino", "document": short},
        ),
        (
            "tesseract",
            "columns",
            make_tesseract,
            {"font": "lm", "two": "class", "margin": "1.9cm", "document": {"sections": 4}},
        ),
        (
            "tesseract",
            "heads",
            make_tesseract,
            {"font": "times", "head": head, "foot": foot, "turn": 0.2, "document": {"sections": 5}},
        ),
        (
            "layer",
            "article",
            make_layer,
            {"by": "word", "parts": ["list", "table"], "font": "lm", "dots": 110},
        ),
        (
            "layer",
            "columns",
            make_layer,
            {"by": "word", "font": "times", "two": "class", "dots": 110, "document": {"sections": 6}},
        ),
        (
            "layer",
            "heads",
            make_layer,
            {
                "by": "line",
                "parts": ["list"],
                "font": "times",
                "head": head,
                "foot": foot,
                "dots": 110,
                "document": {"sections": 6},
            },
        ),
        ("layer", "article", make_layer, {"by": "line", "language": "fr", "font": "lm", "dots": 110}),
        ("layer", "article", make_layer, {"by": "word", "language": "ru", "engine": "xelatex", "dots": 110}),
        ("layer", "article", make_layer, {"by": "line", "language": "zh", "engine": "xelatex", "dots": 110}),
        ("picture", "article", make_picture, {"font": "lm", "dots": 100, "document": short}),
        (
            "picture",
            "columns",
            make_picture,
            {"font": "times", "two": "class", "dots": 100, "turn": 0.5, "document": short},
        ),
        (
            "picture",
            "article",
            make_picture,
            {"language": "ar", "engine": "lualatex", "dots": 100, "document": short},
        ),
    ]
    return [
        job(number, kind, layout, make, **options)
        for number, (kind, layout, make, options) in enumerate(rows, 1)
    ]
