"""Words, names and notations of the languages of generated pages.

Each table has one line per language. `|` separates the values of a line, `/` the alternatives of a value.
"""

LANGUAGES = "en de fr es it pt nl pl cs sv ja tr".split()

# Language, currency, decimal mark, thousands mark, order of money, formats of dates, formats of times.
# In formats of dates: d day, D two digits, m number of the month with two digits, M its name, S its short
# name, y year, W weekday.
LOCALES = {
    "en-US": ("en", "USD", ".", ",", "${}",
              ["{M} {d}, {y}", "{S} {d}, {y}", "{m}/{D}/{y}", "{W}, {M} {d}, {y}", "{y}-{m}-{D}"], "12"),
    "en-GB": ("en", "GBP", ".", ",", "£{}",
              ["{d} {M} {y}", "{D}/{m}/{y}", "{W} {d} {M} {y}", "{d} {S} {y}"], "24"),
    "de-DE": ("de", "EUR", ",", ".", "{} €",
              ["{d}. {M} {y}", "{D}.{m}.{y}", "{W}, {d}. {M} {y}"], "24 Uhr"),
    "de-CH": ("de", "CHF", ".", "'", "CHF {}", ["{d}. {M} {y}", "{D}.{m}.{y}"], "24"),
    "fr-FR": ("fr", "EUR", ",", " ", "{} €", ["{d} {M} {y}", "{D}/{m}/{y}", "{W} {d} {M} {y}"], "24h"),
    "es-ES": ("es", "EUR", ",", ".", "{} €",
              ["{d} de {M} de {y}", "{D}/{m}/{y}", "{W}, {d} de {M} de {y}"], "24"),
    "it-IT": ("it", "EUR", ",", ".", "€ {}", ["{d} {M} {y}", "{D}/{m}/{y}", "{W} {d} {M} {y}"], "24"),
    "pt-BR": ("pt", "BRL", ",", ".", "R$ {}", ["{d} de {M} de {y}", "{D}/{m}/{y}"], "24h"),
    "nl-NL": ("nl", "EUR", ",", ".", "€ {}", ["{d} {M} {y}", "{D}-{m}-{y}", "{W} {d} {M} {y}"], "24"),
    "pl-PL": ("pl", "PLN", ",", " ", "{} zł", ["{d} {M} {y}", "{D}.{m}.{y}"], "24"),
    "cs-CZ": ("cs", "CZK", ",", " ", "{} Kč", ["{d}. {M} {y}", "{D}.{m}.{y}"], "24"),
    "sv-SE": ("sv", "SEK", ",", " ", "{} kr", ["{d} {M} {y}", "{y}-{m}-{D}"], "24"),
    "ja-JP": ("ja", "JPY", ".", ",", "¥{}", ["{y}年{m}月{D}日", "{y}/{m}/{D}"], "24"),
    "tr-TR": ("tr", "TRY", ",", ".", "{} TL", ["{d} {M} {y}", "{D}.{m}.{y}"], "24"),
}

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl":
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "pt": "segunda terça quarta quinta sexta sábado domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "cs": "pondělí úterý středa čtvrtek pátek sobota neděle",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "ja": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
}

