"""Documents without a layout: headings, paragraphs, lists, tables, code, footnotes, from a seed."""

import random
from dataclasses import dataclass, field

from languages import PHRASES, WITHOUT_SPACES

SYLLABLES = "bar ven tol mir kas dun fel gor lin hes por ras sil tam vor wel zan rik mol nad".split()


@dataclass
class Run:
    """Part of a paragraph. `kind`: text, bold, italic, link (with `url`), note (a footnote), math."""

    kind: str
    text: str
    url: str = ""


@dataclass
class Block:
    """`kind`: heading, paragraph, list, table, code, formula."""

    kind: str
    level: int = 0
    runs: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    items: list = field(default_factory=list)
    ordered: bool = False
    text: str = ""

    @property
    def plain(self):
        """The text without notes and formulas."""
        return "".join(run.text for run in self.runs if run.kind not in ("note", "math"))


@dataclass
class Document:
    language: str
    title: str
    author: str
    blocks: list
    head: str = ""
    foot: str = ""


class Writer:
    """Writes documents of one language. No two blocks of a document begin alike."""

    def __init__(self, language, seed):
        self.random = random.Random(f"{language}/{seed}")
        pattern, separator, *lists = PHRASES[language]
        self.language, self.pattern, self.separator = language, pattern, separator
        self.lists = [
            [p for line in phrases.strip().split("\n") for p in line.split("|")] for phrases in lists
        ]
        self.used = set()

    def phrase(self, at):
        text = self.random.choice(self.lists[at])
        while "#" in text:
            text = text.replace("#", str(self.random.randint(21, 1999)), 1)
        return text

    def name(self):
        return "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 3))).capitalize()

    def unique(self, make):
        for _ in range(200):
            text = make()
            key = "".join(c for c in text if c.isalpha()).lower()[:30]
            if key not in self.used:
                self.used.add(key)
                return text
        return make()

    def sentence(self):
        parts = {"S": self.phrase(0), "P": self.phrase(1), "A": self.phrase(2)}
        text = "".join(parts.get(c, c) for c in self.pattern)
        return text[0].upper() + text[1:]

    def sentences(self, count):
        first = self.unique(self.sentence)
        return self.separator.join([first] + [self.sentence() for _ in range(count - 1)])

    def heading(self):
        """A few words without a full stop."""

        def make():
            parts = [self.phrase(0)]
            if self.random.random() < 0.5:
                parts.append(self.phrase(2))
            if self.language in ("en", "de", "fr", "es", "pl"):
                parts.append(self.random.choice(["–", "/", "&"]) + " " + self.name())
            glue = "" if self.language in WITHOUT_SPACES else " "
            return glue.join(parts)

        return self.unique(make)

    def runs(self, sentences, notes=0, marks=True, links=False, math=False):
        """A paragraph: some words in bold or italic type, some with a link, notes after sentences."""
        runs, after = [], sorted(self.random.sample(range(sentences), min(notes, sentences)))
        for at in range(sentences):
            text = self.unique(self.sentence) if at == 0 else self.sentence()
            lead = self.separator if at else ""
            words = text.split(" ")
            style = self.random.random()
            if len(words) > 5 and at and marks and style < 0.25:
                cut = self.random.randint(1, len(words) - 4)
                kind = self.random.choice(["bold", "italic"] + (["link"] if links else []))
                url = (
                    f"https://{self.name().lower()}.example/{self.random.randint(1, 99)}"
                    if kind == "link"
                    else ""
                )
                runs.append(Run("text", lead + " ".join(words[:cut]) + " "))
                runs.append(Run(kind, " ".join(words[cut : cut + 2]), url))
                runs.append(Run("text", " " + " ".join(words[cut + 2 :])))
            else:
                runs.append(Run("text", lead + text))
            if math and at == 1:
                runs.append(Run("text", self.separator))
                runs.append(Run("math", self.random.choice(["a^2+b^2", "x_{1}", r"\alpha+\beta", r"n\le 7"])))
            if at in after:
                runs.append(Run("note", self.unique(self.sentence)))
        return runs

    def paragraph(self, sentences=None, **options):
        return Block("paragraph", runs=self.runs(sentences or self.random.randint(3, 7), **options))

    def listing(self, ordered=None, count=None):
        items = [
            self.sentences(self.random.choice([1, 1, 2])) for _ in range(count or self.random.randint(3, 6))
        ]
        return Block("list", items=items, ordered=self.random.random() < 0.4 if ordered is None else ordered)

    def cell_words(self):
        text = self.phrase(self.random.choice([0, 2]))
        return text if self.language in WITHOUT_SPACES else " ".join(text.split(" ")[:3])

    def table(self, rows=None, columns=None, long=False):
        """A row of heads, then names and numbers. `long` makes one column of sentences."""
        columns, rows = columns or self.random.randint(3, 5), rows or self.random.randint(4, 9)
        # Each row and each column has a text of its own, so that a cell has one right place.
        head = [self.unique(lambda: f"{self.cell_words()} {self.name()}") for _ in range(columns)]
        kinds = ["name"] + self.random.choices(["number", "decimal", "word", "percent"], k=columns - 1)
        if long:
            kinds[-1] = "long"
        body = []
        for _ in range(rows):
            body.append([self.cell(kind) for kind in kinds])
        return Block("table", rows=[head] + body)

    def cell(self, kind):
        number = self.random.randint(100, 98_999)
        return {
            "name": lambda: self.unique(lambda: f"{self.name()} {self.random.randint(1, 99)}"),
            "number": lambda: f"{number:,}",
            "decimal": lambda: f"{number / 100:.2f}",
            "percent": lambda: f"{number % 1000 / 10:.1f} %",
            "word": self.cell_words,
            "long": self.sentence,
        }[kind]()

    def code(self):
        names = [self.name().lower() for _ in range(4)]
        lines = [
            f"fn {names[0]}({names[1]}: u32) -> u32 {{",
            f"    let {names[2]} = {names[1]} * {self.random.randint(2, 99)};",
        ]
        for _ in range(self.random.randint(1, 4)):
            lines.append(f"    {names[3]}_{self.random.randint(10, 99)}({names[2]});")
        return Block("code", text="\n".join(lines + [f"    {names[2]} + {self.random.randint(2, 99)}", "}"]))

    def formula(self):
        a, b, c = self.random.sample("abcdghkmnpqrstuvwxyz", 3)
        return Block(
            "formula",
            text=self.random.choice(
                [
                    rf"{a}^{{2}} + {b}^{{2}} = {c}^{{2}}",
                    rf"\sum_{{{a}=1}}^{{n}} {b}_{{{a}}} = \frac{{{c}}}{{2}}",
                    rf"\int_{{0}}^{{1}} {a}({b})\,d{b} \leq \sqrt{{{c}}}",
                ]
            ),
        )

    def document(self, parts, sections=4, paragraphs=(2, 4), notes=0, depth=2, **options):
        """A title, then sections. `parts` are kinds of blocks that appear among the paragraphs."""
        blocks, wanted = [], list(parts)
        for section in range(sections):
            blocks.append(Block("heading", level=2, text=self.heading()))
            subsections = self.random.randint(0, 2) if depth > 2 else 0
            for part in range(subsections + 1):
                if part:
                    blocks.append(Block("heading", level=3, text=self.heading()))
                for _ in range(self.random.randint(*paragraphs)):
                    blocks.append(self.paragraph(notes=int(self.random.random() < notes), **options))
                if wanted:
                    blocks.append(self.part(wanted.pop(0)))
                    blocks.append(self.paragraph(**options))
        return Document(self.language, self.heading(), f"{self.name()} {self.name()}", blocks)

    def part(self, kind):
        make = {
            "list": lambda: self.listing(False),
            "numbers": lambda: self.listing(True),
            "table": self.table,
            "long": lambda: self.table(rows=70, columns=4),
            "wide": lambda: self.table(columns=4, long=True),
            "code": self.code,
            "formula": self.formula,
        }
        return make[kind]()


def truth(document, title=True):
    """The blocks in reading order, and words that may appear or not."""
    blocks, optional = [], []
    if title:
        blocks.append({"kind": "heading", "level": 1, "text": document.title})
    for block in document.blocks:
        if block.kind == "heading":
            blocks.append({"kind": "heading", "level": block.level, "text": block.text})
        elif block.kind == "paragraph":
            blocks.append({"kind": "paragraph", "text": block.plain})
            blocks.extend({"kind": "footnote", "text": run.text} for run in block.runs if run.kind == "note")
            optional.extend(run.text for run in block.runs if run.kind == "math")
        elif block.kind == "list":
            blocks.extend({"kind": "item", "ordered": block.ordered, "text": item} for item in block.items)
        elif block.kind == "table":
            blocks.append({"kind": "table", "rows": block.rows})
        elif block.kind == "code":
            blocks.append({"kind": "code", "text": block.text})
        elif block.kind == "formula":
            optional.append(block.text)
    links = [run.url for block in document.blocks for run in block.runs if run.kind == "link"]
    return {"language": document.language, "blocks": blocks, "optional": optional, "links": links}
