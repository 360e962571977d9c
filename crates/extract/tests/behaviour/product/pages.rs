//! Product pages with their expected values, one row per notation or shop habit.

/// A description of a page, the page, and the expected values as JSON; null if nothing may be read.
pub(super) type Row = (&'static str, &'static str, &'static str);

pub(super) const PAGES: &[Row] = &[
    // Structured data.
    (
        "JSON-LD with one offer",
        r#"<title>Red cup</title><h1>Red cup</h1><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product",
        "name":"Red cup","sku":"RC-204","gtin13":"4006381333931","mpn":"X-77","brand":{"@type":"Brand","name":"Acme"},
        "offers":{"@type":"Offer","price":"24.90","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>"#,
        r#"{"name":"Red cup","price":24.9,"currency":"EUR","sku":"RC-204","brand":"Acme","availability":"InStock","gtin":"4006381333931","mpn":"X-77"}"#,
    ),
    (
        "JSON-LD with a list of offers of one price",
        r#"<h1>Red cup</h1><script type="application/ld+json">[{"@type":"Product","name":"Red cup","offers":[
        {"@type":"Offer","sku":"RC-1","price":19,"priceCurrency":"USD","availability":"OutOfStock"},
        {"@type":"Offer","sku":"RC-2","price":19,"priceCurrency":"USD","availability":"InStock"}]}]</script>"#,
        r#"{"price":19,"currency":"USD","availability":"InStock"}"#,
    ),
    (
        "JSON-LD with an AggregateOffer",
        r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"Product","name":"Red cup","offers":{"@type":"AggregateOffer",
        "lowPrice":"12.50","highPrice":"19.00","priceCurrency":"GBP","offerCount":4,"availability":"http://schema.org/InStock"}}</script>"#,
        r#"{"price":12.5,"currency":"GBP","availability":"InStock"}"#,
    ),
    (
        "JSON-LD with an AggregateOffer that holds its offers",
        r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"Product","name":"Red cup","offers":{"@type":"AggregateOffer",
        "offers":[{"@type":"Offer","price":"31.00","priceCurrency":"CHF","availability":"https://schema.org/SoldOut"}]}}</script>"#,
        r#"{"price":31,"currency":"CHF","availability":"OutOfStock"}"#,
    ),
    (
        "JSON-LD graph whose parts refer to each other",
        r##"<title>Red cup - Shop</title><h1>Red cup</h1><script type="application/ld+json">{"@context":"https://schema.org","@graph":[
        {"@type":"WebSite","@id":"https://shop.example/#site","name":"Shop"},{"@type":"Organization","@id":"#org","name":"Shop Ltd"},
        {"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Kitchen"}]},
        {"@type":"Product","@id":"#p","name":"Red cup","sku":"88-104","brand":{"@id":"#b"},"offers":{"@id":"#o"}},
        {"@type":"Brand","@id":"#b","name":"Acme"},
        {"@type":"Offer","@id":"#o","price":"7.00","priceCurrency":"EUR","availability":"https://schema.org/PreOrder"}]}</script>"##,
        r#"{"name":"Red cup","price":7,"sku":"88-104","brand":"Acme","availability":"InStock"}"#,
    ),
    (
        "JSON-LD group of variants",
        r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"ProductGroup","name":"Red cup","productGroupID":"RC","brand":{"@type":"Brand","name":"Acme"},
        "variesBy":["https://schema.org/size"],"hasVariant":[
        {"@type":"Product","sku":"RC-S","name":"Red cup, small","size":"S","offers":{"@type":"Offer","price":"15.00","priceCurrency":"EUR","availability":"https://schema.org/OutOfStock"}},
        {"@type":"Product","sku":"RC-L","name":"Red cup, large","size":"L","offers":{"@type":"Offer","price":"15.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}]}</script>"#,
        r#"{"name":"Red cup","price":15,"currency":"EUR","brand":"Acme","availability":"InStock"}"#,
    ),
    (
        "JSON-LD with a price specification that names a struck price too",
        r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"Product","name":"Red cup","offers":{"@type":"Offer","availability":"InStock",
        "priceSpecification":[{"@type":"UnitPriceSpecification","priceType":"https://schema.org/StrikethroughPrice","price":20.00,"priceCurrency":"EUR"},
        {"@type":"UnitPriceSpecification","price":14.50,"priceCurrency":"EUR"}]}}</script>"#,
        r#"{"price":14.5,"currency":"EUR"}"#,
    ),
    (
        "JSON-LD of the page and of things beside it",
        r#"<title>Red cup</title><h1>Red cup</h1><script type="application/ld+json">[{"@type":"Product","name":"Blue pot","sku":"BP-1","offers":{"price":"99.00","priceCurrency":"EUR"}},
        {"@type":"Product","name":"Red cup","sku":"RC-9","offers":{"price":"9.00","priceCurrency":"EUR"}},
        {"@type":"Product","name":"Green pan","sku":"GP-1","offers":{"price":"59.00","priceCurrency":"EUR"}}]</script>"#,
        r#"{"price":9,"sku":"RC-9"}"#,
    ),
    (
        "JSON-LD with comments, raw line ends and a comma too many",
        "<h1>Red cup</h1><script type='application/ld+json'>\n<!--\n{ \"@type\": \"Product\", \"name\": \"Red cup\",\n \"description\": \"two\nlines\", // note\n \"offers\": { \"price\": \"11,90\", \"priceCurrency\": \"EUR\", }, }\n--></script>",
        r#"{"price":11.9,"currency":"EUR"}"#,
    ),
    (
        "Microdata",
        r#"<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Red cup</h1><span itemprop="brand" itemscope itemtype="http://schema.org/Brand"><span itemprop="name">Acme</span></span>
        <span itemprop="sku">RC 204</span><meta itemprop="mpn" content="M-5"><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
        <span itemprop="price" content="1299.00">€ 1.299,00</span><meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="http://schema.org/OutOfStock"></div></div>"#,
        r#"{"name":"Red cup","price":1299,"currency":"EUR","brand":"Acme","sku":"RC 204","mpn":"M-5","availability":"OutOfStock"}"#,
    ),
    (
        "Microdata whose price is written for people",
        r#"<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Red cup</h1><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
        <span itemprop="price">1.299,00 €</span></div></div>"#,
        r#"{"price":1299}"#,
    ),
    (
        "RDFa Lite",
        r#"<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Red cup</h1><span property="brand">Acme</span><span property="sku">RC204</span>
        <div property="offers" typeof="Offer"><span property="price" content="8.5">£8.50</span><meta property="priceCurrency" content="GBP"><link property="availability" href="https://schema.org/InStock"></div></div>"#,
        r#"{"name":"Red cup","price":8.5,"currency":"GBP","brand":"Acme","sku":"RC204","availability":"InStock"}"#,
    ),
    (
        "Open Graph",
        r#"<head><meta property="og:type" content="product"><meta property="og:title" content="Red cup"><meta property="product:price:amount" content="64.00">
        <meta property="product:price:currency" content="CAD"><meta property="product:availability" content="oos"><meta property="product:brand" content="Acme">
        <meta property="product:retailer_item_id" content="771204"></head><h1>Red cup</h1>"#,
        r#"{"price":64,"currency":"CAD","brand":"Acme","sku":"771204","availability":"OutOfStock"}"#,
    ),
    (
        "Open Graph with a sale price",
        r#"<head><meta property="product:price:amount" content="64.00"><meta property="product:price:currency" content="EUR">
        <meta property="product:sale_price:amount" content="48.00"><meta property="product:sale_price:currency" content="EUR"></head><h1>Red cup</h1>"#,
        r#"{"price":48,"currency":"EUR"}"#,
    ),
    (
        "A card's labels behind their data",
        r#"<head><meta name="twitter:data1" content="€344.00"><meta name="twitter:label1" content="Price"><meta name="twitter:data2" content="Acme"><meta name="twitter:label2" content="Brand"></head><h1>Red cup</h1>"#,
        r#"{"price":344,"brand":"Acme"}"#,
    ),
    // State in scripts.
    (
        "State of a page's framework",
        r#"<h1>Red cup</h1><script id="__DATA__" type="application/json">{"props":{"pageProps":{"product":{"id":"99120","name":"Red cup","brand":"Acme",
        "price":{"value":39.95,"currency":"EUR"},"stockStatus":"in stock","ean":"4006381333931"},"related":[{"id":"1","name":"Blue pot","brand":"Zed","price":{"value":99,"currency":"EUR"}}]}}}</script>"#,
        r#"{"price":39.95,"currency":"EUR","brand":"Acme","gtin":"4006381333931"}"#,
    ),
    (
        "State with prices in cents and the price shown",
        r#"<h1>Red cup</h1><p class="product__price">$24.00</p><script>var meta = {"product":{"id":6571,"vendor":"Acme","title":"Red cup","variants":[{"id":4471,"price":2400,"name":"Red cup","sku":"RC-24"}]}};</script>"#,
        r#"{"price":24,"brand":"Acme"}"#,
    ),
    (
        "A data layer for analytics",
        r#"<title>Red cup</title><h1>Red cup</h1><script>dataLayer.push({'event':'view_item','ecommerce':{'currency':'EUR','items':[{'item_id':'RC-204','item_name':'Red cup','item_brand':'Acme','price':24.9}]}});</script><p>24,90 €</p>"#,
        r#"{"price":24.9,"sku":"RC-204","brand":"Acme"}"#,
    ),
    (
        "Options of a shop's script",
        r#"<h1>Red cup</h1><div class="price-box"><span class="price-wrapper" data-price-amount="59.9" data-price-type="finalPrice"><span class="price">59,90 €</span></span>
        <span class="old-price"><span data-price-amount="79.9" data-price-type="oldPrice"><span class="price">79,90 €</span></span></span></div>
        <script type="text/x-init">{"[data-role=priceBox]":{"priceBox":{"priceConfig":{"productId":"55","prices":{"oldPrice":{"amount":79.9},"finalPrice":{"amount":59.9}}}}}}</script>"#,
        r#"{"price":59.9,"currency":"€"}"#,
    ),
    // Visible text.
    (
        "A price whose marks say nothing",
        r#"<title>Red cup | Shop</title><header><a href="/cart">Cart <span>0,00 €</span></a></header><div class="a1x"><h1 class="b2y">Red cup</h1><div class="c3z"><span class="d4q">24,90 €</span></div><button class="e5w">In den Warenkorb</button></div>"#,
        r#"{"price":24.9,"currency":"€","availability":"InStock"}"#,
    ),
    (
        "A price beside a struck one, without marks",
        r#"<h1>Red cup</h1><div><strike>64.27 €</strike> <span style="font-size:10pt">43.97 €</span> <span>(-32%)</span></div>"#,
        r#"{"price":43.97,"currency":"€"}"#,
    ),
    (
        "A price beside the one before, told by a word",
        r#"<h1>Rote Tasse</h1><div class="q1"><span class="q2">-50%</span><span class="q3"><span>statt</span> 4.50</span> <span class="q4">CHF 2.25</span></div>"#,
        r#"{"price":2.25,"currency":"CHF"}"#,
    ),
    (
        "A struck price that structured data still names",
        r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"Product","name":"Red cup","offers":{"price":"219.99","priceCurrency":"EUR"}}</script>
        <div class="price-block"><span class="original-price"><del>EUR 219.99</del></span> <span class="current-price">EUR 110.00</span></div>"#,
        r#"{"price":110,"currency":"EUR"}"#,
    ),
    (
        "The lowest price of thirty days beside the price",
        r#"<h1>Czerwony kubek</h1><p class="x">89,99 zł</p><p>Najniższa cena z 30 dni przed obniżką: 79,99 zł</p><p><s>119,99 zł</s></p><button>Dodaj do koszyka</button>"#,
        r#"{"price":89.99,"currency":"zł","availability":"InStock"}"#,
    ),
    (
        "De and por",
        r#"<h1>Caneca vermelha</h1><div>De: R$ 129,90</div><div>Por: R$ 99,90</div><div>ou 3x de R$ 33,30 sem juros</div><button>Comprar</button>"#,
        r#"{"price":99.9,"currency":"R$","availability":"InStock"}"#,
    ),
    (
        "Instalments in front of the price",
        r#"<h1>Red cup</h1><div class="plan">4 payments of $30.00</div><div class="sum">$120.00</div><button>Add to cart</button>"#,
        r#"{"price":120,"currency":"$"}"#,
    ),
    (
        "A price by the kilogram beside the price",
        r#"<h1>Coffee</h1><div><span class="unit">29,80 € / kg</span> <span class="main">14,90 €</span></div>"#,
        r#"{"price":14.9,"currency":"€"}"#,
    ),
    (
        "A price without tax beside the price",
        r#"<h1>Red cup</h1><div class="price"><span class="price-excl">€ 20,00 excl. btw</span><span class="price-incl">€ 24,20</span></div><button>In winkelwagen</button>"#,
        r#"{"price":24.2,"currency":"€"}"#,
    ),
    (
        "Prices of related things",
        r#"<h1>Red cup</h1><div class="p"><span class="price">€ 12,00</span></div><ul class="grid"><li class="card"><a href="/a">Pot A</a><span class="price">€ 7,00</span></li>
        <li class="card"><a href="/b">Pot B</a><span class="price">€ 7,00</span></li><li class="card"><a href="/c">Pot C</a><span class="price">€ 7,00</span></li><li class="card"><a href="/d">Pot D</a><span class="price">€ 7,00</span></li></ul>"#,
        r#"{"price":12,"currency":"€"}"#,
    ),
    (
        "Nothing but prices of related things",
        r#"<h1>Red cup</h1><p>Discontinued</p><ul class="grid"><li class="card"><a href="/a">Pot A</a><span class="price">€ 7,00</span></li>
        <li class="card"><a href="/b">Pot B</a><span class="price">€ 8,00</span></li><li class="card"><a href="/c">Pot C</a><span class="price">€ 9,00</span></li></ul>"#,
        r#"{"price":null,"availability":"OutOfStock"}"#,
    ),
    (
        "A cart's total above",
        r#"<div class="minicart"><span class="price">€ 0,00</span> <span class="total">Total € 55,00</span></div><h1>Red cup</h1><p class="price">€ 12,00</p>"#,
        r#"{"price":12}"#,
    ),
    (
        "Free delivery from a sum",
        r#"<h1>Red cup</h1><p>Free delivery on orders over £50</p><p class="amount">£18.00</p><p>Delivery £4.95</p>"#,
        r#"{"price":18,"currency":"£"}"#,
    ),
    (
        "Only what delivery costs",
        r#"<h1>Red cup</h1><p>Delivery: £4.95</p><p>Free delivery over £50</p><p>Call us for a quote.</p>"#,
        r#"{"price":null}"#,
    ),
    (
        "A range of prices",
        r#"<h1>Red cup</h1><p class="price">$12.00 – $19.00</p><button>Add to cart</button>"#,
        r#"{"currency":"$","availability":"InStock"}"#,
    ),
    (
        "From a price",
        r#"<h1>Red cup</h1><p class="price">from <b>£12.00</b></p>"#,
        r#"{"price":12,"currency":"£"}"#,
    ),
    (
        "A sum that is about so much in another currency",
        r#"<h1>Red cup</h1><div class="price">GBP 1.99</div><div class="converted price">Approximately <span class="price">US $2.66</span></div>"#,
        r#"{"price":1.99,"currency":"GBP"}"#,
    ),
    (
        "Cents in an element of their own",
        r#"<h1>Red cup</h1><p class="price"><span class="sign">€</span><span class="whole">24</span><sup>90</sup></p>"#,
        r#"{"price":24.9,"currency":"€"}"#,
    ),
    (
        "Cents in an element of their own, with a comma and a hidden copy",
        r#"<h1>Red cup</h1><p class="price"><span hidden>1.299,50 €</span><span>1.299</span><span>,</span><sup>50</sup> <span>€</span></p>"#,
        r#"{"price":1299.5,"currency":"€"}"#,
    ),
    // Notations of amounts.
    ("Comma and point", r#"<h1>Red cup</h1><p class="price">1.234,56 €</p>"#, r#"{"price":1234.56}"#),
    (
        "Apostrophe",
        r#"<h1>Red cup</h1><p class="price">CHF 1’234.50</p>"#,
        r#"{"price":1234.5,"currency":"CHF"}"#,
    ),
    ("Thin space", "<h1>Red cup</h1><p class=\"price\">1\u{202f}234,50\u{a0}€</p>", r#"{"price":1234.5}"#),
    (
        "Space and crowns",
        r#"<h1>Červený hrnek</h1><p class="price">12 990 Kč</p>"#,
        r#"{"price":12990,"currency":"Kč"}"#,
    ),
    ("Lakhs", r#"<h1>Red cup</h1><p class="price">₹1,24,999.00</p>"#, r#"{"price":124999,"currency":"₹"}"#),
    (
        "Yen",
        r#"<h1>赤いカップ</h1><p class="price">¥12,800 (税込)</p><button>カートに入れる</button>"#,
        r#"{"price":12800,"currency":"¥","availability":"InStock"}"#,
    ),
    (
        "Yen behind",
        r#"<h1>赤いカップ</h1><p class="price">12,800円（税込）</p><p>在庫あり</p>"#,
        r#"{"price":12800,"currency":"円","availability":"InStock"}"#,
    ),
    (
        "Won",
        r#"<h1>빨간 컵</h1><p class="price">12,800원</p><p>품절</p>"#,
        r#"{"price":12800,"currency":"원","availability":"OutOfStock"}"#,
    ),
    (
        "Whole sum with a dash",
        r#"<h1>Röd kopp</h1><p class="price">249:-</p><p class="x">249,- kr</p>"#,
        r#"{"price":249}"#,
    ),
    (
        "Roubles",
        r#"<h1>Красная чашка</h1><p class="price">1 299 ₽</p><p>Нет в наличии</p>"#,
        r#"{"price":1299,"currency":"₽","availability":"OutOfStock"}"#,
    ),
    (
        "Pesos without cents",
        r#"<h1>Taza roja</h1><p class="price">$ 24.990</p><p>Agotado</p>"#,
        r#"{"price":24990,"currency":"$","availability":"OutOfStock"}"#,
    ),
    (
        "Forints",
        r#"<h1>Piros csésze</h1><p class="price">4 990 Ft</p><button>Kosárba</button>"#,
        r#"{"price":4990,"currency":"Ft","availability":"InStock"}"#,
    ),
    // Labels of identifiers.
    (
        "Article number, maker's number and barcode",
        r#"<h1>Rote Tasse</h1><p class="price">24,90 €</p><table><tr><td>Artikelnummer</td><td>48-2211</td></tr><tr><td>Herstellernummer</td><td>ZX 900</td></tr><tr><td>EAN</td><td>4006381333931</td></tr><tr><td>Hersteller</td><td>Acme GmbH</td></tr></table>"#,
        r#"{"sku":"48-2211","mpn":"ZX 900","gtin":"4006381333931","brand":"Acme GmbH"}"#,
    ),
    (
        "A barcode at the end of a sentence",
        r#"<h1>Red cup</h1><ul><li>Weight 200g.</li><li>EAN: 4006381333931.</li></ul>"#,
        r#"{"gtin":"4006381333931"}"#,
    ),
    (
        "Labels on one line",
        r#"<h1>Red cup</h1><p>SKU: RC-204 | Brand: Acme | MPN: X77-1</p>"#,
        r#"{"sku":"RC-204","brand":"Acme","mpn":"X77-1"}"#,
    ),
    (
        "Labels in elements of their own",
        r#"<h1>Tasse rouge</h1><div class="spec"><span>Référence</span><span>TR-4412</span></div><div class="spec"><span>Marque</span><span>Acme</span></div><div class="spec"><span>Code-barres</span><span>4006381333931</span></div>"#,
        r#"{"sku":"TR-4412","brand":"Acme","gtin":"4006381333931"}"#,
    ),
    ("A wrong barcode", r#"<h1>Red cup</h1><dl><dt>EAN</dt><dd>4006381333932</dd></dl>"#, r#"{"gtin":null}"#),
    (
        "An age that the maker recommends",
        r#"<h1>Tazza rossa</h1><table><tr><td>Età consigliata dal produttore</td><td>3 anni e più</td></tr></table>"#,
        r#"{"brand":null}"#,
    ),
    // Stock in words.
    (
        "Out of stock in English",
        r#"<h1>Red cup</h1><p class="price">£5</p><p>Sorry, this item is out of stock</p><button disabled>Add to cart</button>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in German",
        r#"<h1>Rote Tasse</h1><p class="price">5 €</p><p class="stock">Derzeit nicht verfügbar</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in French",
        r#"<h1>Tasse rouge</h1><p class="price">5 €</p><p>Rupture de stock</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Spanish",
        r#"<h1>Taza roja</h1><p class="price">5 €</p><p>Producto agotado</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Italian",
        r#"<h1>Tazza rossa</h1><p class="price">5 €</p><p>Non disponibile</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Polish",
        r#"<h1>Czerwony kubek</h1><p class="price">5 zł</p><p>Produkt niedostępny</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Dutch",
        r#"<h1>Rode beker</h1><p class="price">€ 5,00</p><p>Uitverkocht</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Portuguese",
        r#"<h1>Caneca vermelha</h1><p class="price">R$ 5,00</p><p>Produto esgotado</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Swedish",
        r#"<h1>Röd kopp</h1><p class="price">50 kr</p><p>Slut i lager</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Turkish",
        r#"<h1>Kırmızı fincan</h1><p class="price">50 TL</p><p>Tükendi</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Czech",
        r#"<h1>Červený hrnek</h1><p class="price">50 Kč</p><p>Momentálně vyprodáno</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "Out of stock in Chinese",
        r#"<h1>红杯子</h1><p class="price">￥50</p><p>缺货</p>"#,
        r#"{"availability":"OutOfStock"}"#,
    ),
    (
        "A size that is sold out of a thing that is not",
        r#"<h1>Red shirt</h1><p class="price">£5</p><select><option>S - sold out</option><option>M</option></select><p>In stock</p><button>Add to basket</button>"#,
        r#"{"availability":"InStock"}"#,
    ),
    // Not a product.
    (
        "An article that names sums",
        r#"<h1>Cups get dearer</h1><p>The price of cups rose from 5 € to 7 € last year, and makers expect 9 € soon. A cup of coffee at the market square already costs 4 €.</p>"#,
        r#"{"price":null,"sku":null,"gtin":null}"#,
    ),
    // Written after the rules were fixed, to measure what they miss.
    (
        "A tile shop that sells by the square metre",
        r##"<h1>Bodenfliese grau</h1><div class="pdp-price">29,95 € / m²</div><div>Paketpreis: <b>43,13 €</b></div><p>Sofort lieferbar</p>"##,
        r##"{"currency":"€","availability":"InStock"}"##,
    ),
    (
        "A book with an ISBN",
        r##"<h1>The Red Cup</h1><div itemscope itemtype="https://schema.org/Book"><span itemprop="name">The Red Cup</span><meta itemprop="isbn" content="9780306406157"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="9.99"><meta itemprop="priceCurrency" content="USD"></div></div>"##,
        r##"{"name":"The Red Cup","price":9.99,"currency":"USD","gtin":"9780306406157"}"##,
    ),
    (
        "A members' price behind the price",
        r##"<title>Red cup</title><h1>Red cup</h1><div class="aa"><span>£12.00</span></div><div class="bb"><span>Members pay £10.00</span></div><button>Add to trolley</button>"##,
        r##"{"price":12,"currency":"£","availability":"InStock"}"##,
    ),
    (
        "A finance offer beside the price",
        r##"<h1>Sofa</h1><p class="product-price">£1,299.00</p><p class="finance-price">or £36.08 per month</p><p>Deposit £0</p>"##,
        r##"{"price":1299,"currency":"£"}"##,
    ),
    (
        "Prices for amounts",
        r##"<h1>Schraube M6</h1><table><tr><th>ab Menge</th><th>Preis</th></tr><tr><td>1</td><td>0,95 €</td></tr><tr><td>10</td><td>0,85 €</td></tr><tr><td>100</td><td>0,70 €</td></tr></table><p class="price">0,95 €</p>"##,
        r##"{"price":0.95,"currency":"€"}"##,
    ),
    (
        "An attribute for the currency and one for the price",
        r##"<h1>Red cup</h1><div class="buybox" data-price="45.50" data-currency="EUR" data-sku="BX-4550"></div><button>Ajouter au panier</button>"##,
        r##"{"price":45.5,"currency":"EUR","sku":"BX-4550","availability":"InStock"}"##,
    ),
    (
        "A sold used thing",
        r##"<h1>Red cup, used</h1><div class="status">SOLD OUT</div><div class="price">€ 20</div>"##,
        r##"{"price":20,"availability":"OutOfStock"}"##,
    ),
    (
        "Arabic digits",
        "<h1>كوب أحمر</h1><p class=\"price\">١٢٩٫٥٠ ر.س</p><p>غير متوفر</p>",
        r##"{"price":129.5,"currency":"ر.س","availability":"OutOfStock"}"##,
    ),
    (
        "A hidden template beside the price",
        r##"<h1>Red cup</h1><template><span class="price">$99.00</span></template><span class="price" style="display:none">$88.00</span><span class="price">$12.00</span>"##,
        r##"{"price":12}"##,
    ),
    (
        "A price before the name",
        r##"<title>Red cup at the shop</title><div class="x1"><span class="x2">$18.50</span></div><h1 class="x3">Red cup</h1><p>A cup that is red.</p>"##,
        r##"{"price":18.5,"currency":"$"}"##,
    ),
    (
        "A range without signs at its start",
        r##"<h1>Red cup</h1><p class="price">12,00 – 19,00 €</p>"##,
        r##"{"price":12,"currency":"€"}"##,
    ),
    (
        "Old and new without a space",
        r##"<h1>Red cup</h1><p class="price"><del>$30.00</del><ins>$21.00</ins></p>"##,
        r##"{"price":21,"currency":"$"}"##,
    ),
    (
        "Shipping time in stock's place",
        r##"<meta property="og:type" content="product"><h1>Rote Tasse</h1><p class="price">5,00 €</p><p class="delivery">Lieferzeit: 2-3 Werktage</p>"##,
        r##"{"price":5,"availability":"InStock"}"##,
    ),
    (
        "A list of specifications in a list",
        r##"<h1>Red cup</h1><ul class="specs"><li><strong>Brand:</strong> Acme</li><li><strong>Model:</strong> RC-9</li><li><strong>Item #:</strong> 120934</li><li><strong>UPC:</strong> 036000291452</li></ul>"##,
        r##"{"brand":"Acme","mpn":"RC-9","sku":"120934","gtin":"036000291452"}"##,
    ),
];
