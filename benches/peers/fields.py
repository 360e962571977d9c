"""Writes what other tools read from the pages of a folder that `evaluate fields` judges.

    python3 fields.py FOLDER OUT [--with-structured-data]

OUT gets `TOOL.jsonl` with a line `{"id": ..., "data": {kind: {property: value}}}` for each page. A page on
which a tool fails gets no data.

- `extruct`: JSON-LD, microdata, RDFa and Open Graph. A property is at the first of its paths in schema.org
  that has a value. Of several entities of a kind, those named by the title or an `h1` come first.
  Without `--with-structured-data` the pages have nothing that extruct reads, so it gets no file.
- `zyte-parsers`: price, currency, brand, GTIN, rating and number of reviews. It parses a given element: the
  first that it can parse, out of those with the property in `itemprop`, then those with its name as class,
  then those with its name in a class; of each, those after the `h1` first. It parses breadcrumbs too, which
  no property has.
- `price-parser`: price and currency in the texts of the same elements.

Needs extruct, zyte-parsers and price-parser.
"""
import argparse
import gzip
import json
import pathlib
import re
import signal
import sys

import extruct
import fields_table as table
import html_text
import lxml.etree
import lxml.html
import zyte_parsers
from extruct.utils import parse_html
from price_parser import Price
from w3lib.encoding import html_to_unicode

SECONDS_PER_PAGE = 30
# Upper bound on a rating; a larger number is something else.
MAX_RATING = 10

# Property: its names in microdata, and names of classes.
ELEMENTS = {
    "price": (["price", "lowPrice"], ["price"]),
    "brand": (["brand", "manufacturer"], ["brand"]),
    "gtin": (["gtin13", "gtin", "gtin12", "gtin8", "gtin14", "isbn"], ["gtin", "ean", "isbn", "barcode"]),
    "rating": (["ratingValue"], ["rating", "stars"]),
    "review_count": (["reviewCount", "ratingCount"], ["review-count", "reviewcount", "reviews"]),
}

# What `evaluate fields` removes from a page without its structured data.
DATA_ATTRIBUTES = """itemscope itemtype itemprop itemid itemref typeof property vocab resource about datatype
    prefix inlist content""".split()
JSON_START = re.compile(r"""\s*(\{\s*["']|\[\s*[{"])""")


def pages(folder):
    """The pages of a folder: id, address and text. The layouts are those of `evaluate fields`."""
    root = folder / "html" if (folder / "html").is_dir() else folder
    index = folder / "ground-truth.json"
    index = json.loads(index.read_bytes()) if index.exists() else {}
    for path in sorted([*root.rglob("*.html"), *root.rglob("*.html.gz")]):
        body = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
        name = path.relative_to(root).as_posix().removesuffix(".gz").removesuffix(".html")
        labels = index.get(name, {})
        truth = folder / "ground-truth" / f"{name}.json"
        if truth.exists():
            labels = json.loads(truth.read_bytes())
        elif (packed := truth.with_name(f"{truth.name}.gz")).exists():
            labels = json.loads(gzip.open(packed).read())
        yield name, labels.get("url"), html_to_unicode("text/html", body)[1]


def stated_address(tree):
    """The address that a page states for itself."""
    found = tree.xpath("//link[@rel='canonical']/@href | //meta[@property='og:url']/@content")
    return next((url for url in found if url.startswith("http")), "https://page.example/")


