"""The notations in which a page states its values to programs."""
import json
from html import escape

# The names of a property in the notation of schema.org: outer objects with their type, then the property.
TYPES = {"Product": "Product", "Article": "NewsArticle", "Recipe": "Recipe", "JobPosting": "JobPosting",
         "Event": "Event", "Book": "Book", "Person": "Person", "Organization": "LocalBusiness",
         "Other": "Thing"}
OFFERS, RATING = ("offers", "Offer"), ("aggregateRating", "AggregateRating")
NAMES = {
    "price": (OFFERS, "price"), "currency": (OFFERS, "priceCurrency"), "availability": (OFFERS, "availability"),
    "rating": (RATING, "ratingValue"), "review_count": (RATING, "reviewCount"),
    "brand": (("brand", "Brand"), "name"), "author": (("author", "Person"), "name"),
    "publisher": (("publisher", "Organization"), "name"), "organizer": (("organizer", "Organization"), "name"),
    "company": (("hiringOrganization", "Organization"), "name"), "venue": (("location", "Place"), "name"),
    "calories": (("nutrition", "NutritionInformation"), "calories"),
    "name": (None, "name"), "title": (None, "name"), "gtin": (None, "gtin13"), "sku": (None, "sku"),
    "mpn": (None, "mpn"), "color": (None, "color"), "category": (None, "category"),
    "description": (None, "description"), "date_published": (None, "datePublished"),
    "date_modified": (None, "dateModified"), "section": (None, "articleSection"),
    "prep_time": (None, "prepTime"), "cook_time": (None, "cookTime"), "total_time": (None, "totalTime"),
    "servings": (None, "recipeYield"), "cuisine": (None, "recipeCuisine"), "isbn": (None, "isbn"),
    "pages": (None, "numberOfPages"), "language": (None, "inLanguage"), "job_title": (None, "jobTitle"),
    "email": (None, "email"), "phone": (None, "telephone"), "employment_type": (None, "employmentType"),
    "date_posted": (None, "datePosted"), "valid_through": (None, "validThrough"),
    "start_date": (None, "startDate"), "end_date": (None, "endDate"), "address": (None, "address"),
}
OTHER_NAMES = {("Person", "company"): (("worksFor", "Organization"), "name"),
               ("Article", "title"): (None, "headline"), ("JobPosting", "title"): (None, "title")}
# Names of properties in states of scripts.
STATE_NAMES = {"price": "price", "currency": "currency", "availability": "availability", "brand": "brand",
               "gtin": "ean", "sku": "sku", "name": "name", "title": "name", "author": "author",
               "date_published": "publishedAt", "description": "description", "company": "company",
               "isbn": "isbn", "category": "category", "location": "location", "job_title": "jobTitle"}
STYLES = ["", "", "", "", "json-ld", "microdata", "meta", "state", "data layer", "attributes"]
# A value that is stated for programs is often not shown.
HIDDEN = 0.3


def hide(site, thing, values):
    """Leaves out some of the facts that the notation of the site states."""
    rng = site.rng
    if site.notation in ("", "data layer"):
        return
    known = {name for name in values if states(site.notation, thing, name)}
    thing.facts = [row for row in thing.facts if row[0] not in known or rng.random() > HIDDEN]
    if "price" in known and "currency" in known and rng.random() < HIDDEN:
        thing.price = thing.old_price = ""
    if "availability" in known and rng.random() < HIDDEN:
        thing.stock = ""


def states(notation, thing, name):
    """Whether a notation states a property of a thing."""
    if notation == "meta":
        return name in META.get(thing.kind, ())
    if notation == "attributes":
        return name in ATTRIBUTES and thing.kind == "Product"
    return name in STATE_NAMES if notation == "state" else bool(names_of(thing, name))


# What `meta` elements and attributes of elements state.
META = {"Product": ("price", "currency", "brand", "sku", "availability"), "Book": ("isbn",)}
ATTRIBUTES = ("price", "currency", "sku", "gtin", "brand")


def stated(thing, rng):
    """The values that a page states: seldom all of them."""
    out = {}
    for name, value in thing.fields.items():
        value = value[0] if isinstance(value, list) and value and name in ("title", "text") else value
        if value is not None and not isinstance(value, list) and rng.random() < 0.85:
            out[name] = value
    return out


def names_of(thing, name):
    return OTHER_NAMES.get((thing.kind, name)) or NAMES.get(name)


