"""Pages with a list of another page grafted in.

The training pages of one kind look alike: hardly an article has long comments below it, and every page with many
teasers and excerpts is a listing. So a model learns that comments and teasers are content, and it keeps them below
the articles of sites that it has not seen. These pages teach it the difference: the same list is content on its own
page, and furniture beside another text.
"""
import copy, dataclasses, random, re

import lxml.html
from lxml import etree

from pages import decoded, words

# Upper bounds on the blocks of a page and on the records of a list that are used.
MAX_BLOCKS, MAX_RECORDS = 2500, 25
LEAVES = set("p li h1 h2 h3 h4 h5 h6 td th dd dt blockquote pre figcaption".split())
INVISIBLE = set("script style noscript template svg select textarea head".split())
NOT_RECORDS = set("p h2 h3 br td th dd dt".split())
ARTICLES = {"article", "documentation", "readability"}
FURNITURE_OF = {"article", "readability"}
LISTS_OF = {"listing", "forum", "collection", "product", "service"}
CLASSES = """related more-stories comments trending recirc list stream module block box section latest popular feed
    comment-list also-like content-list post-list entries items""".split()
TITLE_WORDS = "More From Latest News Stories Top Comments You Today Related Also Read Popular Now 12 Picks".split()


def parsed(page):
    return lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", decoded(page.html)))


def totals(root, target):
    """For each element, its words, and how many of them the main content has in runs of four."""
    grams = {tuple(target[at:at + 4]) for at in range(len(target) - 3)}
    all_words, kept = {}, {}
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag in INVISIBLE:
            continue
        if element.tag in LEAVES:
            own = words(element.text_content())
        elif any(around.tag in LEAVES for around in element.iterancestors()):
            continue
        else:
            own = words(" ".join([element.text or "", *(child.tail or "" for child in element)]))
        if not own:
            continue
        runs = max(len(own) - 3, 0)
        hits = sum(tuple(own[at:at + 4]) in grams for at in range(runs)) / max(runs, 1) * len(own)
        around = element
        while around is not None:
            all_words[around] = all_words.get(around, 0) + len(own)
            kept[around] = kept.get(around, 0) + hits
            around = around.getparent()
    return all_words, kept


def lists_of(root, all_words, kept):
    """The lists of a page: the share of the main content in them, their words, and their records."""
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag in INVISIBLE or all_words.get(element, 0) < 60:
            continue
        children = [child for child in element if isinstance(child.tag, str) and all_words.get(child, 0) > 0]
        shape = lambda child: (child.tag, (child.get("class") or "").split()[:1])
        start = 0
        while start < len(children):
            end = start
            while end < len(children) and shape(children[end]) == shape(children[start]):
                end += 1
            records, start = children[start:end], end
            total = sum(all_words[record] for record in records)
            is_list = len(records) >= 3 and records[0].tag not in NOT_RECORDS
            if is_list and total >= 60 and 4 <= total / len(records) <= 250:
                yield sum(kept.get(record, 0) for record in records) / total, total, records


def taken(element):
    """A copy of an element without scripts."""
    element = copy.deepcopy(element)
    element.tail = None
    for script in list(element.iter("script", "style")):
        if script.getparent() is not None:
            script.drop_tree()
    return element


@dataclasses.dataclass
class Donors:
    """What the pages of one fold give to each other."""
    lists: list = dataclasses.field(default_factory=list)
    furniture: list = dataclasses.field(default_factory=list)
    threads: list = dataclasses.field(default_factory=list)
    paragraphs: list = dataclasses.field(default_factory=list)

    def add(self, page):
        root = parsed(page)
        all_words, kept = totals(root, page.target)
        if page.kind in FURNITURE_OF:
            paragraphs = [p for p in root.iter("p")
                          if all_words.get(p, 0) >= 20 and kept.get(p, 0) >= 0.7 * all_words[p]]
            if len(paragraphs) >= 4:
                self.paragraphs.append([taken(p) for p in paragraphs[:8]])
            good = [entry for entry in lists_of(root, all_words, kept) if entry[0] < 0.05 and entry[1] > 150]
        else:
            good = [entry for entry in lists_of(root, all_words, kept) if entry[0] >= 0.5]
        for _, _, records in sorted(good, key=lambda entry: -entry[1])[:2]:
            records = [taken(record) for record in records[:MAX_RECORDS]]
            self.lists.append(records)
            if page.kind in FURNITURE_OF:
                self.furniture.append(records)
            elif page.kind in ("forum", "listing"):
                self.threads.append(records)

    def choose(self, kind, choice):
        """A list for a page of a kind. Beside an article every list is furniture; beside another list only
        what is furniture on its own page."""
        if kind not in ARTICLES:
            return choice.choice(self.furniture)
        if choice.random() < 0.15:
            return choice.choice(self.paragraphs)
        return choice.choice(self.threads if choice.random() < 0.5 else self.lists)