# Labels of properties.
LABEL_KEYS = (
    "price brand sku gtin mpn color category author date_published date_modified prep_time "
    "cook_time total_time servings ingredients instructions calories cuisine company location "
    "employment_type date_posted valid_through salary start_date end_date venue address "
    "organizer isbn publisher pages language job_title email phone rating hours"
).split()
LABELS = {
    "en":
        "Price/Our price|Brand/Manufacturer|SKU/Item no./Product code|EAN/GTIN/Barcode|MPN/Model number|"
        "Color/Colour|Category|Author/Written by|Published/Posted on/Date|Updated/Last updated|Prep time/"
        "Preparation|Cook time/Cooking|Total time/Ready in|Servings/Serves/Yield|Ingredients/You need|Method/"
        "Instructions/Directions|Calories/Energy|Cuisine|Company/Employer|Location/Place of work|Job type/"
        "Employment type|Date posted/Posted|Apply by/Closing date|Salary/Pay|Starts/Date and time/When|Ends/"
        "Until|Venue/Where|Address|Organizer/Hosted by|ISBN/ISBN-13|Publisher|Pages/Print length|Language|"
        "Position/Role|Email/E-mail|Phone/Tel.|Rating|Opening hours",
    "de":
        "Preis|Marke/Hersteller|Artikelnummer/Art.-Nr./Bestellnummer|EAN/GTIN|Herstellernummer/Modellnummer|"
        "Farbe|Kategorie|Autor/Geschrieben von|Veröffentlicht/Erschienen am/Datum|Aktualisiert/"
        "Zuletzt geändert|Vorbereitung/Arbeitszeit|Kochzeit/Backzeit|Gesamtzeit|Portionen/Ergibt|Zutaten|"
        "Zubereitung|Kalorien/Brennwert|Küche|Firma/Arbeitgeber|Arbeitsort/Standort|Anstellungsart/"
        "Beschäftigung|Eingestellt am/Online seit|Bewerbungsschluss/Bewerben bis|Gehalt/Lohn|Beginn/Termin/"
        "Wann|Ende|Ort/Wo|Adresse/Anschrift|Veranstalter|ISBN|Verlag|Seiten/Seitenzahl|Sprache|Position/"
        "Funktion|E-Mail|Telefon/Tel.|Bewertung|Öffnungszeiten",
    "fr":
        "Prix|Marque/Fabricant|Référence/Réf./Code article|EAN/Code-barres|Référence fabricant|Couleur|"
        "Catégorie|Auteur/Écrit par|Publié le/Date|Mis à jour le|Préparation/Temps de préparation|Cuisson/"
        "Temps de cuisson|Temps total|Portions/Pour|Ingrédients|Préparation/Étapes|Calories|Cuisine|"
        "Entreprise/Employeur|Lieu/Lieu de travail|Type de contrat/Contrat|Publiée le/Mise en ligne|"
        "Date limite/Postuler avant le|Salaire/Rémunération|Début/Quand/Date|Fin|Lieu/Où|Adresse|"
        "Organisateur|ISBN|Éditeur|Pages/Nombre de pages|Langue|Fonction/Poste|E-mail/Courriel|Téléphone/"
        "Tél.|Note|Horaires",
    "es":
        "Precio|Marca/Fabricante|Referencia/Ref./Código|EAN/Código de barras|Modelo/"
        "Referencia del fabricante|Color|Categoría|Autor/Escrito por|Publicado el/Fecha|Actualizado el|"
        "Preparación/Tiempo de preparación|Cocción/Tiempo de cocción|Tiempo total|Raciones/Porciones|"
        "Ingredientes|Elaboración/Pasos|Calorías|Cocina|Empresa|Ubicación/Lugar|Tipo de contrato/Jornada|"
        "Fecha de publicación/Publicado|Plazo/Inscribirse hasta|Salario/Sueldo|Inicio/Cuándo/Fecha|Fin/Hasta|"
        "Lugar/Dónde|Dirección|Organiza/Organizador|ISBN|Editorial|Páginas/Número de páginas|Idioma|Cargo/"
        "Puesto|Correo electrónico/Email|Teléfono/Tel.|Valoración|Horario",
    "it":
        "Prezzo|Marca/Produttore|Codice articolo/Cod./Codice prodotto|EAN/Codice a barre|Codice produttore/"
        "Modello|Colore|Categoria|Autore/Scritto da|Pubblicato il/Data|Aggiornato il|Preparazione|Cottura/"
        "Tempo di cottura|Tempo totale|Porzioni/Dosi per|Ingredienti|Procedimento/Preparazione|Calorie|"
        "Cucina|Azienda|Sede/Luogo di lavoro|Contratto/Tipo di contratto|Pubblicata il|Scadenza/"
        "Candidarsi entro|Stipendio/Retribuzione|Inizio/Quando|Fine|Luogo/Dove|Indirizzo|Organizzatore|ISBN|"
        "Editore|Pagine/Numero di pagine|Lingua|Ruolo|Email/E-mail|Telefono/Tel.|Valutazione|Orari",
    "pt":
        "Preço|Marca/Fabricante|Código/Referência/SKU|EAN/Código de barras|Modelo|Cor|Categoria|Autor/"
        "Escrito por|Publicado em/Data|Atualizado em|Preparo/Tempo de preparo|Cozimento/Tempo de forno|"
        "Tempo total|Porções/Rendimento|Ingredientes|Modo de preparo|Calorias|Culinária/Cozinha|Empresa|"
        "Local/Localização|Tipo de contrato/Regime|Publicada em|Inscrições até|Salário|Início/Quando|Término|"
        "Local/Onde|Endereço|Organização/Organizador|ISBN|Editora|Páginas/Número de páginas|Idioma|Cargo|"
        "E-mail|Telefone/Tel.|Avaliação|Horário",
    "nl":
        "Prijs|Merk/Fabrikant|Artikelnummer/Art.nr./Productcode|EAN/Streepjescode|Modelnummer|Kleur|"
        "Categorie|Auteur/Geschreven door|Gepubliceerd op/Datum|Bijgewerkt op|Voorbereiding|Kooktijd/"
        "Bereidingstijd|Totale tijd|Porties/Personen|Ingrediënten|Bereiding/Bereidingswijze|Calorieën|Keuken|"
        "Bedrijf/Werkgever|Locatie/Standplaats|Dienstverband|Geplaatst op|Solliciteren tot/Sluitingsdatum|"
        "Salaris|Begin/Wanneer|Einde|Locatie/Waar|Adres|Organisator|ISBN|Uitgever|Pagina's/Aantal pagina's|"
        "Taal|Functie|E-mail|Telefoon/Tel.|Beoordeling|Openingstijden",
    "pl":
        "Cena|Marka/Producent|Kod produktu/Nr katalogowy/SKU|EAN/Kod kreskowy|Kod producenta/Model|Kolor|"
        "Kategoria|Autor|Opublikowano/Data publikacji|Aktualizacja|Przygotowanie/Czas przygotowania|"
        "Gotowanie/Czas gotowania|Czas całkowity|Porcje/Liczba porcji|Składniki|Przygotowanie/"
        "Sposób przygotowania|Kalorie|Kuchnia|Firma/Pracodawca|Lokalizacja/Miejsce pracy|Rodzaj umowy/"
        "Wymiar pracy|Dodano/Data dodania|Aplikuj do|Wynagrodzenie/Pensja|Początek/Kiedy|Koniec|Miejsce/"
        "Gdzie|Adres|Organizator|ISBN|Wydawnictwo|Liczba stron/Strony|Język|Stanowisko|E-mail|Telefon/Tel.|"
        "Ocena|Godziny otwarcia",
    "cs":
        "Cena|Značka/Výrobce|Kód zboží/Kód produktu/SKU|EAN/Čárový kód|Kód výrobce|Barva|Kategorie|Autor/"
        "Napsal|Vydáno/Datum|Aktualizováno|Příprava/Doba přípravy|Vaření/Doba vaření|Celkový čas|Porce/"
        "Počet porcí|Suroviny/Ingredience|Postup|Kalorie|Kuchyně|Firma/Zaměstnavatel|Místo práce/Lokalita|"
        "Typ úvazku/Úvazek|Zveřejněno|Přihlásit se do/Uzávěrka|Mzda/Plat|Začátek/Kdy|Konec|Místo/Kde|Adresa|"
        "Pořadatel|ISBN|Nakladatelství|Počet stran/Stran|Jazyk|Pozice|E-mail|Telefon/Tel.|Hodnocení|"
        "Otevírací doba",
    "sv":
        "Pris|Märke/Tillverkare|Artikelnummer/Art.nr|EAN/Streckkod|Modellnummer|Färg|Kategori|Författare/"
        "Skriven av|Publicerad/Datum|Uppdaterad|Förberedelse|Tillagning/Tillagningstid|Total tid|Portioner|"
        "Ingredienser|Gör så här/Tillagning|Kalorier|Kök|Företag/Arbetsgivare|Ort/Arbetsplats|"
        "Anställningsform|Publicerad|Sök senast/Sista ansökningsdag|Lön|Börjar/När|Slutar|Plats/Var|Adress|"
        "Arrangör|ISBN|Förlag|Sidor/Antal sidor|Språk|Befattning/Roll|E-post|Telefon/Tel.|Betyg|Öppettider",
    "ja":
        "価格/販売価格|ブランド/メーカー|商品番号/商品コード|JANコード|型番|カラー/色|カテゴリー|著者/執筆者|公開日/掲載日|更新日|準備時間/下準備|調理時間|合計時間|分量/人数|材料|"
        "作り方/手順|カロリー|料理のジャンル|会社名/企業名|勤務地|雇用形態|掲載日|応募締切|給与/年収|開始/日時|終了|会場/場所|住所/所在地|主催/主催者|ISBN|出版社|ページ数|言語|"
        "役職|メールアドレス|電話番号/電話|評価|営業時間",
    "tr":
        "Fiyat|Marka/Üretici|Ürün kodu/Stok kodu|EAN/Barkod|Model numarası|Renk|Kategori|Yazar/Yazan|"
        "Yayın tarihi/Tarih|Güncelleme|Hazırlık süresi/Hazırlama|Pişirme süresi|Toplam süre|Porsiyon/"
        "Kişi sayısı|Malzemeler|Yapılışı/Hazırlanışı|Kalori|Mutfak|Şirket/İşveren|Konum/Çalışma yeri|"
        "Çalışma şekli|İlan tarihi|Son başvuru|Maaş|Başlangıç/Ne zaman|Bitiş|Mekân/Yer|Adres|Düzenleyen|ISBN|"
        "Yayınevi|Sayfa sayısı/Sayfa|Dil|Görev/Pozisyon|E-posta|Telefon/Tel.|Puan|Çalışma saatleri",
}

