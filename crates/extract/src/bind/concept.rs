use super::words::words;
use crate::normalise::Form;

/// A thing that pages state and schemas ask for, and the names both give it.
///
/// Names are those of schema.org, of Open Graph, of common shop software and of the languages of the web; none is of a site.
#[derive(Debug)]
pub(crate) struct Concept {
    /// How a value is read.
    pub(crate) form: Form,
    /// Names of properties, keys, classes and labels, in words of lower case; the plainest first.
    pub(crate) names: &'static [&'static str],
    /// Paths within a schema.org entity, the surest first.
    pub(crate) paths: &'static [&'static str],
    /// Names of `meta` elements.
    pub(crate) metas: &'static [&'static str],
}

const fn concept(
    form: Form,
    names: &'static [&'static str],
    paths: &'static [&'static str],
    metas: &'static [&'static str],
) -> Concept {
    Concept { form, names, paths, metas }
}

/// All concepts.
pub(crate) const CONCEPTS: [Concept; 31] = [
    concept(
        Form::Price,
        &[
            "price",
            "current price",
            "sale price",
            "final price",
            "our price",
            "special price",
            "selling price",
            "offer price",
            "product price",
            "price value",
            "price amount",
            "buy price",
            "now price",
            "preis",
            "prix",
            "precio",
            "prezzo",
            "preço",
            "prijs",
            "cena",
            "pris",
            "hinta",
            "цена",
            "ціна",
            "価格",
            "價格",
            "售價",
            "가격",
            "판매가",
            "מחיר",
            "السعر",
            "ár",
            "fiyat",
            "cijena",
            "kaina",
        ],
        &[
            "offers.price",
            "offers.lowPrice",
            "offers.priceSpecification.price",
            "offers.offers.price",
            "price",
            "lowPrice",
            "priceSpecification.price",
        ],
        &[
            "product:sale_price:amount",
            "product:price:amount",
            "og:price:amount",
            "product:price",
            "og:price",
            "price",
            "twitter:data:price",
        ],
    ),
    concept(
        Form::Currency,
        &[
            "currency",
            "price currency",
            "currency code",
            "currency symbol",
            "währung",
            "devise",
            "moneda",
            "valuta",
            "waluta",
            "валюта",
        ],
        &[
            "offers.priceCurrency",
            "offers.priceSpecification.priceCurrency",
            "offers.offers.priceCurrency",
            "priceCurrency",
        ],
        &["product:price:currency", "og:price:currency", "product:sale_price:currency"],
    ),
    concept(
        Form::Code,
        &[
            "sku",
            "product id",
            "product code",
            "product number",
            "product no",
            "item id",
            "item number",
            "item no",
            "item code",
            "item",
            "article number",
            "article no",
            "article id",
            "article code",
            "article",
            "asin",
            "catalogue number",
            "catalog number",
            "cat no",
            "stock code",
            "stock number",
            "reference",
            "ref",
            "prod id",
            "pid",
            "offer id",
            "ad id",
            "ad no",
            "adid",
            "adno",
            "nr ref",
            "numer referencyjny",
            "ref number",
            "listing id",
            "post id",
            "artikelnummer",
            "artikel nr",
            "art nr",
            "art no",
            "bestellnummer",
            "artikelnr",
            "produktnummer",
            "référence",
            "réf",
            "referencia",
            "referência",
            "código",
            "cod art",
            "codice",
            "codice articolo",
            "codice prodotto",
            "código de producto",
            "id",
            "kód",
            "kód produktu",
            "kód tovaru",
            "kod produktu",
            "katalogové číslo",
            "šifra",
            "šifra izdelka",
            "artikul",
            "артикул",
            "код товара",
            "код",
            "品番",
            "商品番号",
            "商品編號",
            "상품번호",
            "מק ט",
            "insertion number",
            "anzeigennummer",
        ],
        &["sku", "productID", "offers.sku", "identifier", "@id"],
        &[
            "product:retailer_item_id",
            "sku",
            "product:sku",
            "product_id",
            "og:sku",
            "product:retailer_part_no",
        ],
    ),
    concept(
        Form::Gtin,
        &[
            "gtin",
            "gtin13",
            "gtin12",
            "gtin8",
            "gtin14",
            "ean",
            "ean13",
            "ean code",
            "upc",
            "barcode",
            "isbn",
            "jan",
            "ean kód",
            "kod ean",
            "código ean",
        ],
        &[
            "gtin13",
            "gtin",
            "gtin12",
            "gtin8",
            "gtin14",
            "offers.gtin13",
            "isbn",
            "offers.gtin",
            "productID",
            "identifier",
        ],
        &["product:ean", "product:upc", "product:isbn", "product:gtin", "books:isbn"],
    ),
    concept(
        Form::Code,
        &[
            "mpn",
            "manufacturer part number",
            "part number",
            "part no",
            "manufacturer number",
            "manufacturer code",
            "model number",
            "model no",
            "item model number",
            "herstellernummer",
            "herstellerartikelnummer",
            "modellnummer",
            "référence fabricant",
            "número de modelo",
            "numero modello",
            "kód výrobcu",
            "kód výrobce",
            "numer katalogowy producenta",
            "part",
            "modelo",
            "model",
        ],
        &["mpn", "offers.mpn", "model.name", "model"],
        &["product:mfr_part_no"],
    ),
    concept(
        Form::Text,
        &[
            "brand",
            "brand name",
            "manufacturer",
            "maker",
            "marke",
            "hersteller",
            "marque",
            "fabricant",
            "marca",
            "fabricante",
            "produttore",
            "merk",
            "značka",
            "výrobca",
            "výrobce",
            "producent",
            "proizvođač",
            "proizvajalec",
            "blagovna znamka",
            "бренд",
            "производитель",
            "марка",
            "品牌",
            "ブランド",
            "브랜드",
            "מותג",
            "العلامة التجارية",
            "vendor",
            "zīmols",
            "ražotājs",
        ],
        &["brand.name", "brand", "manufacturer.name", "manufacturer", "offers.itemOffered.brand"],
        &["product:brand", "og:brand", "brand"],
    ),
    concept(
        Form::Availability,
        &[
            "availability",
            "stock",
            "stock status",
            "in stock",
            "is available",
            "available",
            "verfügbarkeit",
            "disponibilité",
            "disponibilidad",
            "disponibilità",
            "disponibilidade",
            "beschikbaarheid",
            "dostupnosť",
            "dostupnost",
            "dostępność",
            "наличие",
            "dobavljivost",
            "zaloga",
        ],
        &["offers.availability", "offers.offers.availability", "availability"],
        &["product:availability", "og:availability"],
    ),
    concept(
        Form::Price,
        &[
            "list price",
            "regular price",
            "original price",
            "old price",
            "was price",
            "price before",
            "strike price",
            "rrp",
            "msrp",
            "uvp",
            "retail price",
        ],
        &["offers.highPrice", "highPrice"],
        &["product:original_price:amount"],
    ),
    concept(
        Form::Text,
        &[
            "name",
            "title",
            "headline",
            "product name",
            "item name",
            "product title",
            "job title",
            "article title",
            "event name",
            "recipe name",
            "page title",
        ],
        &["name", "headline", "title"],
        &["og:title", "twitter:title", "title", "dc.title"],
    ),
    concept(
        Form::Text,
        &[
            "description",
            "summary",
            "product description",
            "abstract",
            "about",
            "beschreibung",
            "descripción",
            "descrizione",
        ],
        &["description", "abstract"],
        &["og:description", "description", "twitter:description"],
    ),
    concept(
        Form::Text,
        &["article body", "body", "text", "content", "full text"],
        &["articleBody", "text"],
        &[],
    ),
    concept(
        Form::Url,
        &["image", "image url", "picture", "photo", "thumbnail", "main image", "img"],
        &["image.url", "image.contentUrl", "image", "thumbnailUrl"],
        &["og:image", "twitter:image", "og:image:url"],
    ),
    concept(
        Form::Url,
        &["url", "link", "page url", "canonical url", "product url", "web address"],
        &["url", "mainEntityOfPage", "@id"],
        &["og:url"],
    ),
    concept(Form::Url, &["website", "homepage", "web site", "site url"], &["sameAs", "url"], &[]),
    concept(
        Form::Number,
        &["rating", "rating value", "average rating", "stars", "score", "review rating", "bewertung"],
        &["aggregateRating.ratingValue", "reviewRating.ratingValue", "ratingValue"],
        &["product:rating"],
    ),
    concept(
        Form::Number,
        &[
            "review count",
            "rating count",
            "number of reviews",
            "reviews count",
            "num reviews",
            "total reviews",
        ],
        &["aggregateRating.reviewCount", "aggregateRating.ratingCount", "reviewCount", "ratingCount"],
        &[],
    ),
    concept(
        Form::Text,
        &["category", "product category", "section", "article section", "kategorie", "categoría", "genre"],
        &["category.name", "category", "articleSection", "genre"],
        &["product:category", "article:section"],
    ),
    concept(
        Form::Text,
        &["color", "colour", "farbe", "couleur", "colore", "cor", "barva", "kolor", "цвет"],
        &["color"],
        &["product:color"],
    ),
    concept(
        Form::Text,
        &["size", "größe", "taille", "talla", "taglia", "maat", "rozmiar", "veľkosť"],
        &["size", "size.name"],
        &["product:size"],
    ),
    concept(
        Form::Text,
        &["material", "matière", "materiale", "materiał"],
        &["material"],
        &["product:material"],
    ),
    concept(
        Form::Text,
        &["weight", "gewicht", "poids", "peso", "waga", "hmotnosť", "вес"],
        &["weight.value", "weight"],
        &[],
    ),
    concept(
        Form::Text,
        &["condition", "item condition", "zustand", "état", "condizione", "estado"],
        &["itemCondition", "offers.itemCondition"],
        &["product:condition"],
    ),
    concept(
        Form::Text,
        &["author", "author name", "writer", "byline", "written by", "creator", "autor", "auteur", "autore"],
        &["author.name", "author", "creator.name", "creator"],
        &["author", "article:author", "dc.creator"],
    ),
    concept(
        Form::Text,
        &["publisher", "site name", "source", "publication"],
        &["publisher.name", "publisher"],
        &["og:site_name", "dc.publisher"],
    ),
    concept(
        Form::Date,
        &[
            "date published",
            "published",
            "publish date",
            "publication date",
            "published at",
            "published date",
            "date",
            "posted",
            "date posted",
            "pub date",
            "created at",
            "veröffentlicht",
        ],
        &["datePublished", "datePosted", "uploadDate", "dateCreated"],
        &["article:published_time", "og:published_time", "date", "dc.date", "pubdate", "publish-date"],
    ),
    concept(
        Form::Date,
        &["date modified", "modified", "updated", "last updated", "updated at", "last modified"],
        &["dateModified"],
        &["article:modified_time", "og:updated_time"],
    ),
    concept(
        Form::Date,
        &["start date", "event date", "starts", "begin", "start time"],
        &["startDate"],
        &["event:start_time"],
    ),
    concept(
        Form::Date,
        &["end date", "ends", "end time", "deadline", "valid through", "expires"],
        &["endDate", "validThrough"],
        &["event:end_time"],
    ),
    concept(
        Form::Email,
        &["email", "e mail", "mail", "email address", "contact email"],
        &["email", "contactPoint.email"],
        &["og:email", "business:contact_data:email"],
    ),
    concept(
        Form::Phone,
        &[
            "phone",
            "telephone",
            "phone number",
            "tel",
            "telefon",
            "téléphone",
            "teléfono",
            "telefono",
            "mobile",
            "contact number",
        ],
        &["telephone", "contactPoint.telephone"],
        &["og:phone_number", "business:contact_data:phone_number"],
    ),
    concept(
        Form::Text,
        &["seller", "sold by", "merchant", "shop", "seller name", "vendor name", "store"],
        &["offers.seller.name", "seller.name", "offers.offeredBy.name"],
        &[],
    ),
];

