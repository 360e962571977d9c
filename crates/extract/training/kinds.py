"""The things that generated pages are about, each with its truth."""
import datetime
from dataclasses import dataclass, field

from dirt import ZONES
from notation import gtin

# Facts that a reader understands without a label.
CLEAR = {"price", "location", "employment_type", "salary", "start_date", "venue", "address", "email", "phone",
         "job_title", "company", "date_published", "total_time", "color"}


@dataclass
class Thing:
    kind: str
    title: str
    # Every property of the kind: a null says that the page has no value, one that is left out is unknown.
    fields: dict
    intro: str = ""
    paragraphs: list = field(default_factory=list)
    # Facts in the order of the page: property, label, text.
    facts: list = field(default_factory=list)
    # Lists under a heading: property, heading, items, whether they are numbered.
    lists: list = field(default_factory=list)
    author: str = ""
    author_date: str = ""
    price: str = ""
    old_price: str = ""
    # The price of a kilogram or a litre.
    unit_price: str = ""
    stock: str = ""
    can_buy: bool = False
    action: str = ""
    rating: str = ""
    category: str = ""
    tags: list = field(default_factory=list)


def optional(rng, value, share=0.75):
    return value if rng.random() < share else None


def rating(thing, locale, share=0.6):
    rng = locale.rng
    if rng.random() > share:
        thing.fields.update(rating=None, review_count=None)
        return
    value, count = round(rng.uniform(2.1, 4.9), 1), rng.randrange(6, 900)
    thing.fields.update(rating=value, review_count=count)
    best, reviews = locale.phrases["out_of_five"], locale.phrases["reviews"]
    thing.rating = f"{locale.decimal_text(value)} {best} · {count} {reviews}"


def fact(thing, locale, name, value, text=None, label=None):
    """Adds a property to the truth and, if it has a value, to the facts."""
    thing.fields[name] = value
    if value is not None:
        thing.facts.append((name, locale.labels[label or name], str(value if text is None else text)))


def price_of(thing, locale, low, high, share=0.95):
    rng = locale.rng
    scale = {"JPY": 150, "CZK": 25, "TRY": 35, "SEK": 10, "PLN": 4, "BRL": 5}.get(locale.currency, 1)
    amount = round(rng.uniform(low, high) * scale, 2)
    amount = float(round(amount)) if locale.currency == "JPY" or rng.random() < 0.4 else amount
    if rng.random() > share:
        thing.fields.update(price=None, currency=None)
        return
    thing.fields.update(price=amount, currency=locale.currency)
    thing.price = locale.money(amount)
    if rng.random() < 0.3:
        thing.old_price = locale.money(round(amount * rng.uniform(1.15, 1.6), 2))


def product(locale):
    rng = locale.rng
    title = locale.one("products")
    thing = Thing("Product", title, {"title": title})
    last = rng.choice(locale.last.split()).upper()
    brand = optional(rng, last if rng.random() < 0.3 else locale.company())
    if brand and rng.random() < 0.4:
        thing.title = f"{brand} {title}"
        thing.fields["title"] = [thing.title, title]
    price_of(thing, locale, 8, 400)
    fact(thing, locale, "brand", brand)
    sku = rng.choice([f"{rng.randrange(10**5, 10**7)}",
                      f"{rng.choice('ABKMX')}{rng.choice('RST')}-{rng.randrange(100, 9999)}"])
    if rng.random() < 0.4:
        thing.unit_price = locale.money(round(rng.uniform(3, 900), 2))
    fact(thing, locale, "sku", optional(rng, sku))
    fact(thing, locale, "gtin", optional(rng, gtin(rng, rng.choice(["40", "50", "978"])), 0.5))
    mpn = f"{rng.choice('HJLQ')}{rng.randrange(10, 99)}.{rng.randrange(100, 999)}"
    fact(thing, locale, "mpn", optional(rng, mpn, 0.4))
    fact(thing, locale, "color", optional(rng, locale.one("colors"), 0.6))
    in_stock = rng.random() < 0.8
    thing.can_buy = in_stock
    thing.action = locale.phrases["buy"]
    if not in_stock or rng.random() < 0.6:
        thing.stock = locale.phrases["in_stock" if in_stock else "out_of_stock"]
    thing.fields["availability"] = "InStock" if in_stock else "OutOfStock"
    thing.category = locale.one("categories")
    thing.fields["category"] = thing.category
    rating(thing, locale)
    describe(thing, locale, 2, 5)
    return thing


