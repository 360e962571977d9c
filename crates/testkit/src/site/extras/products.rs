//! Product pages with structured data in the forms that real shops use.

use super::{Book, ORIGIN, Reply, page};
use crate::site::SiteSpec;
use crate::site::truth::{PathTruth, ProductTruth, Role};

/// The form of the data in the page.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// JSON-LD with one `Product`.
    Plain,
    /// JSON-LD with a `@graph` of several entities and the price in an `AggregateOffer`.
    Graph,
    /// Microdata attributes on the visible text.
    Microdata,
}

/// Last path segment, name, SKU, brand, price, currency; whether it is in stock; form.
const ROWS: [([&str; 6], bool, Form); 6] = [
    (["storm-lantern", "Storm lantern", "LN-1001", "Northgate", "49.90", "EUR"], true, Form::Plain),
    (["brass-compass", "Brass compass", "CP-2040", "Millbank", "129.00", "USD"], true, Form::Plain),
    (["linen-map", "Linen map, 1:25000", "MP-0007", "County Press", "18.50", "GBP"], false, Form::Plain),
    (["oak-bench", "Oak bench", "BN-310", "Northgate", "1249.00", "EUR"], true, Form::Graph),
    (["tin-whistle", "Tin whistle", "TW-88", "Harbour Sound", "9.95", "EUR"], false, Form::Microdata),
    (
        ["wool-blanket", "Wool blanket & pillow", "WB-19", "Loom & Sons", "75.25", "GBP"],
        true,
        Form::Microdata,
    ),
];

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let paths = ROWS.map(|row| format!("/shop/{}", row.0[0]));
    let names = ROWS.map(|row| row.0[1].replace('&', "&amp;"));
    let links: Vec<(&str, &str)> =
        paths.iter().zip(&names).map(|(path, name)| (path.as_str(), name.as_str())).collect();
    book.index("/shop/", "Shop", &links);
    for (([_, name, sku, brand, price, currency], in_stock, form), path) in ROWS.into_iter().zip(paths) {
        let product = ProductTruth {
            path,
            name: name.to_owned(),
            sku: sku.to_owned(),
            brand: brand.to_owned(),
            price: price.to_owned(),
            currency,
            in_stock,
        };
        let sentence =
            format!("The product numbered {sku} is made by hand in the county and sent out within a week.");
        let reply = Reply::html(render(&product, form, &sentence));
        let mut truth = PathTruth::new(&product.path, Role::Document);
        truth.title.clone_from(&product.name);
        truth.sentences = vec![sentence];
        book.add(truth, reply);
        book.truth.products.push(product);
    }
}

fn render(product: &ProductTruth, form: Form, sentence: &str) -> String {
    let ProductTruth { path, name, sku, brand, price, currency, in_stock } = product;
    let availability = if *in_stock { "https://schema.org/InStock" } else { "https://schema.org/OutOfStock" };
    let stock = if *in_stock { "In stock" } else { "Sold out" };
    let name_html = name.replace('&', "&amp;");
    let brand_html = brand.replace('&', "&amp;");
    let data = match form {
        Form::Plain => format!(
            "{{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"{name}\",\"sku\":\"{sku}\",\
             \"url\":\"{ORIGIN}{path}\",\"brand\":{{\"@type\":\"Brand\",\"name\":\"{brand}\"}},\
             \"offers\":{{\"@type\":\"Offer\",\"price\":\"{price}\",\"priceCurrency\":\"{currency}\",\
             \"availability\":\"{availability}\"}}}}"
        ),
        Form::Graph => format!(
            "{{\"@context\":\"https://schema.org\",\"@graph\":[{{\"@type\":\"BreadcrumbList\",\"itemListElement\":[]}},\
             {{\"@type\":[\"Product\",\"Thing\"],\"name\":\"{name}\",\"sku\":\"{sku}\",\"brand\":\"{brand}\",\
             \"offers\":{{\"@type\":\"AggregateOffer\",\"lowPrice\":{price},\"highPrice\":{price},\
             \"priceCurrency\":\"{currency}\",\"availability\":\"{availability}\"}}}}]}}"
        ),
        Form::Microdata => String::new(),
    };
    if !data.is_empty() {
        let head = format!("<script type=\"application/ld+json\">\n{data}\n</script>\n");
        let article = format!(
            "<h1>{name_html}</h1>\n<p class=\"price\">{currency} {price}</p>\n<p>{stock}, from {brand_html}.</p>\n<p>{sentence}</p>\n"
        );
        return page(&name_html, path, &head, &article, &[("/shop/", "Back to the shop")]);
    }
    let article = format!(
        "<div itemscope itemtype=\"https://schema.org/Product\">\n<h1 itemprop=\"name\">{name_html}</h1>\n\
         <meta itemprop=\"sku\" content=\"{sku}\">\n\
         <p>From <span itemprop=\"brand\" itemscope itemtype=\"https://schema.org/Brand\"><span itemprop=\"name\">{brand_html}</span></span></p>\n\
         <div itemprop=\"offers\" itemscope itemtype=\"https://schema.org/Offer\">\n\
         <meta itemprop=\"priceCurrency\" content=\"{currency}\"><span itemprop=\"price\" content=\"{price}\">{price}</span> {currency}\n\
         <link itemprop=\"availability\" href=\"{availability}\">{stock}\n</div>\n<p>{sentence}</p>\n</div>\n"
    );
    page(&name_html, path, "", &article, &[("/shop/", "Back to the shop")])
}