def entity(thing, values):
    """The thing as an object of schema.org."""
    out = {"@context": "https://schema.org", "@type": TYPES[thing.kind]}
    for name, value in values.items():
        if not names_of(thing, name):
            continue
        outer, inner = names_of(thing, name)
        place = out
        if outer:
            place = out.setdefault(outer[0], {"@type": outer[1]})
        if name == "gtin":
            inner = "isbn" if str(value).startswith("978") else inner
        place[inner] = f"https://schema.org/{value}" if name == "availability" else value
    return out


def head(site, thing, values):
    """What stands in the head or the end of a page, in the notation of the site."""
    rng = site.rng
    if site.notation == "json-ld":
        text = json.dumps(entity(thing, values), ensure_ascii=False)
        return f'<script type="application/ld+json">{text}</script>'
    if site.notation == "meta":
        return meta(thing, values, rng)
    if site.notation == "microdata":
        return ""
    shown = {STATE_NAMES[name]: value for name, value in values.items() if name in STATE_NAMES}
    if site.notation == "state":
        key = rng.choice(["product" if thing.kind == "Product" else thing.kind.lower(), "item", "page"])
        text = json.dumps({"page": {key: shown}, "user": None}, ensure_ascii=False)
        return rng.choice([f"<script>window.__STATE__ = {text};</script>",
                           f'<script id="__DATA__" type="application/json">{text}</script>'])
    if site.notation == "data layer" and "price" in shown:
        item = {f"item_{name}" if name in ("name", "brand", "category") else name: value
                for name, value in shown.items() if name in ("name", "brand", "category", "price")}
        layer = {"event": "view_item", "ecommerce": {"currency": shown.get("currency"), "items": [item]}}
        return f"<script>dataLayer.push({json.dumps(layer, ensure_ascii=False)})</script>"
    return ""


def attributes(site, thing, values):
    """An element whose attributes state values."""
    if site.notation != "attributes" or thing.kind != "Product":
        return ""
    rows = "".join(f' data-{site.attribute_prefix}{name}="{escape(str(values[name]))}"'
                   for name in ATTRIBUTES if name in values)
    return f"<div{site.c('product')}{rows}></div>"


def meta(thing, values, rng):
    kind = {"Product": "product", "Article": "article", "Book": "book"}.get(thing.kind, "website")
    rows = [("og:type", kind), ("og:title", values.get("title") or values.get("name")),
            ("og:description", values.get("description"))]
    if kind == "product":
        rows += [(f"product:{name}", values.get(key)) for name, key in (
            ("price:amount", "price"), ("price:currency", "currency"), ("brand", "brand"),
            ("retailer_item_id", "sku"), ("availability", "availability"))]
        if values.get("price") and rng.random() < 0.3:
            # The price before a sale has the name that the price has else.
            rows = [("product:sale_price:" + name.rpartition(":")[2], value) if name.startswith("product:price:")
                    else (name, value) for name, value in rows]
            rows.insert(rng.randrange(len(rows)),
                        ("product:price:amount", round(values["price"] * rng.uniform(1.1, 1.9), 2)))
    if kind == "article":
        rows += [(f"article:{name}", values.get(key)) for name, key in (
            ("published_time", "date_published"), ("modified_time", "date_modified"),
            ("section", "section"))]
        rows.append(("author", values.get("author")))
    if kind == "book":
        rows += [("book:isbn", values.get("isbn")), ("book:author", values.get("author"))]
    return "".join(f'<meta property="{name}" content="{escape(str(value))}">'
                   for name, value in rows if value is not None)


def microdata(site, thing, main, values):
    """The main part of the page as an item whose properties stand in hidden elements."""
    if site.notation != "microdata":
        return main
    item = entity(thing, values)
    rows = ""
    for name, value in item.items():
        if name.startswith("@"):
            continue
        if not isinstance(value, dict):
            rows += f'<meta itemprop="{name}" content="{escape(str(value))}">'
            continue
        inner = "".join(f'<meta itemprop="{key}" content="{escape(str(text))}">'
                        for key, text in value.items() if not key.startswith("@"))
        rows += (f'<div itemprop="{name}" itemscope itemtype="https://schema.org/{value["@type"]}">'
                 f"{inner}</div>")
    return f'<div itemscope itemtype="https://schema.org/{item["@type"]}">{rows}{main}</div>'