def describe(thing, locale, low, high):
    """A description as paragraphs: right is all of it."""
    space = "" if locale.language == "ja" else " "
    thing.paragraphs = [locale.text(low, high) for _ in range(locale.rng.randrange(1, 4))]
    thing.fields["description"] = space.join(thing.paragraphs)


def by_line(thing, locale, share=0.9):
    rng = locale.rng
    author = optional(rng, locale.person(), share)
    day = locale.day() if rng.random() < 0.9 else None
    thing.author, thing.author_date = author or "", locale.date(day) if day else ""
    thing.fields.update(author=author, date_published=day.isoformat() if day else None)


def article(locale):
    rng = locale.rng
    title = locale.one("headlines")
    thing = Thing("Article", title, {"title": title})
    by_line(thing, locale)
    updated = optional(rng, locale.day(2026, 2026), 0.3)
    thing.fields["date_modified"] = None
    if updated:
        fact(thing, locale, "date_modified", updated.isoformat(), locale.date(updated))
    thing.category = locale.one("sections")
    thing.fields["section"] = thing.category
    thing.paragraphs = [locale.text(2, 6) for _ in range(rng.randrange(3, 9))]
    space = "" if locale.language == "ja" else " "
    body = space.join(thing.paragraphs)
    thing.fields["text"] = [body]
    if rng.random() < 0.4:
        thing.intro = locale.text(1, 2)
        thing.fields["description"] = thing.intro
        thing.fields["text"].append(thing.intro + space + body)
    if rng.random() < 0.5:
        thing.tags = locale.some("tags", 2, 4)
        thing.fields["keywords"] = thing.tags
    return thing


def recipe(locale):
    rng = locale.rng
    title = locale.one("recipes")
    thing = Thing("Recipe", title, {"title": title})
    by_line(thing, locale, 0.7)
    prep, cook = rng.choice([10, 15, 20, 25]), rng.choice([20, 35, 45, 60, 75, 90])
    times = (("prep_time", prep, 0.7), ("cook_time", cook, 0.7), ("total_time", prep + cook, 0.6))
    for name, minutes, share in times:
        minutes = optional(rng, minutes, share)
        fact(thing, locale, name, minutes and f"PT{minutes}M", minutes and locale.duration(minutes))
    servings = optional(rng, rng.randrange(2, 13), 0.8)
    text = f"{servings} {locale.phrases['people']}" if rng.random() < 0.5 else str(servings)
    fact(thing, locale, "servings", servings, text)
    calories = optional(rng, rng.randrange(180, 900), 0.4)
    fact(thing, locale, "calories", calories, f"{calories} kcal")
    fact(thing, locale, "cuisine", optional(rng, locale.one("cuisines"), 0.4))
    thing.fields["category"] = None
    ingredients, steps = locale.some("ingredients", 4, 8), locale.things["steps"][:rng.randrange(3, 7)]
    thing.fields.update(ingredients=ingredients, instructions=steps)
    thing.lists = [("ingredients", locale.labels["ingredients"], ingredients, False),
                   ("instructions", locale.labels["instructions"], steps, True)]
    if rng.random() < 0.7:
        thing.intro = locale.text(1, 3)
        thing.fields["description"] = thing.intro
    else:
        thing.fields["description"] = None
    rating(thing, locale)
    thing.action = locale.phrases["save"]
    return thing