# Words of the page around the thing.
PHRASE_KEYS = (
    "home search menu share follow related buy in_stock out_of_stock cookies accept newsletter "
    "subscribe more reviews old_price shipping read_time all_rights save apply tickets contact "
    "about login by popular per_year out_of_five hour minute people from_price posted follow_us "
    "comments"
).split()
PHRASES = {
    "en":
        "Home|Search|Menu|Share|Follow|Related products/You may also like|Add to cart/Buy now|In stock/"
        "Available now|Out of stock/Sold out|We use cookies to make this site work.|Accept all|"
        "Get our news once a week|Subscribe|Read more|Reviews|Was|Free delivery over|min read|"
        "All rights reserved|Save|Apply now|Get tickets|Contact|About us|Log in|By|Most read/Popular|"
        "per year|out of 5|hour/hr|minutes/min|servings|from|Posted|Follow us|Comments",
    "de":
        "Startseite|Suche|Menü|Teilen|Folgen|Ähnliche Produkte/Das könnte Ihnen auch gefallen|"
        "In den Warenkorb/Jetzt kaufen|Auf Lager/Sofort lieferbar|Ausverkauft/Nicht verfügbar|"
        "Diese Seite verwendet Cookies.|Alle annehmen|Einmal pro Woche Neues von uns|Abonnieren|Weiterlesen|"
        "Bewertungen|Statt|Kostenloser Versand ab|Min. Lesezeit|Alle Rechte vorbehalten|Merken|"
        "Jetzt bewerben|Karten kaufen|Kontakt|Über uns|Anmelden|Von|Meistgelesen|pro Jahr|von 5|Stunde/Std.|"
        "Minuten/Min.|Portionen|ab|Eingestellt|Folgen Sie uns|Kommentare",
    "fr":
        "Accueil|Recherche|Menu|Partager|Suivre|Produits similaires/Vous aimerez aussi|Ajouter au panier/"
        "Acheter|En stock/Disponible|Rupture de stock/Épuisé|Ce site utilise des cookies.|Tout accepter|"
        "Nos nouvelles une fois par semaine|S'abonner|Lire la suite|Avis|Au lieu de|Livraison gratuite dès|"
        "min de lecture|Tous droits réservés|Enregistrer|Postuler|Réserver|Contact|À propos|Connexion|Par|"
        "Les plus lus|par an|sur 5|heure/h|minutes/min|personnes|à partir de|Publié|Suivez-nous|Commentaires",
    "es":
        "Inicio|Buscar|Menú|Compartir|Seguir|Productos relacionados/También te puede gustar|"
        "Añadir al carrito/Comprar|En stock/Disponible|Agotado/Sin existencias|Este sitio usa cookies.|"
        "Aceptar todo|Noticias una vez por semana|Suscribirse|Leer más|Opiniones|Antes|Envío gratis desde|"
        "min de lectura|Todos los derechos reservados|Guardar|Inscribirse|Entradas|Contacto|Quiénes somos|"
        "Acceder|Por|Lo más leído|al año|de 5|hora/h|minutos/min|personas|desde|Publicado|Síguenos|"
        "Comentarios",
    "it":
        "Home|Cerca|Menu|Condividi|Segui|Prodotti correlati/Potrebbe interessarti|Aggiungi al carrello/"
        "Acquista|Disponibile/Disponibilità immediata|Esaurito/Non disponibile|Questo sito usa i cookie.|"
        "Accetta tutto|Novità una volta alla settimana|Iscriviti|Leggi tutto|Recensioni|Invece di|"
        "Spedizione gratuita da|min di lettura|Tutti i diritti riservati|Salva|Candidati|Biglietti|Contatti|"
        "Chi siamo|Accedi|Di|I più letti|all'anno|su 5|ora/h|minuti/min|persone|da|Pubblicato|Seguici|"
        "Commenti",
    "pt":
        "Início|Buscar|Menu|Compartilhar|Seguir|Produtos relacionados/Você também pode gostar|"
        "Adicionar ao carrinho/Comprar|Em estoque/Disponível|Esgotado/Indisponível|Este site usa cookies.|"
        "Aceitar tudo|Novidades uma vez por semana|Assinar|Leia mais|Avaliações|De|Frete grátis acima de|"
        "min de leitura|Todos os direitos reservados|Salvar|Candidatar-se|Ingressos|Contato|Sobre nós|Entrar|"
        "Por|Mais lidas|por ano|de 5|hora/h|minutos/min|porções|a partir de|Publicado|Siga-nos|Comentários",
    "nl":
        "Home|Zoeken|Menu|Delen|Volgen|Gerelateerde producten/Misschien ook iets voor jou|In winkelwagen/"
        "Nu kopen|Op voorraad/Direct leverbaar|Uitverkocht/Niet op voorraad|Deze site gebruikt cookies.|"
        "Alles accepteren|Eens per week ons nieuws|Inschrijven|Lees meer|Beoordelingen|Was|"
        "Gratis verzending vanaf|min. leestijd|Alle rechten voorbehouden|Bewaren|Solliciteren|Kaarten|"
        "Contact|Over ons|Inloggen|Door|Meest gelezen|per jaar|van 5|uur/u|minuten/min|personen|vanaf|"
        "Geplaatst|Volg ons|Reacties",
    "pl":
        "Strona główna|Szukaj|Menu|Udostępnij|Obserwuj|Podobne produkty/Zobacz także|Dodaj do koszyka/"
        "Kup teraz|Na stanie/Dostępny|Brak w magazynie/Wyprzedane|Ta strona używa plików cookie.|"
        "Akceptuj wszystko|Nowości raz w tygodniu|Zapisz się|Czytaj dalej|Opinie|Zamiast|Darmowa dostawa od|"
        "min czytania|Wszelkie prawa zastrzeżone|Zapisz|Aplikuj|Bilety|Kontakt|O nas|Zaloguj się|Autor:|"
        "Najczęściej czytane|rocznie|na 5|godz.|minut/min|porcje|od|Dodano|Śledź nas|Komentarze",
    "cs":
        "Domů|Hledat|Menu|Sdílet|Sledovat|Podobné produkty/Mohlo by se vám líbit|Do košíku/Koupit|Skladem|"
        "Vyprodáno/Není skladem|Tento web používá cookies.|Přijmout vše|Novinky jednou týdně|Odebírat|"
        "Číst dál|Recenze|Místo|Doprava zdarma od|min čtení|Všechna práva vyhrazena|Uložit|"
        "Odpovědět na nabídku|Vstupenky|Kontakt|O nás|Přihlásit|Od|Nejčtenější|ročně|z 5|hodina/h|minut/min|"
        "porce|od|Přidáno|Sledujte nás|Komentáře",
    "sv":
        "Hem|Sök|Meny|Dela|Följ|Liknande produkter/Du kanske också gillar|Lägg i varukorgen/Köp|I lager|"
        "Slut i lager/Slutsåld|Webbplatsen använder kakor.|Godkänn alla|Nyheter en gång i veckan|Prenumerera|"
        "Läs mer|Omdömen|Förr|Fri frakt från|min läsning|Alla rättigheter förbehållna|Spara|Ansök nu|"
        "Biljetter|Kontakt|Om oss|Logga in|Av|Mest läst|per år|av 5|timme/h|minuter/min|portioner|från|"
        "Publicerad|Följ oss|Kommentarer",
    "ja":
        "ホーム|検索|メニュー|シェア|フォロー|関連商品/おすすめ商品|カートに入れる|在庫あり|在庫なし/売り切れ|当サイトはクッキーを使用します。|すべて許可|週に一度のお知らせ|登録する|続きを読む|"
        "レビュー|通常価格|送料無料の条件|分で読めます|無断転載禁止|保存|応募する|チケット|お問い合わせ|会社概要|ログイン|文：|人気の記事|年|5点満点中|時間|分|人分|から|掲載|フォローする|"
        "コメント",
    "tr":
        "Ana sayfa|Ara|Menü|Paylaş|Takip et|Benzer ürünler/Bunlar da ilginizi çekebilir|Sepete ekle/Satın al|"
        "Stokta var|Stokta yok/Tükendi|Bu site çerez kullanır.|Tümünü kabul et|Haftada bir haber|Abone ol|"
        "Devamını oku|Yorumlar|Eski fiyat|Ücretsiz kargo|dk okuma|Tüm hakları saklıdır|Kaydet|Başvur|"
        "Bilet al|İletişim|Hakkımızda|Giriş|Yazan:|En çok okunan|yıllık|5 üzerinden|saat|dakika/dk|kişilik|"
        "başlayan|Yayında|Bizi takip edin|Yorum",
}

