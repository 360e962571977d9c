//! Things for sale.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Price,
        names: "price, current price, sale price, final price, our price, special price, selling price, \
            offer price, product price, price value, price amount, buy price, now price, ticket price, \
            unit price, course fee, tuition, tuition fee, entry fee, entrance fee, admission fee, \
            admission price, preis, aktueller preis, verkaufspreis, kaufpreis, eintrittspreis, \
            ticketpreis, prix, prix de vente, prix actuel, precio, precio actual, precio de venta, prezzo, \
            prezzo di vendita, preço, preço de venda, prijs, verkoopprijs, cena, pris, hinta, cena brutto, \
            cena s dph, цена, ціна, τιμή, 価格, 販売価格, 税込価格, 値段, 价格, 售价, 價格, 售價, 가격, \
            판매가, מחיר, السعر, سعر, ár, fiyat, satış fiyatı, preț, cijena, kaina",
        labels: "admission, eintritt, tarif, entrada, inträde, entré, ingresso, toegang, vstupné, wstęp, \
            bilety, вход, билет, 料金, 票价, 입장료",
        paths: "offers.price, offers.lowPrice, offers.priceSpecification.price, offers.offers.price, \
            hasVariant.offers.price, price, lowPrice, priceSpecification.price",
        metas: "product:sale_price:amount, product:price:amount, og:price:amount, product:price, og:price, \
            price, twitter:data:price",
        ..ROW
    },
    Row {
        form: ValueForm::Currency,
        names: "currency, price currency, currency code, currency symbol, salary currency, währung, \
            moneda, moeda, valuta, waluta, měna, pénznem, monedă, валюта, νόμισμα, para birimi, 通貨, \
            货币, 貨幣, 통화, العملة, מטבע",
        labels: "mena, devise",
        paths: "offers.priceCurrency, offers.priceSpecification.priceCurrency, \
            offers.offers.priceCurrency, hasVariant.offers.priceCurrency, priceCurrency, \
            baseSalary.currency",
        metas: "product:price:currency, og:price:currency, product:sale_price:currency",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "sku, product id, product code, product number, product no, item id, item number, item no, \
            item code, article number, article no, article id, article code, asin, catalogue number, \
            catalog number, cat no, stock code, stock number, stock no, reference, reference number, \
            prod id, pid, offer id, ad id, ad no, adid, adno, nr ref, numer referencyjny, ref number, \
            listing id, listing number, post id, artikelnummer, artikel nr, artikelcode, art nr, art no, \
            bestellnummer, artikelnr, produktnummer, produktkode, varenummer, varenr, tuotenumero, \
            tuotekoodi, référence, référence produit, référence interne, réf, code article, code produit, referencia, \
            número de artículo, referência, cod art, codice articolo, codice prodotto, código de producto, \
            código do produto, productcode, productnummer, bestelnummer, id, kód produktu, kód tovaru, \
            číslo produktu, kod produktu, numer katalogowy, katalogové číslo, cikkszám, termékkód, \
            cod produs, šifra, šifra izdelka, artikul, артикул, код товара, код товару, код продукта, \
            каталожен номер, κωδικός προϊόντος, ürün kodu, stok kodu, 品番, 商品番号, 商品コード, 型番, \
            商品编号, 货号, 商品編號, 貨號, 상품번호, 제품번호, 상품코드, מק ט, מקט, رقم المنتج, \
            رمز المنتج, رقم القطعة, insertion number, anzeigennummer, produkta kods, preces kods, \
            prekės kodas, tootekood, šifra proizvoda, kataloški broj, kode produk, mã sản phẩm",
        labels: "item, article, item ref, cod, ref, код, κωδικός, kód, código, codice, арт, artikel, kod",
        paths: "sku, productID, offers.sku, identifier, @id",
        metas: "product:retailer_item_id, sku, product:sku, product_id, og:sku, product:retailer_part_no",
        ..ROW
    },
    Row {
        form: ValueForm::Gtin,
        names: "gtin, gtin13, gtin12, gtin8, gtin14, ean, ean13, ean code, upc, barcode, isbn, jan, \
            ean kód, kod ean, código ean, ean 13, ean 8, gtin 13, gtin 14, gtin ean, ean gtin, ean upc, \
            upc ean, upc code, ean nummer, ean number, gtin number, bar code, code barres, code barre, \
            code à barres, código de barras, codice a barre, strichcode, streepjescode, streckkod, \
            stregkode, strekkode, viivakoodi, čárový kód, čiarový kód, kod kreskowy, vonalkód, \
            cod de bare, баркод, штрихкод, штрих код, γραμμωτός κώδικας, barkod, isbn 13, isbn13, isbn 10, \
            isbn10, isbn number, isbn nummer, issn, janコード, 条形码, 條碼, 바코드, ברקוד, الباركود",
        paths: "gtin13, gtin, gtin12, gtin8, gtin14, offers.gtin13, isbn, offers.gtin, workExample.isbn, \
            productID, identifier",
        metas: "product:ean, product:upc, product:isbn, product:gtin, books:isbn, book:isbn, citation_isbn",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "mpn, manufacturer part number, part number, part no, manufacturer number, \
            manufacturer code, manufacturer sku, model number, model no, model code, item model number, \
            herstellernummer, herstellerartikelnummer, hersteller artikelnummer, modellnummer, \
            référence fabricant, référence constructeur, número de modelo, numero modello, \
            codice produttore, código del fabricante, código do fabricante, fabrikantcode, modelnummer, \
            tillverkarens artikelnummer, valmistajan tuotenumero, kód výrobcu, kód výrobce, \
            numer katalogowy producenta, kod producenta, gyártói cikkszám, cod producător, \
            код производителя, номер модели, код виробника, κωδικός κατασκευαστή, üretici kodu, \
            メーカー型番, 型號, 모델번호, 型号, מספר דגם, رقم الموديل",
        labels: "part, modelo, model, modell, modèle, modello, модель, mfr, mfr no, mfr part no, \
            mfg part number",
        paths: "mpn, offers.mpn, model.name, model",
        metas: "product:mfr_part_no",
        ..ROW
    },
    Row {
        names: "model, model name, product model, modell, modellbezeichnung, modèle, modelo, modello, \
            модель, модел, malli, μοντέλο, モデル, 機種, 모델, 모델명, דגם, الموديل",
        paths: "model.name, model, vehicleModel, isVariantOf.name",
        ..ROW
    },
    Row {
        names: "brand, brand name, item brand, product brand, manufacturer, maker, make, marke, \
            hersteller, marque, fabricant, marca, fabricante, produttore, casa produttrice, merk, \
            fabrikant, märke, tillverkare, varumärke, mærke, merke, produsent, producent, merkki, \
            tuotemerkki, valmistaja, marka, značka, výrobca, výrobce, márka, gyártó, brend, proizvođač, \
            proizvajalec, blagovna znamka, producător, бренд, производитель, производител, виробник, \
            марка, μάρκα, κατασκευαστής, üretici, 品牌, 厂商, 製造商, 制造商, ブランド, メーカー, 브랜드, \
            제조사, מותג, יצרן, العلامة التجارية, الماركة, الشركة المصنعة, vendor, zīmols, ražotājs",
        paths: "brand.name, brand, manufacturer.name, manufacturer, offers.itemOffered.brand",
        metas: "product:brand, og:brand, brand",
        ..ROW
    },
    Row {
        form: ValueForm::Availability,
        names: "availability, stock, stock status, in stock, is available, available, inventory status, \
            availability status, verfügbarkeit, lieferbarkeit, lagerbestand, disponibilité, \
            disponibilidad, disponibilità, disponibilidade, beschikbaarheid, voorraad, lagerstatus, \
            tillgänglighet, tilgængelighed, tilgjengelighet, saatavuus, varastotilanne, dostupnosť, \
            dostupnost, dostępność, elérhetőség, készlet, disponibilitate, наличие, наличност, наявність, \
            διαθεσιμότητα, stok durumu, dobavljivost, zaloga, 在庫, 在庫状況, 库存, 庫存, 재고, 재고상태, \
            זמינות, מלאי, التوفر, حالة التوفر",
        labels: "skladem, stok, stoc, sklad",
        paths: "offers.availability, offers.offers.availability, availability, \
            hasVariant.offers.availability",
        metas: "product:availability, og:availability",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "list price, regular price, original price, old price, was price, price before, \
            previous price, price before discount, strike price, rrp, msrp, uvp, retail price, \
            recommended price, recommended retail price, suggested retail price, listenpreis, alter preis, \
            unverbindliche preisempfehlung, prix conseillé, prix barré, ancien prix, prix public, \
            precio original, precio anterior, precio recomendado, prezzo di listino, prezzo originale, \
            prezzo consigliato, preço original, preço antigo, adviesprijs, oude prijs, ordinarie pris, \
            rekommenderat pris, førpris, vejledende pris, veiledende pris, normaalihinta, ovh, \
            cena katalogowa, cena regularna, stara cena, běžná cena, původní cena, pôvodná cena, \
            bežná cena, eredeti ár, listaár, preț vechi, preț întreg, стара цена, старая цена, \
            розничная цена, стара ціна, αρχική τιμή, liste fiyatı, eski fiyat, 定価, 通常価格, \
            希望小売価格, 原价, 市场价, 原價, 정가, 소비자가, מחיר מקורי, السعر الأصلي, السعر القديم",
        paths: "offers.highPrice, highPrice",
        metas: "product:original_price:amount",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "shipping price, shipping cost, shipping costs, shipping fee, shipping charge, shipping, \
            delivery cost, delivery costs, delivery fee, delivery price, delivery charge, postage, \
            versandkosten, lieferkosten, frais de livraison, frais de port, gastos de envío, \
            coste de envío, costi di spedizione, spese di spedizione, custos de envio, custo de envio, \
            valor do frete, verzendkosten, bezorgkosten, fraktkostnad, leveringspris, toimituskulut, \
            koszt dostawy, koszty wysyłki, koszt wysyłki, cena dopravy, poštovné, szállítási költség, \
            szállítási díj, cost livrare, cost de livrare, цена за доставка, стоимость доставки, \
            вартість доставки, έξοδα αποστολής, kargo ücreti, 送料, 运费, 運費, 배송비, رسوم الشحن, \
            תעריף משלוח, דמי משלוח",
        labels: "versand, frakt, fragt, frete, spedizione, doprava, dostawa, livrare, доставка, μεταφορικά",
        paths: "offers.shippingDetails.shippingRate.value",
        metas: "product:shipping_cost:amount",
        ..ROW
    },
    Row {
        names: "seller, sold by, merchant, shop, seller name, vendor name, store, store name, shop name, \
            merchant name, dealer, dealer name, retailer, verkäufer, händler, anbieter, vendeur, \
            vendu par, marchand, vendedor, vendido por, tienda, venditore, venduto da, loja, verkoper, \
            verkocht door, säljare, återförsäljare, sælger, forhandler, selger, myyjä, sprzedawca, \
            sprzedający, prodejce, predajca, eladó, forgalmazó, vânzător, vândut de, продавец, продавач, \
            продавець, πωλητής, satıcı, 販売者, 出品者, 販売元, 卖家, 賣家, 판매자, 판매처, מוכר, البائع, \
            التاجر",
        paths: "offers.seller.name, seller.name, offers.offeredBy.name",
        ..ROW
    },
    Row {
        names: "color, colour, colour name, farbe, couleur, coloris, colore, cor, kleur, färg, farve, \
            farge, väri, barva, farba, kolor, szín, culoare, цвет, цвят, колір, χρώμα, renk, boja, 色, \
            カラー, 颜色, 顏色, 색상, 컬러, צבע, اللون",
        paths: "color",
        metas: "product:color",
        ..ROW
    },
    Row {
        names: "size, größe, grösse, taille, talla, tamaño, taglia, misura, tamanho, maat, afmeting, \
            storlek, størrelse, koko, rozmiar, veľkosť, velikost, méret, mărime, dimensiune, размер, \
            розмір, μέγεθος, beden, サイズ, 尺码, 尺寸, 尺碼, 사이즈, 크기, מידה, גודל, المقاس, الحجم",
        labels: "boyut",
        paths: "size, size.name",
        metas: "product:size",
        ..ROW
    },
    Row {
        names: "material, materials, fabric, matière, matériau, materiale, materiaal, materiał, materiál, \
            materiaali, anyag, zusammensetzung, материал, матеріал, състав, υλικό, malzeme, 素材, 材質, \
            材质, 소재, 재질, חומר, المادة, الخامة",
        labels: "состав, skład",
        paths: "material",
        metas: "product:material",
        ..ROW
    },
    Row {
        names: "weight, product weight, item weight, net weight, shipping weight, gewicht, nettogewicht, \
            poids, poids net, peso, peso neto, peso netto, vikt, vægt, vekt, paino, waga, hmotnosť, \
            hmotnost, váha, súly, tömeg, greutate, вес, тегло, вага, βάρος, ağırlık, težina, 重量, 重さ, \
            무게, 중량, משקל, الوزن",
        paths: "weight.value, weight",
        metas: "product:weight:value",
        ..ROW
    },
    Row {
        names: "height, item height, höhe, hauteur, altura, altezza, hoogte, höjd, højde, høyde, korkeus, \
            wysokość, výška, magasság, înălțime, высота, височина, висота, ύψος, yükseklik, 高さ, 高度, \
            높이, גובה, الارتفاع",
        labels: "alto",
        paths: "height.value, height",
        ..ROW
    },
    Row {
        names: "width, item width, breite, largeur, anchura, larghezza, largura, breedte, bredd, bredde, \
            leveys, szerokość, šířka, šírka, szélesség, lățime, ширина, πλάτος, genişlik, 幅, 宽度, 寬度, \
            너비, 폭, רוחב, العرض",
        labels: "ancho",
        paths: "width.value, width",
        ..ROW
    },
    Row {
        names: "length, item length, länge, longueur, longitud, lunghezza, comprimento, lengte, längd, \
            længde, lengde, pituus, długość, délka, dĺžka, hosszúság, lungime, длина, дължина, довжина, \
            μήκος, uzunluk, 長さ, 长度, 長度, 길이, אורך, الطول",
        labels: "largo",
        paths: "length.value, length",
        ..ROW
    },
    Row {
        names: "depth, item depth, tiefe, profondeur, profundidad, profondità, profundidade, diepte, djup, \
            dybde, syvyys, głębokość, hloubka, hĺbka, mélység, adâncime, глубина, дълбочина, глибина, \
            βάθος, derinlik, 奥行き, 深度, 깊이, עומק, العمق",
        labels: "fondo",
        paths: "depth.value, depth",
        ..ROW
    },
    Row {
        names: "dimensions, product dimensions, measurements, abmessungen, maße, dimensioni, dimensiones, \
            dimensões, medidas, misure, afmetingen, mått, mitat, wymiary, rozměry, rozmery, méretek, \
            dimensiuni, габариты, размеры, размери, розміри, διαστάσεις, boyutlar, ölçüler, 寸法, \
            外形寸法, 规格尺寸, 치수, מידות, ממדים, الأبعاد",
        paths: "dimensions",
        ..ROW
    },
    Row {
        names: "condition, item condition, product condition, zustand, état, estado, condizione, \
            condizioni, condição, skick, állapot, состояние, състояние, стан, κατάσταση, durumu, 状態, \
            コンディション, 成色, 商品状况, 狀態, 상태, מצב, الحالة",
        labels: "staat, durum, stav, tilstand, kunto, stand, stan",
        paths: "itemCondition, offers.itemCondition",
        metas: "product:condition",
        ..ROW
    },
    Row {
        names: "warranty, guarantee, garantie, gewährleistung, garantía, garanzia, garantia, garanti, \
            takuu, gwarancja, záruka, garancia, jótállás, garanție, гарантия, гаранция, гарантія, εγγύηση, \
            保証, 保証期間, 保修, 保固, 보증기간, אחריות, الضمان",
        paths: "hasWarrantyPromise.durationOfWarranty.value, offers.warranty",
        ..ROW
    },
    Row {
        names: "country of origin, made in, origin, origin country, herkunftsland, ursprungsland, \
            pays d origine, origine, país de origen, origen, paese di origine, provenienza, \
            país de origem, origem, land van herkomst, herkomst, oprindelsesland, opprinnelsesland, \
            alkuperämaa, kraj pochodzenia, země původu, krajina pôvodu, származási hely, \
            származási ország, țara de origine, страна производства, страна происхождения, \
            страна на произход, країна виробник, χώρα προέλευσης, menşei, menşe ülke, 原産国, 原产地, \
            产地, 產地, 원산지, ארץ ייצור, بلد المنشأ, بلد الصنع",
        paths: "countryOfOrigin.name, countryOfOrigin, manufacturer.address.addressCountry",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "price valid until, offer valid until, sale ends, offer ends, angebot gültig bis, \
            offre valable jusqu au, oferta válida hasta",
        paths: "offers.priceValidUntil, priceValidUntil",
        metas: "product:sale_price_dates:end",
        ..ROW
    },
    Row {
        names: "delivery time, shipping time, lead time, lieferzeit, délai de livraison, plazo de entrega, \
            tiempo de entrega, tempi di consegna, tempo di consegna, prazo de entrega, levertijd, \
            leveranstid, leveringstid, toimitusaika, czas dostawy, czas realizacji, dodací lhůta, \
            dodacia doba, szállítási idő, timp de livrare, срок доставки, срок за доставка, \
            термін доставки, χρόνος παράδοσης, teslimat süresi, お届け予定, 納期, 发货时间, 배송기간, \
            זמן אספקה, مدة التوصيل",
        paths: "offers.deliveryLeadTime.value, offers.shippingDetails.deliveryTime.transitTime.maxValue",
        ..ROW
    },
];