def core_of(root, kept):
    """The innermost element with most of the main content."""
    core, total = root, kept.get(root, 0)
    while True:
        inner = [child for child in core if isinstance(child.tag, str) and kept.get(child, 0) >= 0.85 * total]
        if not inner:
            return core
        core = inner[0]


def wrapped(records, choice):
    """A list with a container and usually a heading."""
    records = [copy.deepcopy(record) for record in records[:choice.randint(3, len(records))]]
    tag = {"li": "ul", "tr": "table", "tbody": "table"}.get(records[0].tag)
    container = etree.Element(tag or choice.choice(["div", "div", "div", "section", "aside"]))
    if choice.random() < 0.45:
        container.set("class", choice.choice(CLASSES))
    if tag is None and choice.random() < 0.6:
        heading = etree.SubElement(container, choice.choice(["h2", "h2", "h3", "h4", "div"]))
        heading.text = " ".join(choice.sample(TITLE_WORDS, choice.randint(1, 3)))
    container.extend(records)
    return container


def place(container, core, middle, choice):
    """Puts a list after the main content, at its end, between its parts, or before it."""
    where = choice.random()
    if where < 0.5:
        for _ in range(choice.choice([0, 0, 1, 2, 3])):
            around = core.getparent()
            if around is not None and around.tag not in ("html", "body"):
                core = around
        if core.tag == "body" or core.getparent() is None:
            core.append(container)
        else:
            container.tail, core.tail = core.tail, None
            core.addnext(container)
    elif middle and 0.8 <= where < 0.9 and len(core) > 3:
        for record in list(container)[5:]:
            container.remove(record)
        core.insert(choice.randint(2, len(core) - 1), container)
    elif where >= 0.9 and core.tag != "body" and core.getparent() is not None:
        core.getparent().insert(core.getparent().index(core), container)
    else:
        core.append(container)


def grafted(pages, folds, blocks, trusts):
    """One more page for each page with a reliable truth, with lists of pages in the same fold. `blocks` are the
    numbers of blocks of the pages, `trusts` how well their blocks reproduce their truths."""
    choice = random.Random(11)
    donors = {fold: Donors() for fold in set(folds)}
    for page, fold, count in zip(pages, folds, blocks):
        if page.kind in LISTS_OF | FURNITURE_OF and 0 < count < MAX_BLOCKS:
            try:
                donors[fold].add(page)
            except (etree.ParserError, ValueError):
                continue
    for page, fold, count, trust in zip(pages, folds, blocks, trusts):
        if trust < 0.8 or len(page.target) < 80 or count > MAX_BLOCKS or page.kind == "defuddle":
            continue
        try:
            root = parsed(page)
        except (etree.ParserError, ValueError):
            continue
        _, kept = totals(root, page.target)
        core = core_of(root, kept)
        if kept.get(root, 0) < 60 or core.getparent() is None:
            continue
        is_article = page.kind in ARTICLES
        for _ in range(choice.choice([1, 1, 2])):
            place(wrapped(donors[fold].choose(page.kind, choice), choice), core, is_article, choice)
        html = lxml.html.tostring(root, encoding="unicode")
        html = re.sub(r"(?i)(<meta[^>]*charset=[\"']?)[\w-]+", r"\1utf-8", html).encode("utf-8", "replace")
        yield dataclasses.replace(page, name="grafted-" + page.name, html=html), fold
