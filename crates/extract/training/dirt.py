"""What real pages put beside and inside values: buttons, badges, times, comments, lines of several values."""
import unicodedata
from html import escape

ZONES = ("GMT+8", "GMT+8", "CET", "UTC", "(UTC+1)", "ET")
BINDINGS = ("Paperback", "Other", "A5", "Hardcover", "PDF")


class Dirt:
    """How a site does it on all its pages."""

    def __init__(self, site, rng):
        # Letters of the name without marks; a name in another script has none.
        plain = unicodedata.normalize("NFKD", site.name.split()[0]).encode("ascii", "ignore").decode().lower()
        word = "".join(letter for letter in plain if letter.isalnum()) or f"site{site.number}"
        self.domain = word + rng.choice([".com", ".com", ".net", ".shop"])
        self.buttons = rng.randrange(4)
        self.comments = rng.randrange(4)
        self.has_badges = rng.random() < 0.5
        self.has_imprint = rng.random() < 0.4
        self.has_loud_labels = rng.random() < 0.15
        self.cards_sell = rng.random() < 0.5
        self.zone = rng.choice(ZONES)
        self.separator = rng.choice([" / ", " / ", " | ", ", ", " • "])


def clock(site):
    """A time of day with its zone."""
    rng = site.rng
    hour, minute = rng.randrange(24), rng.randrange(60)
    if site.locale.clock == "12":
        return f"{(hour - 1) % 12 + 1}:{minute:02}{'am' if hour < 12 else 'pm'} {site.dirt.zone}"
    return f"{site.locale.time(hour, minute)} {site.dirt.zone}"


def by_line(site, style, author, date):
    """By-lines in which the name has company."""
    c, by, rng = site.c, site.phrase("by"), site.rng
    if style == 0:
        label = escape(site.locale.labels["author"].upper())
        return (f"<p{c('author')}>{label}: {author}</p>" if author else "") + f"<p{c('date')}>{date}</p>"
    if style == 1:
        follow, name = site.phrase("follow"), ""
        if author:
            name = (f'{by} <a href="/people/{rng.randrange(99)}">{author}</a> <a{c("follow")} role=button '
                    f'data-follow="true" aria-label="{follow} {author}">{follow}</a>')
        return f"<div{c('byline')}>{name} <span>{date} {clock(site) if date else ''}</span></div>"
    if style == 2:
        parts = [f"{site.phrase('posted')} {date}" if date else "", f"{by} {author}" if author else ""]
        count = f"{rng.randrange(2, 80)} {site.phrase('comments')}"
        return f"<p{c('meta')}>{' '.join(part for part in parts if part)} | {count}</p>"
    role = escape(site.locale.one("roles"))
    person = f"<span{c('by')}>{author}, {role}</span>" if author else ""
    return f"<div{c('byline')}>{person} <span{c('date')}>{date}</span></div>"


def buttons(site, thing):
    """Buttons that share and save: their attributes have names of properties, and no values."""
    c, title = site.c, escape(thing.title)
    share, save = site.phrase("share"), site.phrase("save")
    style = site.dirt.buttons
    if style == 0:
        return f"<div{c('share')}><a href=#>{share}</a> <a href=#>{save}</a></div>"
    if style == 1:
        return (f'<div{c("actions")}><button aria-label="{save}: {title}" data-save="true" '
                f'data-id="{site.rng.randrange(10**6)}">♡</button> '
                f'<button aria-label="{share}" data-share="true" title="{share}">⇪</button></div>')
    if style == 2:
        links = "".join(
            f'<li><a href=# data-share="{place.lower()}" aria-label="{share}: {place}">{place}</a></li>'
            for place in ("Mail", "Facebook", "X", "RSS"))
        return f"<ul{c('share')}>{links}</ul>"
    return (f'<div{c("tools")} data-save="true" data-apply="false" data-price="0" data-brand="true" '
            f'data-rating="false"><span role=button>{save}</span> <span role=button>{share}</span> '
            f"<span{c('count')}>{site.rng.randrange(2, 400)}</span></div>")


def badge(site, thing):
    """The badge above a thing that cannot be bought; the box says nothing then."""
    if thing.kind != "Product" or thing.can_buy or not site.dirt.has_badges:
        return ""
    text, thing.stock = thing.stock, ""
    return f"<span{site.c('badge')}>{escape(text)}</span>"


def of_card(site, other):
    """What a card of another thing has beside its values."""
    rng, out = site.rng, ""
    if site.dirt.has_badges and rng.random() < 0.4:
        text = site.phrase("out_of_stock") if rng.random() < 0.6 else f"-{rng.randrange(1, 9) * 5}%"
        out += f"<span{site.c('badge')}>{text}</span> "
    if other.old_price:
        out += f"<del>{escape(other.old_price)}</del> "
    if site.dirt.cards_sell and other.price:
        out += f'<button data-price="{rng.randrange(9, 99)}">{site.phrase("buy")}</button>'
    return out


def comments(site, locale):
    """What readers write below, with names and dates of their own."""
    c, rng, style, out = site.c, site.rng, site.dirt.comments, ""
    count = rng.randrange(1, 5)
    for _ in range(count):
        name, text, day = escape(locale.person()), escape(locale.text(1, 3)), locale.date(locale.day())
        if style == 0:
            out += (f"<li{c('comment')}><b>{name}</b> <time>{day}, {clock(site)}</time><p>{text}</p>"
                    f'<button aria-label="{name}" data-author="true">↩</button></li>')
        elif style == 1:
            out += f"<div{c('comment')}><p>{text}</p><p>{site.phrase('by')} {name} | {day}</p></div>"
        elif style == 2:
            out += f'<p><a href="/u/{rng.randrange(999)}"{c("author")}>{name}</a> · {day}<br>{text}</p>'
        else:
            out += (f"<article{c('comment')}><div{c('author')}>{name}</div><div{c('date')}>{day}</div>"
                    f"<div{c('text')}>{text}</div></article>")
    words = site.phrase("comments")
    heading = rng.choice([f"{count} {words}", f"{words} ({count})", words])
    return f"<section{c('comments')}><{site.sub}>{heading}</{site.sub}>{out}</section>"


def imprint(site, thing, rows):
    """The publisher of a book in one line with year and binding: `P / 2009 / Other`; and the rows without
    what it says."""
    publisher = next((text for name, _, text in rows if name == "publisher"), None)
    if thing.kind != "Book" or not publisher or not site.dirt.has_imprint:
        return "", rows
    parts = [publisher]
    if thing.fields.get("date_published"):
        # The page shows only the year of it.
        parts.append(thing.fields.pop("date_published")[:4])
    parts.append(site.rng.choice(BINDINGS))
    line = f"<p{site.c('imprint')}>{escape(site.dirt.separator.join(parts))}</p>"
    return line, [row for row in rows if row[0] not in ("publisher", "date_published")]
