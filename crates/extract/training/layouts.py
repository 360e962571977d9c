"""56 layouts: 14 ways of showing facts in 4 frames. A site uses one of them for all its pages."""
import hashlib
from html import escape

import dirt
import machine
from kinds import CLEAR

FACT_STYLES, FRAMES = 14, 4
LAYOUTS = FACT_STYLES * FRAMES
# Kinds that have a price.
SOLD = ("Product", "Book", "Event")
# By-lines of dirt.py, beside five clean ones.
BY_LINES = 4


class Site:
    """The look of all pages of a site."""

    def __init__(self, number, kind, locale, rng):
        self.number, self.kind, self.locale, self.rng = number, kind, locale, rng
        self.layout = number % LAYOUTS
        self.style, self.frame = self.layout % FACT_STYLES, self.layout // FACT_STYLES
        self.naming = rng.choice(["named", "named", "hashed", "hashed", "none"])
        self.prefix = rng.choice(["", "", "x-", "page__", kind + "-"])
        self.name = locale.company()
        self.host = f"site{number}.example"
        self.heading = rng.choice(["h1", "h1", "h1", "h2", "div"])
        self.sub = rng.choice(["h2", "h3", "h4", "strong"])
        binding = " (Paperback)" if kind == "book" else ""
        self.title = rng.choice(["{t} | {s}", "{t} - {s}", "{s}: {t}", "{t}", "{t} – {c} – {s}",
                                 "{t} {by} {a}: {s}", "{t} {by} {a}" + binding + ": {h}", "{t}: {h}",
                                 "{h}: {t}"])
        self.price_place = rng.choice(["top", "fact", "box"])
        self.by_line = rng.randrange(5 + BY_LINES)
        self.parts = ["rating", "box", "facts", "text", "lists"]
        rng.shuffle(self.parts)
        distractors = ("cookies newsletter share related popular reviews search flags shipping comments "
                       "clock").split()
        self.distractors = [name for name in distractors if rng.random() < 0.6]
        self.dirt = dirt.Dirt(self, rng)
        self.notation = rng.choice(machine.STYLES)
        # Small sites show hardly more than the thing, and often not all of it.
        self.is_small = rng.random() < 0.35
        if self.is_small:
            self.distractors = [name for name in self.distractors if rng.random() < 0.3]
        # The smallest show it and its price alone.
        self.is_tiny = rng.random() < 0.2
        if self.is_tiny:
            self.is_small, self.distractors = True, []
        # What else stands in the heading, and what other heading stands above it.
        self.in_heading = rng.choice(["", "", "", "", "", "kicker", "date"])
        self.banner = rng.choice(["", "", "", "", "", "name", "section"])
        # The line below the heading with what needs no label.
        self.sub_line = rng.choice(["", "", "", "", "text", "spans", "items", "lines"])
        self.separator = rng.choice([" · ", " | ", ", ", " • ", " – ", " "])
        # Labels and values one after the other, without elements around the pairs.
        self.is_flat = rng.random() < 0.4
        # Others save only the part of a page about the thing.
        self.is_fragment = rng.random() < 0.2
        self.attribute_prefix = rng.choice(["", "", "product-", "item-"])
        self.unit = rng.choice(["kg", "l", "100 g", "m²"])
        self.unit_place = rng.choice(["before", "after"])
        # How an address is shown: as a fact, or without a label and over two lines.
        self.address = rng.choice(["fact", "fact", "fact", "element", "list", "lines"])
        self.has_town_first = rng.random() < 0.4
        # Where it stands then.
        self.address_place = rng.choice(["top", "end"])
        # The number of pages with its name behind it, without a label.
        self.has_page_unit = rng.random() < 0.4

    def c(self, name):
        """The class attribute of an element with this purpose."""
        if self.naming == "none":
            return ""
        if self.naming == "hashed":
            return f' class="c{hashlib.sha256((self.host + name).encode()).hexdigest()[:6]}"'
        return f' class="{self.prefix}{name}"'

    def phrase(self, key):
        return escape(self.locale.phrases[key])


