//! Words around amounts of money, in the languages of the web; lower case, without marks.

/// What an amount of money is, by the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriceRole {
    /// Nothing says that it is another amount than the price.
    Asked,
    /// The price before, which no longer holds.
    Former,
    /// The price that the maker recommends.
    Recommended,
    /// What is saved.
    Saving,
    /// The cost of delivery.
    Shipping,
    Deposit,
    /// One of several payments.
    Instalment,
    /// A price for a weight, a length or a volume.
    PerUnit,
    /// The price of one night.
    Night,
    /// The sum of several prices.
    Total,
    /// A threshold, a warranty, a voucher, another currency.
    Other,
}

/// Words before an amount, with what they make of it.
pub(super) const BEFORE: &[(PriceRole, &[&str])] = &[
    (PriceRole::Former, FORMER),
    (PriceRole::Other, LOWEST),
    (PriceRole::Recommended, RECOMMENDED),
    (PriceRole::Saving, SAVINGS),
    (PriceRole::Shipping, SHIPPING),
    (PriceRole::Deposit, DEPOSIT),
    (PriceRole::Instalment, INSTALMENT),
    (PriceRole::Total, TOTAL),
    (PriceRole::Other, BOUNDS),
    (PriceRole::Other, COVER),
    (PriceRole::Other, CART),
    (PriceRole::Other, OTHER_CURRENCY),
];

/// Before a former price.
const FORMER: &[&str] = &[
    "was",
    "regular price",
    "original price",
    "old price",
    "instead of",
    "previously",
    "compare at",
    "statt",
    "bisher",
    "vorher",
    "früher",
    "au lieu de",
    "prix barré",
    "invece di",
    "anziché",
    "antes",
    "en lugar de",
    "precio anterior",
    "původní cena",
    "běžná cena",
    "pôvodná cena",
    "bežná cena",
    "stará cena",
    "cena regularna",
    "korábbi ár",
    "eredeti ár",
    "ord pris",
    "ordinarie pris",
    "førpris",
    "tidligere",
    "ennen",
    "старая цена",
    "обычная цена",
    "formerly",
    "vorheriger preis",
    "stara cena",
];
/// Before the lowest price of the last thirty days, which some countries require by law.
const LOWEST: &[&str] = &[
    "lowest price",
    "niedrigster",
    "prix le plus bas",
    "prezzo più basso",
    "precio más bajo",
    "najniższa",
    "nejnižší",
    "najnižšia",
    "najnižja",
    "laagste prijs",
    "cel mai mic",
    "30 days",
    "30 tagen",
    "30 jours",
    "30 giorni",
    "30 dní",
    "obniżką",
];
/// Before a price that the maker recommends.
const RECOMMENDED: &[&str] = &[
    "rrp",
    "msrp",
    "srp",
    "list price",
    "uvp",
    "prix conseillé",
    "prezzo di listino",
    "pvpr",
    "adviesprijs",
    "recommended price",
    "suggested price",
    "preço sugerido",
    "unverbindliche preisempfehlung",
];
/// Before what is saved.
const SAVINGS: &[&str] = &[
    "save",
    "saving",
    "savings",
    "discount",
    "sparen",
    "spare",
    "ersparnis",
    "rabatt",
    "économisez",
    "économie",
    "remise",
    "risparmi",
    "sconto",
    "ahorra",
    "ahorras",
    "descuento",
    "desconto",
    "economize",
    "bespaar",
    "korting",
    "spara",
    "spar",
    "rabat",
    "sleva",
    "zľava",
    "oszczędzasz",
    "скидка",
    "экономия",
];
/// Before the cost of delivery.
const SHIPPING: &[&str] = &[
    "delivery",
    "shipping",
    "postage",
    "versand",
    "versandkosten",
    "lieferung",
    "porto",
    "livraison",
    "frais de port",
    "spedizione",
    "consegna",
    "envío",
    "frete",
    "entrega",
    "verzending",
    "verzendkosten",
    "bezorging",
    "frakt",
    "fragt",
    "levering",
    "toimitus",
    "doprava",
    "dostawa",
    "wysyłka",
    "szállítás",
    "доставка",
    "доставки",
    "kargo",
];
/// Before a deposit.
const DEPOSIT: &[&str] = &["deposit", "pfand", "kaution", "consigne"];
/// Before an amount that bounds the price from above.
const BOUNDS: &[&str] =
    &["up to", "bis zu", "jusqu à", "hasta", "fino a", "até", "upp till", "op til", "opp til"];