def strip(tree):
    """Removes the structured data of a page and its copies."""
    for element in list(tree.iter(lxml.etree.Element)):
        is_data = {
            "script": True,
            "meta": not {"charset", "http-equiv"} & set(element.attrib),
            "link": "itemprop" in element.attrib,
        }
        if is_data.get(element.tag) and element.getparent() is not None:
            element.drop_tree()
            continue
        for name, value in element.attrib.items():
            if name in DATA_ATTRIBUTES or JSON_START.match(value):
                del element.attrib[name]


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def elements_of(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def local_name(name):
    return re.split("[/#:]", str(name).strip())[-1]


def types(entity):
    return {local_name(name) for name in elements_of(entity.get("@type"))}


def values(entity, path):
    """The values at a path such as `offers.price`, including all elements of lists on the path."""
    found = [entity]
    for name in path.split("."):
        objects = [one for one in found if isinstance(one, dict)]
        found = [element for one in objects for element in elements_of(one.get(name))]
    return found


def text_of(value):
    """The text of a value; for an object with a name, its name."""
    if isinstance(value, dict):
        inner = (value.get(name) for name in ["name", "@value", "value", "text"])
        value = next((one for one in inner if isinstance(one, str | int | float)), "")
    if not isinstance(value, str | int | float):
        return ""
    text = str(value)
    return " ".join((html_text.extract_text(text) if re.search("[<&]", text) else text).split())


def texts(name, entity, path):
    """The texts at a path for a property, without repeats."""
    found = []
    for value in values(entity, path):
        if name in table.PLACES and isinstance(value, dict):
            own = value["address"] if isinstance(value.get("address"), dict) else value
            text = ", ".join(filter(None, (text_of(own.get(part)) for part in table.PLACE_PARTS)))
        elif name in table.IMAGES and isinstance(value, dict):
            text = text_of(value.get("url") or value.get("contentUrl"))
        else:
            text = text_of(value)
        found.append(text)
    return list(dict.fromkeys(filter(None, found)))


def roots(items):
    """The objects of JSON-LD: the elements of lists and graphs alone, references filled."""
    found, waiting = [], list(items)
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting = item + waiting
        elif isinstance(item, dict):
            waiting = elements_of(item.get("@graph")) + waiting
            found.append(item)
    by_id = {item["@id"]: item for item in found if "@id" in item}

    def filled(value):
        is_reference = isinstance(value, dict) and set(value) <= {"@id", "@type"}
        return by_id.get(value.get("@id"), value) if is_reference else value

    return [
        {name: [filled(one) for one in elements_of(value)] for name, value in item.items()} for item in found
    ]


def of_microdata(item):
    """An item with its properties as keys; extruct leaves them a level down if an item has no type."""
    if isinstance(item, list):
        return [of_microdata(one) for one in item]
    if not isinstance(item, dict):
        return item
    inner = item.get("properties")
    item = {**item, **inner} if isinstance(inner, dict) else item
    return {name: of_microdata(value) for name, value in item.items()}


def of_rdfa(items):
    """Items with local names; the values of a property are one level down."""
    nodes = {item.get("@id"): {} for item in items}
    for item in items:
        node = nodes[item.get("@id")]
        for name, value in item.items():
            if name == "@type":
                node[name] = value
            elif "schema.org" in name:
                node[local_name(name)] = [
                    one.get("@value", nodes.get(one.get("@id"), one.get("@id"))) for one in elements_of(value)
                ]
    return list(nodes.values())


def with_extruct(tree, page, url):
    """The data of each kind in the structured data of a page."""
    found = extruct.extract(
        page,
        base_url=url or stated_address(tree),
        syntaxes=["json-ld", "microdata", "rdfa", "opengraph"],
        uniform=True,
        errors="ignore",
    )
    names = [words(one.text_content()) for one in tree.xpath("//h1 | //head/title")]
    entities = roots(found.get("json-ld", []))
    entities += [of_microdata(item) for item in found.get("microdata", [])]
    entities += of_rdfa(found.get("rdfa", []))
    entities += [
        main
        for entity in list(entities)
        if any(name.endswith("Page") and name != "FAQPage" for name in types(entity))
        for main in values(entity, "mainEntity")
        if isinstance(main, dict)
    ]

    def is_named(entity):
        own = [words(text) for key in ["name", "headline", "title"] for text in texts(key, entity, key)]
        return any(2 * len(one & name) >= min(len(one), len(name)) > 0 for one in own for name in names)

    data = {}
    for kind, (kind_types, properties) in table.KINDS.items():
        of_kind = [entity for entity in entities if types(entity) & kind_types]
        of_kind = [one for one in of_kind if is_named(one)] or of_kind[:1]
        for entity in of_kind:
            add(data.setdefault(kind, {}), entity, properties)
    for graph in found.get("opengraph", []):
        kind = table.OPEN_GRAPH_KINDS.get(re.split(r"\W", graph.get("@type") or "")[0])
        if kind:
            known = table.KINDS[kind][1]
            properties = {name: paths for name, paths in table.OPEN_GRAPH.items() if name in known}
            # `article:author` is often an address of a profile.
            graph = {
                name: value
                for name, value in graph.items()
                if name == "og:image" or not str(value).startswith("http")
            }
            add(data.setdefault(kind, {}), graph, properties)
    return data


def add(data, entity, properties):
    """Adds the properties of an entity that the data does not have."""
    columns = {}
    for name, paths in properties.items():
        found = next(filter(None, (texts(name, entity, path) for path in paths)), [])
        if "." in name:
            columns[name] = found
        elif found and name not in data:
            if name == "keywords" and len(found) == 1:
                found = [part.strip() for part in found[0].split(",") if part.strip()]
            one = ", ".join(found) if name in table.NAMES else found[0]
            data[name] = found if name in table.LISTS else one
    for name, column in columns.items():
        whole, field = name.split(".")
        rows = data.setdefault(whole, [])
        rows.extend({} for _ in range(len(column) - len(rows)))
        for row, value in zip(rows, column):
            row.setdefault(field, value)


def candidates(tree, name):
    """The elements that may state a property, the likely ones first."""
    properties, classes = ELEMENTS[name]
    ranked, after_heading = [], False
    for element in tree.iter(lxml.etree.Element):
        after_heading |= element.tag == "h1"
        stated = element.get("itemprop", "").split()
        own = element.get("class", "").lower()
        rank = 0 if set(stated) & set(properties) else 1 if set(own.split()) & set(classes) else 2
        if rank < 2 or any(one in own for one in classes):
            ranked.append((rank, not after_heading, len(ranked), element))
    return [plain(element) for _, _, _, element in sorted(ranked, key=lambda row: row[:3])]


def plain(element):
    """The element or, if its value is an attribute, an element with that text."""
    if "content" not in element.attrib:
        return element
    made = lxml.html.Element("span")
    made.text = element.get("content")
    return made


def first(tree, name, parse):
    """What a parser reads from the first element that it can parse."""
    parsed = map(parse, candidates(tree, name))
    return next((value for value in parsed if value is not None), None)


def of_price(price):
    return price if price.amount is not None else None


def as_data(found):
    """The same properties for every kind that has them."""
    found = {name: value for name, value in found.items() if value is not None}
    if "gtin" in found:
        found["isbn"] = found["gtin"]
    data = {}
    for kind, (_, properties) in table.KINDS.items():
        own = {name: found[name] for name in properties if name in found}
        if own:
            data[kind] = own
    return data


def stated_currency(tree):
    return next((plain(one) for one in tree.xpath("//*[@itemprop='priceCurrency']")), None)


def rating_of(node):
    rating = zyte_parsers.extract_rating(node).ratingValue or zyte_parsers.extract_rating_stars(node)
    return rating if rating and rating <= MAX_RATING else None


def with_zyte_parsers(tree, _page, _url):
    hint = stated_currency(tree)
    price = first(tree, "price", lambda node: of_price(zyte_parsers.extract_price(node, currency_hint=hint)))
    gtin = first(tree, "gtin", zyte_parsers.extract_gtin)
    return as_data(
        {
            "price": price and str(price.amount),
            "currency": price and price.currency,
            "brand": first(tree, "brand", zyte_parsers.extract_brand_name),
            "gtin": gtin and gtin.value,
            "rating": first(tree, "rating", rating_of),
            "review_count": first(tree, "review_count", zyte_parsers.extract_review_count),
        }
    )


def with_price_parser(tree, _page, _url):
    hint = stated_currency(tree)
    hint = None if hint is None else hint.text_content()
    price = first(tree, "price", lambda node: of_price(Price.fromstring(node.text_content(), hint)))
    return as_data({"price": price and str(price.amount), "currency": price and price.currency})


def stop(_signal, _frame):
    raise TimeoutError(f"more than {SECONDS_PER_PAGE} s")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--with-structured-data", action="store_true")
    arguments = arguments.parse_args()
    tools = {"zyte-parsers": with_zyte_parsers, "price-parser": with_price_parser}
    if arguments.with_structured_data:
        tools["extruct"] = with_extruct
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = {tool: open(arguments.out / f"{tool}.jsonl", "w", encoding="utf-8") for tool in tools}
    failed = dict.fromkeys(tools, 0)
    signal.signal(signal.SIGALRM, stop)
    for name, url, text in pages(arguments.folder):
        page = text.encode("utf-8", "replace")
        for tool, read in tools.items():
            signal.alarm(SECONDS_PER_PAGE)
            try:
                tree = parse_html(page, "UTF-8")
                if not arguments.with_structured_data:
                    strip(tree)
                data = read(tree, page, url)
            except Exception as error:
                print(f"{tool}: {name}: {error!r}", file=sys.stderr)
                data, failed[tool] = {}, failed[tool] + 1
            finally:
                signal.alarm(0)
            files[tool].write(json.dumps({"id": name, "data": data}, ensure_ascii=False) + "\n")
    print("failed:", ", ".join(f"{tool} {count}" for tool, count in failed.items()))


if __name__ == "__main__":
    main()