# First names, last names, cities, streets, name of the country.
NAMES = {
    "en":
        "Alice Grace Henry Oliver Ruth Samuel|Archer Bennett Carter Holloway Mercer Whitfield|"
        "Bristol Portland Leeds Denver|Mill Lane,Oak Street,Harbour Road|United Kingdom",
    "de":
        "Anna Jonas Lena Matthias Petra Uwe|Albrecht Brandt Keller Lindner Schäfer Vogt|"
        "Bremen Leipzig Basel Graz|Gartenweg,Lindenallee,Hauptstraße|Deutschland",
    "fr":
        "Camille Hugo Léa Mathieu Nadia Paul|Bernard Chevalier Durand Lefèvre Moreau Roche|"
        "Lyon Nantes Rennes Lille|rue des Lilas,avenue du Parc,rue du Moulin|France",
    "es":
        "Carmen Diego Elena Javier Lucía Pablo|Álvarez Castro Delgado Herrera Molina Vega|"
        "Sevilla Bilbao Valencia Granada|Calle Mayor,Avenida del Sol,Calle Nueva|España",
    "it":
        "Chiara Davide Elisa Luca Marta Paolo|Bianchi Conti Ferrari Greco Moretti Rinaldi|"
        "Torino Bologna Verona Genova|Via Roma,Via dei Fiori,Corso Italia|Italia",
    "pt":
        "Ana Bruno Camila Felipe Júlia Rafael|Almeida Barbosa Cardoso Moraes Pereira Teixeira|"
        "Curitiba Recife Salvador Campinas|Rua das Flores,Avenida Central,Rua do Porto|Brasil",
    "nl":
        "Anouk Bram Daan Fleur Joost Sanne|Bakker Dekker Jansen Meijer Smit Visser|"
        "Utrecht Breda Groningen Leiden|Dorpsstraat,Kerkweg,Parklaan|Nederland",
    "pl":
        "Agnieszka Jan Katarzyna Marek Piotr Zofia|Kowalska Lewandowski Nowak Pawlak Wójcik Zieliński|"
        "Kraków Gdańsk Poznań Lublin|ul. Lipowa,ul. Polna,ul. Ogrodowa|Polska",
    "cs":
        "Eva Jakub Jana Martin Petr Tereza|Černý Dvořák Horák Němec Procházka Veselá|"
        "Brno Plzeň Olomouc Liberec|Nádražní,Zahradní,Školní|Česko",
    "sv":
        "Astrid Björn Elin Lars Maja Oskar|Andersson Berg Ek Lindqvist Nyström Sjöberg|"
        "Uppsala Malmö Lund Umeå|Storgatan,Skolvägen,Strandgatan|Sverige",
    "ja": "健太 美咲 翔 直子 浩二 由美|佐藤 高橋 田中 山本 中村 小林|札幌市 仙台市 京都市 福岡市|中央1-2,本町3-4,緑町5-6|日本",
    "tr":
        "Ayşe Burak Deniz Elif Mehmet Selin|Aydın Demir Kaya Öztürk Şahin Yıldız|İzmir Bursa Ankara Antalya|"
        "Çiçek Sokak,Deniz Caddesi,Okul Sokak|Türkiye",
}