def shrink(site, thing):
    """Leaves out parts of a thing at random, and their truth."""
    rng, fields = site.rng, thing.fields
    is_left_out = lambda: rng.random() < 0.35
    if thing.price and is_left_out():
        thing.price = thing.old_price = ""
        fields.update(price=None, currency=None)
    if thing.kind == "Product" and rng.random() < 0.15:
        # A sentence about stock, and nothing that says it is sold.
        thing.stock = thing.action = ""
        fields["availability"] = None
    if thing.stock and is_left_out():
        thing.stock = ""
        if "availability" in fields and not thing.can_buy:
            del fields["availability"]
    if thing.action and is_left_out():
        thing.action = ""
        if "availability" in fields and not thing.stock:
            # Without a price, nothing says that it is sold.
            fields["availability"] = None
            if thing.price and rng.random() < 0.5:
                del fields["availability"]
    if thing.rating and is_left_out():
        thing.rating = ""
        fields.update(rating=None, review_count=None)
    if thing.author and is_left_out():
        thing.author, fields["author"] = "", None
    if thing.paragraphs and is_left_out():
        drop_paragraphs(thing)
    if thing.facts and rng.random() < 0.5:
        keep_facts(thing, rng.sample(thing.facts, rng.randrange(len(thing.facts))))
    if thing.category and is_left_out():
        # The title of the page may show it.
        thing.category = ""
        for name in ("category", "section"):
            fields.pop(name, None)


def drop_paragraphs(thing):
    thing.paragraphs = []
    for name in ("description", "text"):
        if name in thing.fields and not thing.intro:
            thing.fields[name] = None
        else:
            thing.fields.pop(name, None)


def keep_facts(thing, kept):
    """Leaves out the other facts, and their truth."""
    for name in {row[0] for row in thing.facts} - {row[0] for row in kept}:
        for field in ("salary_min", "salary_max") if name == "salary" else (name,):
            if field in thing.fields:
                thing.fields[field] = None
        if name == "start_date" and "end_date" in thing.fields:
            thing.fields["end_date"] = None
    thing.facts = [row for row in thing.facts if row in kept]


def reduce(site, thing):
    """Leaves hardly more of a thing than its name, its price and a paragraph."""
    rng, fields = site.rng, thing.fields
    keep_facts(thing, thing.facts[:1] if rng.random() < 0.4 else [])
    for name, *_ in thing.lists:
        fields[name] = None
    thing.lists = []
    if thing.tags:
        thing.tags, fields["keywords"] = [], None
    if thing.rating:
        thing.rating = ""
        fields.update(rating=None, review_count=None)
    if thing.intro:
        thing.intro, fields["description"] = "", None
        if fields.get("text"):
            fields["text"] = fields["text"][:1]
    if thing.paragraphs and rng.random() < 0.6:
        drop_paragraphs(thing)


def title(site, thing):
    """The heading of the thing, on some sites with its section or its date inside."""
    c, text = site.c, escape(thing.title)
    if site.in_heading == "kicker":
        section = escape(thing.category) or site.phrase("popular")
        text = f"<span{c('label')}>{section}</span> {text}"
    elif site.in_heading == "date" and thing.author_date:
        text += f" <small{c('posted')}>{site.phrase('posted')} {escape(thing.author_date)}</small>"
    return f"<{site.heading}{c('title')}>{text}</{site.heading}>"


