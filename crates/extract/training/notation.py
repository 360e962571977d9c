"""Values as a locale writes them."""
import datetime

import things
import words


# Endings of names of companies.
ENDINGS = {
    "en": ["Ltd", "& Sons", "Works"],
    "de": ["GmbH", "& Co. KG", "AG"],
    "fr": ["SARL", "et Fils"],
    "es": ["S.L.", "e Hijos"],
    "it": ["S.r.l.", "& Figli"],
    "pt": ["Ltda.", "e Filhos"],
    "nl": ["B.V.", "& Zonen"],
    "pl": ["sp. z o.o.", "S.A."],
    "cs": ["s.r.o.", "a.s."],
    "sv": ["AB", "& Söner"],
    "ja": ["株式会社", "工業"],
    "tr": ["A.Ş.", "Ltd. Şti."],
}


def split(line):
    """The values of a line, each as its alternatives."""
    return [value.split("/") for value in line.split("|")]


class Locale:
    """A language, a currency and the notations of a country."""

    def __init__(self, code, rng):
        self.code = code
        self.language, self.currency, self.decimal, self.thousands, self.money_order, dates, self.clock = \
            words.LOCALES[code]
        language = self.language
        self.rng = rng
        self.date_format = rng.choice(dates)
        self.months = words.MONTHS[language].split()
        self.weekdays = words.WEEKDAYS[language].split()
        self.first, self.last, self.cities, self.streets, self.country = words.NAMES[language].split("|")
        # A site uses one wording of each label and phrase.
        self.labels = {key: rng.choice(texts)
                       for key, texts in zip(words.LABEL_KEYS, split(words.LABELS[language]))}
        self.phrases = {key: rng.choice(texts)
                        for key, texts in zip(words.PHRASE_KEYS, split(words.PHRASES[language]))}
        self.things = dict(zip(things.KEYS, split(things.THINGS[language])))
        self.sign_after_code = rng.random() < 0.15

    def money(self, amount):
        if self.currency == "JPY":
            text = f"{amount:,.0f}".replace(",", self.thousands)
        else:
            whole, cents = f"{amount:,.2f}".split(".")
            text = whole.replace(",", self.thousands) + self.decimal + cents
        if self.sign_after_code and self.currency not in ("CHF", "JPY"):
            return f"{text} {self.currency}"
        return self.money_order.format(text)

    def decimal_text(self, value):
        return f"{value:.1f}".replace(".", self.decimal if self.language != "ja" else ".")

    def date(self, day, form=None):
        month = self.months[day.month - 1]
        return (form or self.date_format).format(
            d=day.day, D=f"{day.day:02}", m=f"{day.month:02}", y=day.year, M=month, S=month[:3],
            W=self.weekdays[day.weekday()])

    def time(self, hour, minute):
        if self.clock == "12":
            return f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}"
        if self.clock == "24h":
            return f"{hour}h{minute:02}"
        if self.clock == "24 Uhr":
            return f"{hour}:{minute:02} Uhr"
        return f"{hour:02}:{minute:02}"

    def duration(self, minutes):
        hours, rest = divmod(minutes, 60)
        space = "" if self.language == "ja" else " "
        parts = [f"{hours}{space}{self.phrases['hour']}"] if hours else []
        parts += [f"{rest}{space}{self.phrases['minute']}"] if rest else []
        return " ".join(parts)

    def day(self, first=2021, last=2026):
        start = datetime.date(first, 1, 1)
        return start + datetime.timedelta(days=self.rng.randrange((datetime.date(last, 12, 28) - start).days))

    def person(self):
        first, last = self.rng.choice(self.first.split()), self.rng.choice(self.last.split())
        return f"{last} {first}" if self.language == "ja" else f"{first} {last}"

    def company(self):
        last = self.rng.choice(self.last.split())
        space = "" if self.language == "ja" else " "
        return last + space + self.rng.choice(ENDINGS[self.language])

    def city(self):
        return self.rng.choice(self.cities.split())

    def street(self):
        number = self.rng.randrange(1, 90)
        street = self.rng.choice(self.streets.split(","))
        if self.language == "ja":
            return street
        return f"{number} {street}" if self.language in ("en", "fr") else f"{street} {number}"

    def postcode(self):
        digits = "".join(str(self.rng.randrange(10)) for _ in range(5))
        return {"pl": f"{digits[:2]}-{digits[2:]}0", "cs": f"{digits[:3]} {digits[3:]}",
                "nl": f"1{digits[:3]} AB", "en": f"AB{digits[0]} {digits[1]}CD"}.get(self.language, digits)

    def phone(self):
        digits = [str(self.rng.randrange(2, 10)) for _ in range(9)]
        style = self.rng.randrange(3)
        group = "".join
        if style == 0:
            country = self.rng.choice(["44", "49", "33", "34", "48"])
            return f"+{country} {group(digits[:3])} {group(digits[3:6])} {group(digits[6:])}"
        if style == 1:
            return f"(0{group(digits[:2])}) {group(digits[2:5])}-{group(digits[5:])}"
        return f"0{group(digits[:3])} / {group(digits[3:6])} {group(digits[6:])}"

    def one(self, key):
        return self.rng.choice(self.things[key])

    def some(self, key, low, high):
        values = self.things[key]
        count = min(self.rng.randrange(low, high + 1), len(values))
        return self.rng.sample(values, count)

    def text(self, low, high):
        """Sentences in any order, more of them by combining two."""
        space = "" if self.language == "ja" else " "
        count = self.rng.randrange(low, high + 1)
        return space.join(self.rng.choice(self.things["sentences"]) for _ in range(count))


def gtin(rng, start):
    """A GTIN-13 with a right check digit."""
    body = start + "".join(str(rng.randrange(10)) for _ in range(12 - len(start)))
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(body))
    return body + str(-total % 10)