def job(locale):
    rng = locale.rng
    title = locale.one("jobs")
    thing = Thing("JobPosting", title, {"title": title})
    fact(thing, locale, "company", locale.company())
    city = locale.city()
    fact(thing, locale, "location", rng.choice([city, f"{city}, {locale.country}"]))
    fact(thing, locale, "employment_type", optional(rng, locale.one("employment"), 0.8))
    posted = locale.day(2025, 2026)
    closes = posted + datetime.timedelta(days=rng.randrange(14, 60))
    fact(thing, locale, "date_posted", optional(rng, posted.isoformat(), 0.8), locale.date(posted))
    fact(thing, locale, "valid_through", optional(rng, closes.isoformat(), 0.5), locale.date(closes))
    thing.fields.update(salary_min=None, salary_max=None)
    if rng.random() < 0.6:
        scale = {"JPY": 100, "CZK": 15, "TRY": 20, "SEK": 10}.get(locale.currency, 1)
        low = rng.randrange(28, 60) * 1000 * scale
        high = low + low // rng.choice([4, 5, 8])
        plain = lambda amount: locale.money(amount).replace(locale.decimal + "00", "")
        thing.fields.update(salary_min=low, salary_max=high)
        text = f"{plain(low)} – {plain(high)} {locale.phrases['per_year']}"
        thing.facts.append(("salary", locale.labels["salary"], text))
    describe(thing, locale, 2, 6)
    thing.action = locale.phrases["apply"]
    return thing


def event(locale):
    rng = locale.rng
    title = locale.one("events")
    thing = Thing("Event", title, {"title": title})
    day, hour, minute = locale.day(2026, 2026), rng.randrange(9, 21), rng.choice([0, 15, 30])
    start = f"{locale.date(day)}, {locale.time(hour, minute)}"
    moment = f"{day.isoformat()}T{hour:02}:{minute:02}"
    thing.fields["end_date"] = None
    if rng.random() < 0.5:
        end = min(hour + rng.randrange(1, 4), 23)
        thing.fields["end_date"] = f"{day.isoformat()}T{end:02}:{minute:02}"
        start += f" – {locale.time(end, minute)}"
    start += optional(rng, f" {rng.choice(ZONES)}", 0.3) or ""
    fact(thing, locale, "start_date", moment, start)
    fact(thing, locale, "venue", locale.company() if rng.random() < 0.5 else f"{locale.city()} Forum")
    address = f"{locale.street()}, {locale.postcode()} {locale.city()}"
    fact(thing, locale, "address", optional(rng, address, 0.7))
    organizer = locale.company() if rng.random() < 0.6 else locale.person()
    fact(thing, locale, "organizer", optional(rng, organizer, 0.7))
    performers = []
    if rng.random() < 0.4:
        performers = sorted({locale.person() for _ in range(rng.randrange(2, 5))})
        thing.lists = [("performers", "Line-up", performers, False)]
    thing.fields["performers"] = performers or None
    price_of(thing, locale, 5, 80, 0.7)
    describe(thing, locale, 2, 5)
    thing.action = locale.phrases["tickets"]
    return thing


def book(locale):
    rng = locale.rng
    title = locale.one("books")
    thing = Thing("Book", title, {"title": title})
    thing.author = locale.person()
    thing.fields["author"] = thing.author
    price_of(thing, locale, 6, 45)
    fact(thing, locale, "publisher", optional(rng, locale.company(), 0.85))
    isbn = gtin(rng, "978")
    text = f"{isbn[:3]}-{isbn[3]}-{isbn[4:7]}-{isbn[7:12]}-{isbn[12]}" if rng.random() < 0.5 else isbn
    fact(thing, locale, "isbn", optional(rng, isbn, 0.9), text)
    day = locale.day(1996, 2026)
    fact(thing, locale, "date_published", optional(rng, day.isoformat(), 0.85), locale.date(day))
    fact(thing, locale, "pages", optional(rng, rng.randrange(96, 720), 0.8))
    fact(thing, locale, "language", optional(rng, locale.things["language"][0], 0.6))
    rating(thing, locale)
    describe(thing, locale, 3, 7)
    thing.category = locale.one("categories")
    thing.action, thing.can_buy = locale.phrases["buy"], True
    return thing