def facts(site, rows):
    """The facts in the style of the site. Styles without labels show the others in a list."""
    c = site.c
    loud = str.upper if site.dirt.has_loud_labels else str
    rows = [(name, escape(loud(label)), escape(text)) for name, label, text in rows]
    if not rows:
        return ""
    style = site.style
    if style in (7, 9):
        clear = [row for row in rows if row[0] in CLEAR]
        other = [row for row in rows if row[0] not in CLEAR]
        texts = [f"<span{c(name)}>{text}</span>" for name, _, text in clear]
        if style == 7:
            items = "".join(f"<li><i{c('icon')}></i>{text}</li>" for text in texts)
            shown = f"<ul{c('meta')}>{items}</ul>"
        else:
            shown = f"<div{c('meta')}>" + " · ".join(text for _, _, text in clear) + "</div>"
        more = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for _, label, text in other)
        return (shown if clear else "") + (f"<dl{c('more')}>{more}</dl>" if more else "")
    if style == 0:
        return f"<dl{c('facts')}>" + "".join(
            f"<dt>{label}</dt><dd{c(name)}>{text}</dd>" for name, label, text in rows) + "</dl>"
    if style == 1:
        return f"<table{c('facts')}>" + "".join(
            f"<tr><th>{label}</th><td{c(name)}>{text}</td></tr>" for name, label, text in rows) + "</table>"
    if style == 2:
        cells = [f"<td{c('label')}>{label}</td><td{c(name)}>{text}</td>" for name, label, text in rows]
        pairs = ["".join(cells[at:at + 2]) for at in range(0, len(cells), 2)]
        return f"<table{c('facts')}>" + "".join(f"<tr>{pair}</tr>" for pair in pairs) + "</table>"
    if style == 3:
        return "".join(f"<p><strong>{label}:</strong> {text}</p>" for _, label, text in rows)
    if style == 4:
        return f"<ul{c('facts')}>" + "".join(f"<li>{label}: {text}</li>" for _, label, text in rows) + "</ul>"
    if style == 5 and site.is_flat:
        return f"<div{c('facts')}>" + "".join(
            f"<span{c('label')}>{label}</span><span{c('value')}>{text}</span>" for _, label, text in rows) + "</div>"
    if style == 5:
        return "".join(f"<div{c('row')}><span{c('label')}>{label}</span><span{c('value')}>{text}</span></div>"
                       for _, label, text in rows)
    if style == 6:
        return "".join(f"<div{c('cell')}><div{c('label')}>{label}</div><div{c('value')}>{text}</div></div>"
                       for _, label, text in rows)
    if style == 8:
        return f"<p{c('meta')}>" + " | ".join(f"{label}: {text}" for _, label, text in rows) + "</p>"
    if style == 10:
        return "".join(f"<div>{label} <b{c(name)}>{text}</b></div>" for name, label, text in rows)
    if style == 12:
        heads = "".join(f"<th>{label}</th>" for _, label, _ in rows)
        cells = "".join(f"<td>{text}</td>" for _, _, text in rows)
        return f"<table{c('facts')}><tr>{heads}</tr><tr>{cells}</tr></table>"
    if style == 11:
        return f"<div{c('stats')}>" + "".join(
            f"<div{c('stat')}><span{c('value')}>{text}</span> <small{c('label')}>{label}</small></div>"
            for _, label, text in rows) + "</div>"
    return f"<p{c('meta')}>" + "; ".join(f"{label} {text}" for _, label, text in rows) + "</p>"


def sub_line(site, rows):
    """The line below the heading, and the rows that it leaves."""
    c, own = site.c, [row for row in rows if row[0] in CLEAR][:5]
    if not site.sub_line or len(own) < 2:
        return "", rows
    texts = []
    for name, _, text in own:
        text = escape(text)
        if name == "company" and site.rng.random() < 0.6:
            text = f'<a href="/company/{site.rng.randrange(99)}">{text}</a>'
        texts.append((name, text))
    if site.sub_line == "text":
        shown = f"<p{c('sub')}>{site.separator.join(text for _, text in texts)}</p>"
    elif site.sub_line == "spans":
        spans = [f"<span{c(name)}>{text}</span>" for name, text in texts]
        shown = f"<div{c('sub')}>{site.separator.join(spans)}</div>"
    elif site.sub_line == "items":
        shown = f"<ul{c('sub')}>" + "".join(f"<li><svg></svg>{text}</li>" for _, text in texts) + "</ul>"
    else:
        shown = "".join(f"<div{c(name)}>{text}</div>" for name, text in texts)
    return shown, [row for row in rows if row not in own]


def address_block(site, rows):
    """The address without a label, with the other ways to get in touch on some sites, and the rows that it
    leaves."""
    c, own = site.c, [row for row in rows if row[0] == "address"]
    if not own or site.address == "fact":
        return "", rows
    street, _, town = own[0][2].partition(", ")
    if site.has_town_first:
        words = town.split(" ")
        at = next((at for at, word in enumerate(words) if any(map(str.islower, word))), 0)
        town = " ".join(words[at:] + words[:at])
    street, town = escape(street), escape(town)
    if site.address == "element":
        shown = f"<address{c('address')}>{street}<br>{town}</address>"
    elif site.address == "lines":
        shown = f"<div{c('address')}><div>{street}</div><div>{town}</div></div>"
    else:
        own += [row for row in rows if row[0] in ("phone", "email")]
        texts = [f"{street}<br>{town}"] + [escape(text) for _, _, text in own[1:]]
        items = "".join(f"<li><i{c('icon')}></i><span>{text}</span></li>" for text in texts)
        shown = f"<ul{c('contact')}>{items}</ul>"
    if site.rng.random() < 0.3:
        shown = f"<h3>{site.phrase('contact')}</h3>{shown}"
    return shown, [row for row in rows if row not in own]


