"""The figures of one file. `benches/src/bin/evaluate/pdf/` computes the same; see there for their meaning."""

import re
import unicodedata
from collections import Counter, defaultdict

from outline import outline

FIGURES = [
    "recall",
    "precision",
    "order",
    "flow",
    "paras",
    "head_r",
    "head_p",
    "level",
    "cells_r",
    "cells_p",
    "items_r",
    "items_p",
    "notes",
    "code",
    "links",
    "heads",
    "numbers",
    "hyphens",
]

# Letters of a key that finds a block, and of a piece of running text.
KEY, LONGEST_KEY, PIECE = 24, 48, 40


def characters(text):
    """NFKC without invisible characters, in lower case."""
    for c in unicodedata.normalize("NFKC", text):
        if not (
            c in "\u00ad\ufeff\u0640"
            or "\u200b" <= c <= "\u200f"
            or "\u202a" <= c <= "\u202e"
            or "\u2066" <= c <= "\u2069"
        ):
            yield from c.lower().replace("ς", "σ")


def is_mark(c):
    return unicodedata.category(c)[0] == "M"


def letters(text):
    return "".join(c for c in characters(text) if c.isalpha())


def key(text):
    """Letters and digits: what makes cells equal."""
    return "".join(c for c in characters(text) if c.isalnum())


def without_spaces(c):
    return "\u0e00" <= c <= "\u0eff" or "\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff"


def words(text, is_word=without_spaces):
    """Runs of letters and digits; each letter of a script without spaces is a word."""
    out, run = [], ""
    for c in characters(text):
        alone = is_word(c)
        if c.isalnum() and not alone:
            run += c
            continue
        if run:
            out.append(run)
            run = ""
        if alone and c.isalnum():
            out.append(c)
    return out + ([run] if run else [])


def share(part, whole):
    return part / whole if whole else None


def texts(blocks):
    for block in blocks:
        yield from (cell for row in block.get("rows", []) for cell in row)
        if "text" in block:
            yield block["text"]


def of_words(truth, found):
    wanted, optional = Counter(words(" ".join(texts(truth["blocks"])))), Counter(
        words(" ".join(truth["optional"]))
    )
    common = sum((found & wanted).values())
    # Marks of lists and notes, and numbers of sections, are not in the truth.
    extra = sum(
        count for word, count in (found - wanted - optional).items() if not (word.isdigit() and len(word) < 3)
    )
    precision = share(common, common + extra)
    if not wanted:
        precision = 0.0 if extra else 1.0
    return share(common, sum(wanted.values())), precision


def of_order(blocks, stream):
    everything = "".join(letters(text) for text in texts(blocks))
    places, before, pairs, right = [], -1, 0, 0
    for block in blocks:
        if block["kind"] == "footnote":
            continue
        text = letters(" ".join(block["rows"][0]) if block["kind"] == "table" else block["text"])
        start = next(
            (text[:size] for size in range(KEY, LONGEST_KEY + 1, 8) if everything.count(text[:size]) == 1),
            None,
        )
        if start is None or len(text) < 8:
            continue
        place = stream.find(start, before + 1)
        place = stream.find(start) if place < 0 else place
        places.append(place)
        before = place if place >= 0 else before
    for one, other in zip(places, places[1:]):
        pairs += 1
        right += 0 <= one < other
    return share(right, pairs)


def of_flow(blocks, stream):
    found = count = 0
    for block in blocks:
        if block["kind"] in ("paragraph", "item"):
            text = letters(block["text"])
            for at in range(0, len(text) - PIECE + 1, PIECE):
                count += 1
                found += text[at : at + PIECE] in stream
    return share(found, count)


def matched(wanted, found):
    return sum((Counter(wanted) & Counter(found)).values())


def of_headings(truth, parts):
    found = defaultdict(list)
    count = 0
    for part in parts:
        if part.kind == "heading":
            found[letters(part.text)].append(part.level)
            count += 1
    wanted, levels = 0, []
    prefix = letters(truth.get("heading_prefix", ""))
    for block in truth["blocks"]:
        if block["kind"] == "heading":
            wanted += 1
            text = letters(block["text"])
            ways = found.get(text) or found.get(prefix + text)
            if ways:
                levels.append(ways.pop(0) - block["level"])
    # Levels are right up to one shift of all.
    level = share(max((levels.count(shift) for shift in range(-5, 6)), default=0), len(levels))
    return share(len(levels), wanted), share(len(levels), count), level