def person(locale):
    rng = locale.rng
    name = locale.person()
    thing = Thing("Person", name, {"name": name})
    fact(thing, locale, "job_title", optional(rng, locale.one("roles"), 0.9))
    fact(thing, locale, "company", optional(rng, locale.company(), 0.7))
    team = rng.choice(["office", "mail", "team"])
    address = f"{rng.choice('abcdefgh')}.{team}{rng.randrange(99)}@mail.example"
    fact(thing, locale, "email", optional(rng, address, 0.7))
    fact(thing, locale, "phone", optional(rng, locale.phone(), 0.6))
    describe(thing, locale, 2, 5)
    thing.action = locale.phrases["contact"]
    return thing


def business(locale):
    rng = locale.rng
    name = f"{locale.one('businesses')} {rng.choice(locale.last.split())}"
    thing = Thing("Organization", name, {"name": name})
    address = f"{locale.street()}, {locale.postcode()} {locale.city()}"
    fact(thing, locale, "address", address)
    fact(thing, locale, "phone", optional(rng, locale.phone(), 0.85))
    fact(thing, locale, "email", optional(rng, f"info{rng.randrange(99)}@shop.example", 0.6))
    hours = f"{locale.weekdays[0]} – {locale.weekdays[4]}: 9:00 – 18:00"
    thing.facts.append(("hours", locale.labels["hours"], hours))
    rating(thing, locale)
    describe(thing, locale, 2, 5)
    thing.action = locale.phrases["contact"]
    return thing


def other(locale):
    """A thing with properties that no vocabulary knows, under English names."""
    rng = locale.rng
    title = rng.choice([locale.company(), locale.one("businesses"), f"{locale.city()} {rng.randrange(2, 90)}"])
    thing = Thing("Other", title, {"title": title})
    day = locale.day()
    sentence = locale.one("sentences")
    texts = {"motto": rng.choice([sentence.rstrip("."), " ".join(sentence.split()[:3])]),
             "nickname": rng.choice([locale.one("colors"), locale.city(), locale.one("tags").title()]),
             "mascot": rng.choice([locale.one("tags").title(), locale.person().split()[0]]),
             "material": rng.choice([locale.one("ingredients"), locale.one("colors"), locale.one("tags")]),
             "pattern": locale.one("colors"), "habitat": rng.choice([locale.city(), locale.one("sections")]),
             "warranty": f"{rng.randrange(1, 9)} {locale.one('tags')}",
             "architect": locale.person(), "curator": locale.person(),
             "population": f"{rng.randrange(1000, 99000)}", "elevation": f"{rng.randrange(3, 2400)} m",
             "founded": f"{rng.randrange(1700, 2020)}", "seats": f"{rng.randrange(20, 900)}"}
    names = sorted(texts) + ["last_inspection"]
    kept = rng.sample(names, rng.randrange(3, 10))
    for name in kept:
        label = name.replace("_", " ").capitalize()
        if name == "last_inspection":
            thing.fields[name], text = day.isoformat(), locale.date(day)
        else:
            text = texts[name]
            is_number = name in ("population", "elevation", "founded", "seats")
            thing.fields[name] = float(text.split()[0]) if is_number else text
        thing.facts.append((name, label, text))
    for name in names:
        thing.fields.setdefault(name, None)
    describe(thing, locale, 1, 4)
    del thing.fields["description"]
    thing.action = locale.phrases["contact"]
    return thing


KINDS = {"product": product, "article": article, "recipe": recipe, "job": job, "event": event, "book": book,
         "person": person, "business": business, "other": other}