def extent_block(site, rows):
    """The number of pages with its name behind it, on some sites, and the rows that it leaves."""
    own = [row for row in rows if row[0] == "pages"]
    if not own or not site.has_page_unit:
        return "", rows
    _, unit, text = own[0]
    size = f"{site.separator}13 x 20 cm" if site.rng.random() < 0.5 else ""
    shown = f"<p{site.c('extent')}>{escape(text)} {escape(unit.lower())}{size}</p>"
    return shown, [row for row in rows if row not in own]


def by_line(site, thing):
    c, author, date = site.c, escape(thing.author), escape(thing.author_date)
    by = site.phrase("by")
    read = f"<span>5 {site.phrase('read_time')}</span>" if site.rng.random() < 0.4 else ""
    if not author and not date:
        return read
    if site.by_line >= 5:
        return dirt.by_line(site, site.by_line - 5, author, date)
    link = f'<a href="/people/{site.rng.randrange(99)}"{c("author")}>{author}</a>' if author else ""
    if site.by_line == 0:
        return f"<p{c('byline')}>{by + ' ' + link if author else ''} {date} {read}</p>"
    if site.by_line == 1:
        button = f"<button{c('follow')}>{site.phrase('follow')}</button>" if author else ""
        name = f"{by} {author}" if author else ""
        return f"<div{c('byline')}><span>{name}</span>{button} <time>{date}</time></div>"
    if site.by_line == 2:
        parts = [part for part in (author, date, read) if part]
        return f"<div{c('meta')}>{' · '.join(parts)}</div>"
    labels = site.locale.labels
    rows = [("author", labels["author"], thing.author),
            ("date_published", labels["date_published"], thing.author_date)]
    if site.by_line == 3:
        return facts(site, [row for row in rows if row[2]])
    return f"<div><img src=\"/people/p.jpg\" alt=\"\"> {link}</div><div{c('date')}>{date}</div>"


