"""Markdown as a list of blocks. `benches/src/bin/evaluate/pdf/outline.rs` reads it in the same way."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

DEFINITION = re.compile(r"^\[\^[^\]\n]+\]:[ \t]*(.*)$", re.M)
REFERENCE = re.compile(r"\[\^[^\]\n]+\]")
SKIPPED = {"script", "style", "head", "title"}


@dataclass
class Part:
    """`kind`: heading, paragraph, item, code, table, note."""

    kind: str
    text: str = ""
    level: int = 0
    rows: list = field(default_factory=list)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.links = [], []
        self.part = None
        self.rows = self.mark = None
        self.cell = self.items = self.skipped = 0

    def flush(self):
        if self.part and self.part.text.strip():
            self.parts.append(self.part)
        self.part = None

    def begin(self, kind, level=0):
        self.flush()
        self.part = Part(kind, level=level)

    def handle_starttag(self, tag, attributes):
        if tag in SKIPPED:
            self.skipped += 1
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6") and not self.cell:
            self.begin("heading", int(tag[1]))
        elif tag == "li" and not self.cell:
            self.items += 1
            self.begin("item")
        elif tag in ("ul", "ol") and not self.cell:
            self.flush()
        elif tag == "pre" and not self.cell:
            self.begin("code")
        elif tag == "p" and not self.cell and not self.items:
            self.begin("paragraph")
        elif tag == "table":
            self.flush()
            self.rows = []
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.cell = 1
        elif tag == "sup":
            self.mark = ""
        elif tag == "a":
            self.links += [value for name, value in attributes if name == "href" and value]
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag in SKIPPED:
            self.skipped = max(0, self.skipped - 1)
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6", "pre") and not self.cell:
            self.flush()
        elif tag == "li" and not self.cell:
            self.items = max(0, self.items - 1)
            self.flush()
        elif tag == "p" and not self.cell and not self.items:
            self.flush()
        elif tag in ("td", "th"):
            self.cell = 0
        elif tag == "table" and self.rows is not None:
            self.parts.append(Part("table", rows=self.rows))
            self.rows, self.cell = None, 0
        elif tag == "sup" and self.mark is not None:
            # The mark of a note is not a word.
            mark, self.mark = self.mark, None
            if len(mark.strip()) > 3 or any(c.isalpha() for c in mark):
                self.handle_data(mark)

    def handle_data(self, text):
        if self.skipped:
            return
        if self.mark is not None:
            self.mark += text
        elif self.cell and self.rows and self.rows[-1]:
            self.rows[-1][-1] += text
        else:
            if self.part is None:
                if not text.strip():
                    return
                self.part = Part("paragraph")
            self.part.text += text


def outline(markdown):
    """The blocks of Markdown, the notes at the end, and the addresses of its links."""
    notes = DEFINITION.findall(markdown)
    markdown = REFERENCE.sub("", DEFINITION.sub("", markdown))
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    reader = Reader()
    reader.feed(html)
    reader.close()
    reader.flush()
    return reader.parts + [Part("note", text=text) for text in notes], reader.links