def of_cells(blocks, parts):
    rows = [[key(cell) for cell in row] for part in parts if part.kind == "table" for row in part.rows]
    have = sum(bool(cell) for row in rows for cell in row)
    used, right, wanted = set(), 0, 0
    index = defaultdict(set)
    for at, row in enumerate(rows):
        for cell in row:
            index[cell].add(at)
    for block in blocks:
        if block["kind"] != "table":
            continue
        votes, placed = defaultdict(Counter), []
        for row in ([key(cell) for cell in row] for row in block["rows"]):
            wanted += sum(bool(cell) for cell in row)
            near = sorted({at for cell in row if cell for at in index.get(cell, ())} - used)
            at = max(near, key=lambda at: matched(row, rows[at]), default=None)
            if at is None:
                continue
            used.add(at)
            placed.append((row, rows[at]))
            for column, cell in enumerate(row):
                votes[column].update(place for place, other in enumerate(rows[at]) if cell and other == cell)
        best = {
            column: min(count, key=lambda place: (-count[place], place))
            for column, count in votes.items()
            if count
        }
        for row, other in placed:
            for column, cell in enumerate(row):
                place = best.get(column)
                right += bool(cell) and place is not None and place < len(other) and other[place] == cell
    return share(right, wanted), share(right, have)


def of_furniture(truth, parts, found):
    """The shares of running heads and of page numbers that appear."""
    out = " " + " ".join(found) + " "
    own = " " + " ".join(words(" ".join(texts(truth["blocks"])))) + " "
    alone = Counter(key(part.text) for part in parts if part.kind != "table")
    heads = leaked = numbers = leaked_numbers = 0
    for text in truth["furniture"]:
        if letters(text):
            phrase = " " + " ".join(words(text)) + " "
            heads += 1
            leaked += out.count(phrase) > own.count(phrase)
        else:
            numbers += 1
            leaked_numbers += alone[key(text)] > 0
    return share(leaked, heads), share(leaked_numbers, numbers)


def of_hyphens(truth, found):
    own, broken = Counter(words(" ".join(texts(truth["blocks"])))), Counter(truth["hyphenated"])
    joined = sum(count - min(count, max(0, own[word] - found[word])) for word, count in broken.items())
    return share(joined, sum(broken.values()))


def all_text(parts):
    return " ".join(" ".join(sum(part.rows, [])) if part.kind == "table" else part.text for part in parts)


def plain(markdown):
    """Markdown without its marks within words, so that words are those of the text."""
    text = re.sub(r"<!--.*?-->", " ", markdown, flags=re.S)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    text = re.sub(r"</?(?:sup|sub|u|b|i|em|strong|del)>", "", text)
    text = re.sub(r"</?(?:br|table|thead|tbody|tr|td|th)\b[^>]*>", " ", text)
    text = text.replace("**", "").replace("~~", "")
    for name, character in (("lt", "<"), ("gt", ">"), ("nbsp", " "), ("quot", '"'), ("amp", "&")):
        text = text.replace(f"&{name};", character)
    return text


def beside(other, markdown):
    """Whether there is some text, and the share of the words of another reader that are found."""
    text = plain(markdown)
    wanted, found = (Counter(words(it, lambda _: False)) for it in (other, text))
    has_text = any(not c.isspace() and c != "\ufffd" for c in text)
    return has_text, share(sum((wanted & found).values()), sum(wanted.values())) if wanted else 1.0


def code_lines(text):
    return [line for line in ("".join(line.split()) for line in text.split("\n")) if line]


def score(truth, markdown):
    """The figures by name; `None` where the file has nothing of the kind."""
    parts, links = outline(markdown)
    text = all_text(parts)
    found = words(text)
    counted, stream, blocks = Counter(found), letters(text), truth["blocks"]
    of_kind = lambda kind: [letters(block["text"]) for block in blocks if block["kind"] == kind]
    with_kinds = lambda *kinds: [letters(part.text) for part in parts if part.kind in kinds]
    wanted_items, items = of_kind("item"), with_kinds("item")
    right_items = matched(wanted_items, items)
    code = [line for block in blocks if block["kind"] == "code" for line in code_lines(block["text"])]
    found_code = [line for part in parts if part.kind == "code" for line in code_lines(part.text)]
    values = [
        *of_words(truth, counted),
        of_order(blocks, stream),
        of_flow(blocks, stream),
        share(matched(of_kind("paragraph"), with_kinds("paragraph")), len(of_kind("paragraph"))),
        *of_headings(truth, parts),
        *of_cells(blocks, parts),
        share(right_items, len(wanted_items)),
        share(right_items, len(items)),
        share(
            matched(of_kind("footnote"), with_kinds("paragraph", "item", "note")), len(of_kind("footnote"))
        ),
        share(matched(code, found_code), len(code)),
        share(
            matched([link.rstrip("/") for link in truth["links"]], [link.rstrip("/") for link in links]),
            len(truth["links"]),
        ),
        *of_furniture(truth, parts, found),
        of_hyphens(truth, counted),
    ]
    return dict(zip(FIGURES, values, strict=True))