def condition(site):
    """A sentence with the words for things in stock that says of none that it is."""
    words = site.locale.one("sentences").split()
    words.insert(site.rng.randrange(2, 3 + len(words) // 2), site.locale.phrases["in_stock"].lower())
    return f"<p{site.c('note')}>{escape(' '.join(words))}</p>"


def box(site, thing):
    """Price, stock and the button that buys."""
    c, out = site.c, ""
    if thing.price:
        old = ""
        if thing.old_price:
            mark = site.rng.choice(["del", "s", "span"])
            words = f"{site.phrase('old_price')} " if mark == "span" else ""
            old = f"<{mark}{c('old-price')}>{words}{escape(thing.old_price)}</{mark}> "
        price = f"<span{c('price')}>{escape(thing.price)}</span>"
        if thing.unit_price:
            unit = f"<span{c('unit')}>{escape(thing.unit_price)} / {site.unit}</span>"
            price = f"{unit} {price}" if site.unit_place == "before" else f"{price} {unit}"
        out += f"<div{c('price-box')}>{old}{price}</div>"
    if thing.kind == "Product" and thing.fields.get("availability", "") is None:
        out += condition(site)
    if thing.stock:
        out += f"<p{c('stock')}>{escape(thing.stock)}</p>"
    if thing.action:
        disabled = "" if thing.can_buy or thing.kind != "Product" else " disabled"
        flag = site.rng.choice(["apply", "save", "buy"])
        title = (f'data-title="{site.kind}-action-button" data-{flag}="true" '
                 f'aria-label="{escape(thing.action)}: {escape(thing.title)}"')
        out += f"<button{c('action')} {title}{disabled}>{escape(thing.action)}</button>"
    if "shipping" in site.distractors and thing.kind in SOLD:
        out += f"<p{c('shipping')}>{site.phrase('shipping')} {escape(site.locale.money(50))}</p>"
    return f"<div{c('box')}>{out}</div>" if out else ""


def lists(site, thing):
    out = ""
    for name, heading, items, numbered in thing.lists:
        tag = "ol" if numbered else "ul"
        style = site.frame
        if style == 3 and numbered:
            rows = "".join(f"<div{site.c('step')}><b>{at}.</b> {escape(item)}</div>"
                           for at, item in enumerate(items, 1))
        elif style == 2:
            rows = f"<p{site.c(name)}>" + "<br>".join(escape(item) for item in items) + "</p>"
        else:
            rows = "".join(f"<li>{escape(item)}</li>" for item in items)
            rows = f"<{tag}{site.c(name)}>{rows}</{tag}>"
        out += f"<{site.sub}>{escape(heading)}</{site.sub}>{rows}"
    return out


def cards(site, things):
    """Other things of the site with their own prices, authors and dates."""
    c, out = site.c, ""
    for other in things:
        more = "".join(f"<span{c(name)}>{escape(text)}</span> " for name, text in (
            ("price", other.price), ("author", other.author), ("date", other.author_date),
            ("stars", other.rating)) if text) + dirt.of_card(site, other)
        out += f'<div{c("card")}><a href="/{site.rng.randrange(9999)}">{escape(other.title)}</a> {more}</div>'
    return out


def reviews(site, locale):
    out = f"<h3>{site.phrase('reviews')}</h3>"
    for _ in range(site.rng.randrange(1, 4)):
        stars, day = site.rng.randrange(1, 6), locale.date(locale.day())
        out += (f"<div{site.c('review')}><b>{escape(locale.person())}</b> <span>{stars}/5</span> "
                f"<time>{day}</time><p>{escape(locale.text(1, 2))}</p></div>")
    return f"<section{site.c('reviews')}>{out}</section>"


def page(site, thing, others, number):
    """The HTML of a page, with the fields that only the page as a whole shows."""
    locale, c = site.locale, site.c
    if site.is_small:
        shrink(site, thing)
    if site.is_tiny:
        reduce(site, thing)
    values = machine.stated(thing, site.rng)
    machine.hide(site, thing, values)
    image = f"/img/{site.kind}-{site.number}-{number}.jpg"
    crumbs = ""
    if thing.category:
        crumbs = (f"<nav{c('crumbs')}><a href=/>{site.phrase('home')}</a> / "
                  f"<a href=/c>{escape(thing.category)}</a> / {escape(thing.title)}</nav>")
    rows = list(thing.facts)
    if site.price_place == "fact" and thing.price and not thing.old_price:
        rows.insert(0, ("price", locale.labels["price"], thing.price))
        thing.price = ""
    imprint, rows = dirt.imprint(site, thing, rows)
    where, rows = address_block(site, rows)
    extent, rows = extent_block(site, rows)
    below, rows = sub_line(site, rows)
    badge = dirt.badge(site, thing)
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in thing.paragraphs)
    parts = {
        "rating": f"<div{c('rating')}>{escape(thing.rating)}</div>" if thing.rating else "",
        "box": box(site, thing),
        "facts": facts(site, rows),
        "text": f"<div{c('text')}>{paragraphs}</div>" if paragraphs else "",
        "lists": lists(site, thing),
    }
    order = list(site.parts)
    if site.price_place == "top":
        order.remove("box")
        order.insert(0, "box")
    flags = ('<div data-company="true" data-location="1" data-author="false"></div>'
             '<input type=hidden name=title value="0">') if "flags" in site.distractors else ""
    share = dirt.buttons(site, thing)
    tags = " ".join(f"<a href=/t>{escape(tag)}</a>" for tag in thing.tags)
    intro = f"<p{c('intro')}>{escape(thing.intro)}</p>" if thing.intro else ""
    image_tag = "" if site.is_small and site.rng.random() < 0.6 else f'<img src="{image}" alt="">'
    section = escape(thing.category) or site.phrase("popular")
    banner = f"<h1>{section}</h1>" if site.banner == "section" and not site.is_small else ""
    below += where if site.address_place == "top" else ""
    main = (banner + crumbs + badge + title(site, thing) + below + by_line(site, thing) + imprint
            + image_tag + intro + flags + "".join(parts[name] for name in order)
            + (f"<p{c('tags')}>{tags}</p>" if tags else "")
            + extent + (where if site.address_place == "end" else "")
            + (share if "share" in site.distractors else ""))
    main = machine.microdata(site, thing, machine.attributes(site, thing, values) + main, values)
    related = ""
    has_no_price = "price" in thing.fields and thing.fields["price"] is None
    if "related" in site.distractors or (site.is_small and has_no_price and site.rng.random() < 0.5):
        related = f"<h3>{site.phrase('related')}</h3>{cards(site, others)}"
    if "reviews" in site.distractors:
        related += reviews(site, locale)
    if "comments" in site.distractors:
        related += dirt.comments(site, locale)
    aside, search = "", ""
    if "popular" in site.distractors:
        aside = f"<h4>{site.phrase('popular')}</h4>{cards(site, others[:2])}"
    if "search" in site.distractors:
        search = f"<form><input name=q><button>{site.phrase('search')}</button></form>"
    menu = "".join(f"<a href=/{key}>{site.phrase(key)}</a> " for key in ("home", "about", "contact", "login"))
    if "clock" in site.distractors:
        menu += f"<span{c('now')}>{locale.date(locale.day(2026, 2026))} {dirt.clock(site)}</span>"
    cookies = (f"<div{c('cookies')}>{site.phrase('cookies')} <button>{site.phrase('accept')}</button></div>"
               if "cookies" in site.distractors else "")
    newsletter, address = "", ""
    if "newsletter" in site.distractors:
        newsletter = (f"<form><p>{site.phrase('newsletter')}</p><input type=email>"
                      f"<button>{site.phrase('subscribe')}</button></form>")
    if thing.kind not in ("Organization", "Person", "Event"):
        address = f"{locale.street()}, {locale.city()}"
    foot = f"© 2026 {escape(site.name)}. {site.phrase('all_rights')}. {escape(address)}"
    logo = f"<a href=/>{escape(site.name)}</a>"
    if site.banner == "name":
        logo = f"<h1{c('name')}>{logo}</h1>"
    if site.is_small or site.is_fragment:
        body = f"{main}{related}{cookies}"
    elif site.frame == 0:
        body = (f"{cookies}<header>{logo}<nav>{menu}</nav>{search}</header><main>{main}</main>"
                f"<aside>{aside}</aside><section>{related}</section><footer>{newsletter}{foot}</footer>")
    elif site.frame == 1:
        body = (f"<div{c('top')}>{logo} {menu}{search}</div><div{c('wrap')}><div{c('side')}>{aside}</div>"
                f"<div{c('content')}>{main}</div></div><div{c('rel')}>{related}</div>"
                f"<div{c('foot')}>{newsletter}{foot}</div>{cookies}")
    elif site.frame == 2:
        body = (f"<table><tr><td>{logo}</td><td>{menu}{search}</td></tr></table><table><tr><td>{aside}</td>"
                f"<td>{main}<hr>{related}</td></tr></table><p>{foot}</p>{newsletter}{cookies}")
    else:
        body = (f"<div id=app><div><div>{logo}{menu}</div></div><article>{main}</article><div>{related}</div>"
                f"<div>{aside}{search}{newsletter}</div><div><small>{foot}</small></div>{cookies}</div>")
    author = thing.author or site.name
    page_title = site.title.format(t=thing.title, s=site.name, c=thing.category or site.name,
                              by=locale.phrases["by"], a=author, h=site.dirt.domain)
    fields = dict(thing.fields)
    if thing.kind == "Product":
        fields["images"] = [f"https://{site.host}{image}"] if image_tag else None
    if thing.kind == "Article":
        fields["image"] = f"https://{site.host}{image}" if image_tag else None
        if not (site.is_small or site.is_fragment):
            fields["publisher"] = site.name
    if site.is_fragment:
        return f"<div{c('page')}>{body}</div>", fields
    html = (f"<!doctype html><html lang={locale.language}><head><meta charset=utf-8>"
            f"<title>{escape(page_title)}</title>{machine.head(site, thing, values)}</head><body>{body}</body></html>")
    return html, fields