/// Names that mean the page's own thing only where nothing but [`OWN`] stands before them.
const VAGUE: [&str; 13] = [
    "url",
    "link",
    "image",
    "picture",
    "photo",
    "name",
    "title",
    "date",
    "text",
    "website",
    "homepage",
    "content",
    "description",
];

/// Words that speak of the page's own thing.
const OWN: [&str; 14] = [
    "product",
    "item",
    "page",
    "article",
    "post",
    "main",
    "primary",
    "full",
    "short",
    "canonical",
    "the",
    "this",
    "listing",
    "offer",
];

/// The concept that a property of a schema means: by its whole name, then by the last words of it, then by a name that its
/// description begins with or holds in full.
pub(crate) fn concept_of(name: &str, description: &str) -> Option<&'static Concept> {
    let name = words(name);
    let ends_in = |known: &str| {
        let known: Vec<&str> = known.split(' ').collect();
        name.len() >= known.len()
            && name.iter().rev().zip(known.iter().rev()).all(|(own, known)| own == known)
    };
    let exact = name.join(" ");
    if let Some(found) = CONCEPTS.iter().find(|concept| concept.names.contains(&exact.as_str())) {
        return Some(found);
    }
    let by_end = CONCEPTS
        .iter()
        .flat_map(|concept| concept.names.iter().map(move |known| (concept, *known)))
        .filter(|(_, known)| known.len() > 2 && ends_in(known))
        .filter(|(_, known)| {
            // `manual url` is another address than the page's, `company name` another name than its title.
            let before = name.len() - known.split(' ').count();
            !VAGUE.contains(known) || name.iter().take(before).all(|word| OWN.contains(&word.as_str()))
        })
        .max_by_key(|(_, known)| known.len());
    if let Some((found, _)) = by_end {
        return Some(found);
    }
    // A schema without telling names: `a1` described as "stock keeping unit".
    let description = format!(" {} ", words(description).join(" "));
    CONCEPTS
        .iter()
        .flat_map(|concept| concept.names.iter().map(move |known| (concept, *known)))
        .filter(|(_, known)| known.contains(' ') && description.contains(&format!(" {known} ")))
        .max_by_key(|(_, known)| known.len())
        .map(|(concept, _)| concept)
}

/// The plainest name of what a property means.
pub(crate) fn concept_name(name: &str) -> Option<&'static str> {
    concept_of(name, "").and_then(|concept| concept.names.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_understood_by_name_and_description() {
        let rows = [
            ("price", "", Some("price")),
            ("currentPrice", "", Some("price")),
            ("total_price", "", Some("price")),
            ("original_price", "", Some("list price")),
            ("productID", "", Some("sku")),
            ("ean", "", Some("gtin")),
            ("manufacturer", "", Some("brand")),
            ("x1", "the manufacturer part number of the tool", Some("mpn")),
            ("favourite_animal", "", None),
            ("manualUrl", "", None),
            ("companyName", "", None),
            ("product_url", "", Some("url")),
        ];
        for (name, description, expected) in rows {
            let found = concept_of(name, description).and_then(|concept| concept.names.first().copied());
            assert_eq!(found, expected, "{name}");
        }
    }
}
