"""Reads the pages of the three data sets: their HTML, their URL, and the text that a reader would keep."""
import gzip, json, re
from dataclasses import dataclass
from urllib.parse import urlsplit

import lxml.html
from markdown_it import MarkdownIt

WORDS = re.compile(r"\w+")
SECOND_LEVELS = {"co", "com", "org", "ac", "gov", "net", "edu"}
BLOCKS = set("""address article aside blockquote body br button caption dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol option p pre section summary table tbody
    td tfoot th thead tr ul video audio select textarea""".split())
INVISIBLE = set("script style noscript template head title svg iframe".split())
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@dataclass
class Page:
    name: str
    kind: str
    url: str
    html: bytes
    title: str
    # The words of the main content.
    target: list

    @property
    def site(self):
        """The site of the page, approximately its registrable domain."""
        labels = (urlsplit(self.url).hostname or "").split(".")
        long = len(labels) > 2 and labels[-2] in SECOND_LEVELS and len(labels[-1]) == 2
        return ".".join(labels[-3 if long else -2:])


def words(text):
    return WORDS.findall((text or "").lower())


def decoded(html):
    """The text of a page: UTF-8, or what its head names."""
    named = re.search(rb"charset=[\"']?([\w-]+)", html[:3000])
    try:
        return html.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return html.decode(named.group(1).decode() if named else "latin-1", "replace")
        except LookupError:
            return html.decode("latin-1")


def text_of(html):
    """The visible text of HTML, with a line for each block."""
    if not html.strip():
        return ""
    out, rest = [], [(lxml.html.fromstring("<div>" + html + "</div>"), False)]
    while rest:
        element, closed = rest.pop()
        visible = isinstance(element.tag, str) and element.tag not in INVISIBLE
        if visible and element.tag in BLOCKS:
            out.append("\n")
        if visible and not closed:
            out.append(element.text or "")
            rest.append((element, True))
            rest += [(child, False) for child in reversed(element)]
        else:
            out.append(element.tail or "")
    return "".join(out)


def unpacked(path):
    return gzip.open(path).read()


def own_url(html, otherwise):
    """The URL that a page gives itself."""
    text = html.decode("utf-8", "replace")
    for pattern in (r"<link[^>]*rel=[\"']?canonical[^>]*>", r"<meta[^>]*og:url[^>]*>"):
        found = re.search(pattern, text, re.I)
        url = found and re.search(r"(?:href|content)=[\"']?(https?://[^\"'\s>]+)", found.group(0), re.I)
        if url and urlsplit(url.group(1)).hostname:
            return url.group(1)
    return otherwise


def read_wcxb(folder):
    for path in sorted((folder / "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        truth = json.loads(unpacked(folder / "ground-truth" / f"{name}.json.gz"))
        content = truth["ground_truth"]
        yield Page(name, truth["_internal"]["page_type"]["primary"], truth["url"], unpacked(path),
                   content.get("title"), words(content.get("main_content")))


def read_readability(folder):
    for path in sorted(folder.glob("*/source.html.gz")):
        html, name = unpacked(path), re.sub(r"\W", "_", path.parent.name)
        title = json.loads(unpacked(path.parent / "metadata.json.gz")).get("title")
        expected = unpacked(path.parent / "expected.html.gz").decode("utf-8", "replace")
        # Several pages of one site differ only in a number.
        url = own_url(html, f"https://{re.sub('_[0-9]+$', '', name)}.example/page")
        yield Page("readability-" + name, "readability", url, html, title, words(text_of(expected)))


def read_defuddle(folder):
    for number, path in enumerate(sorted((folder / "fixtures").glob("*.html"))):
        expected = folder / "expected" / f"{path.stem}.md"
        parts = re.match(r"```json\n(.*?)\n```\n?(.*)", expected.read_text(), re.S) if expected.exists() else None
        if not parts:
            continue
        html = path.read_bytes()
        host = re.search(r"--((?:[a-z0-9-]+\.)+[a-z]{2,})(?:-|$)", path.stem)
        url = own_url(html, f"https://{host.group(1) if host else f'd{number}.example'}/page")
        text = text_of(MARKDOWN.render(parts.group(2)))
        yield Page(f"defuddle-{number}", "defuddle", url, html, json.loads(parts.group(1)).get("title"), words(text))


def read_all(data):
    """The pages of the data sets in a folder."""
    readers = {"wcxb": read_wcxb, "readability": read_readability, "defuddle": read_defuddle}
    return [page for name, read in readers.items() if (data / name).exists() for page in read(data / name)]