/// Before the price of a warranty or an insurance.
const COVER: &[&str] = &["warranty", "insurance", "protection", "versicherung", "assurance"];
/// Before one of several payments.
const INSTALMENT: &[&str] = &[
    "payments of",
    "instalments of",
    "installments of",
    "monthly",
    "mensualités",
    "cuotas de",
    "parcelas de",
    "splátky",
    "raten",
];
/// Before the sum of several prices.
const TOTAL: &[&str] = &["total"];
/// Before thresholds, what lies in the cart, points and vouchers.
const CART: &[&str] = &[
    "over",
    "above",
    "spend",
    "minimum",
    "bestellwert",
    "subtotal",
    "cart",
    "basket",
    "warenkorb",
    "zwischensumme",
    "panier",
    "carrello",
    "carrito",
    "košík",
    "points",
    "cashback",
    "voucher",
    "gutschein",
    "coupon",
    "gift card",
];
/// Before the price in another currency.
const OTHER_CURRENCY: &[&str] =
    &["approximately", "approx", "circa", "ca", "environ", "ungefähr", "aproximadamente"];

/// The same in scripts without spaces between words.
pub(super) const BEFORE_UNSPACED: &[&str] = &[
    "原價",
    "原价",
    "市價",
    "市场价",
    "參考價",
    "定価",
    "通常価格",
    "参考価格",
    "정가",
    "시중가",
    "運費",
    "运费",
    "送料",
    "배송비",
    "משלוח",
];

/// Starts of the text right after an amount, with what they make of it.
pub(super) const AFTER: &[(PriceRole, &[&str])] = &[
    (PriceRole::Saving, AFTER_SAVINGS),
    (PriceRole::Shipping, AFTER_SHIPPING),
    (PriceRole::Instalment, AFTER_INSTALMENT),
];

/// Behind what is saved.
const AFTER_SAVINGS: &[&str] =
    &["off", "discount", "saved", "rabatt", "de descuento", "de remise", "di sconto"];
/// Behind the cost of delivery.
const AFTER_SHIPPING: &[&str] = &["delivery", "shipping", "postage", "versand"];
/// Behind what is paid each month.
const AFTER_INSTALMENT: &[&str] = &[
    "x ",
    "month",
    "mo ",
    "a month",
    "per month",
    "monthly",
    "monatlich",
    "mtl",
    "pro monat",
    "par mois",
    "al mese",
    "al mes",
    "por mes",
    "por mês",
    "per maand",
    "měsíčně",
    "mesačne",
    "miesięcznie",
];

/// Starts of the text right after the sum of several prices.
pub(super) const AFTER_TOTAL: &[&str] = &[
    "total",
    "in total",
    "altogether",
    "gesamt",
    "insgesamt",
    "au total",
    "en total",
    "in totale",
    "no total",
    "totaal",
    "totalt",
    "razem",
    "celkem",
    "spolu",
];
/// Words behind `per` or a slash after a price for one night.
pub(super) const NIGHTS: &[&str] = &[
    "night",
    "nacht",
    "nuit",
    "noche",
    "noite",
    "notte",
    "noc",
    "natt",
    "nat",
    "nuitée",
    "pernottamento",
    "yö",
    "éj",
    "ночь",
    "gece",
];

/// Units of a price per unit.
pub(super) const UNITS: &[&str] = &[
    "kg", "g", "100", "1 kg", "1kg", "l", "1 l", "1l", "ml", "liter", "litre", "litro", "m", "m²", "m2",
    "qm", "lb", "oz", "100g", "100 g", "100ml", "100 ml", "kilo", "meter", "metre", "metro", "sqm", "sq",
];

/// Words around an amount without tax.
pub(super) const NET: &[&str] = &[
    "excl",
    "exkl",
    "excluding",
    "ex vat",
    "ex tax",
    "ex gst",
    "netto",
    "net",
    "hors taxe",
    "hors tva",
    "ht",
    "zzgl",
    "iva esclusa",
    "sin iva",
    "iva no incluido",
    "bez dph",
    "bez vat",
    "brez ddv",
    "bez pdv",
    "áfa nélkül",
    "без ндс",
    "plus vat",
];

/// Words around an amount with tax.
pub(super) const GROSS: &[&str] = &[
    "inc vat",
    "incl vat",
    "including vat",
    "inc tax",
    "incl tax",
    "including tax",
    "inc gst",
    "incl gst",
    "brutto",
    "gross",
    "inkl mwst",
    "inkl ust",
    "inkl moms",
    "ttc",
    "iva incluido",
    "iva inclusa",
    "iva incluído",
    "incl btw",
    "s dph",
    "z vat",
    "с ндс",
];
