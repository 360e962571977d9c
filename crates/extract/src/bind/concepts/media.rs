//! Books, films, music and videos.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Count,
        names: "pages, page count, number of pages, num pages, no of pages, number pages, print length, \
            total pages, seitenzahl, seiten, anzahl seiten, anzahl der seiten, umfang, seitenanzahl, \
            nombre de pages, nb de pages, nb pages, páginas, número de páginas, nº de páginas, pagine, \
            numero di pagine, numero pagine, n pagine, número de folhas, pagina s, aantal pagina s, \
            aantal bladzijden, bladzijden, sidor, antal sidor, sidantal, sider, antal sider, sidetal, \
            sideantall, antall sider, sivumäärä, sivuja, sivut, liczba stron, ilość stron, strony, stron, \
            počet stran, stran, počet strán, oldalszám, oldalak száma, terjedelem, pagini, \
            număr de pagini, nr pagini, număr pagini, брой страници, страници, количество страниц, \
            страниц, число страниц, кількість сторінок, сторінок, σελίδες, αριθμός σελίδων, sayfa sayısı, \
            sayfa, ページ数, 頁数, 頁數, 页数, 总页数, 쪽수, 페이지수, 페이지 수, 페이지, מספר עמודים, \
            עמודים, מס עמודים, عدد الصفحات, الصفحات",
        labels: "pp, pgs, págs, 쪽, 頁, ページ, 页",
        paths: "numberOfPages, workExample.numberOfPages",
        metas: "book:page_count, books:page_count",
        ..ROW
    },
    Row {
        names: "edition, book edition, edition number, auflage, ausgabe, édition, edición, edizione, \
            edição, editie, uitgave, utgåva, upplaga, udgave, oplag, utgave, opplag, painos, wydanie, \
            numer wydania, vydání, číslo vydání, vydanie, kiadás, ediția, ediție, издание, видання, \
            έκδοση, baskı, baskı sayısı, 版, 版次, 版本次数, 판, 판본, מהדורה, الطبعة, رقم الطبعة",
        paths: "bookEdition, workExample.bookEdition",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "format, book format, binding, binding type, cover type, media type, einband, bindung, \
            buchformat, einbandart, reliure, format du livre, type de reliure, encuadernación, formato, \
            tipo de encuadernación, rilegatura, legatura, encadernação, acabamento, bindwijze, uitvoering, \
            bindtyp, indbinding, innbinding, sidottu, sidosasu, rodzaj oprawy, typ oprawy, vazba, \
            vazba knihy, väzba, kötés, kötéstípus, kötés típusa, borító, coperta, copertă, tip copertă, \
            legătură, корица, корици, переплет, переплёт, тип обложки, обложка, обкладинка, палітурка, \
            тип обкладинки, εξώφυλλο, βιβλιοδεσία, δέσιμο, cilt tipi, cilt durumu, 判型, 装丁, 製本, 装帧, \
            装订, 裝訂, 裝訂方式, 제본, 판형, 장정, כריכה, סוג כריכה, פורמט, الغلاف, نوع الغلاف, التجليد",
        labels: "tapa, asu, kapak, 形式, format type, cilt, oprawa, okładka",
        paths: "bookFormat, workExample.bookFormat, encodingFormat, fileFormat, hasCourseInstance.courseMode",
        ..ROW
    },
    Row {
        names: "series, series name, book series, series title, part of series, buchreihe, colección, \
            collana, coleção, bokserie, bogserie, sarja, kirjasarja, edícia, séria, sorozat, könyvsorozat, \
            seria de carte, colecția, colecție, поредица, серия, серія, σειρά, シリーズ, シリーズ名, 丛书, \
            系列, 丛书名, 叢書系列, 시리즈, 총서, סדרה, السلسلة",
        labels: "collection, saga, reihe, cykl, edice, řada, dizi, serie, série, reeks, seria",
        paths: "isPartOf.name, partOfSeries.name, partOfTVSeries.name",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "translator, translated by, translators, translation, übersetzer, übersetzerin, \
            übersetzt von, übersetzung, aus dem englischen von, traducteur, traductrice, traduction, \
            traduit par, traductor, traductora, traducción, traducido por, traduttore, traduzione, \
            traduttrice, tradutor, tradução, tradutora, vertaler, vertaald door, vertaling, översättare, \
            översatt av, översättning, oversætter, oversat af, oversetter, oversatt av, kääntäjä, \
            suomentaja, suomennos, tłumacz, tłumaczenie, przekład, tłumaczka, překladatel, překlad, \
            přeložil, prekladateľ, preklad, preložil, fordító, fordította, fordítás, traducător, \
            traducere, traducere de, преводач, превод, переводчик, перевод, перекладач, переклад, \
            μεταφραστής, μετάφραση, çevirmen, çeviren, çeviri, 翻訳者, 訳者, 翻訳, 译者, 翻译, 譯者, \
            옮긴이, 번역자, 역자, 번역, מתרגם, תרגום, المترجم, ترجمة",
        paths: "translator.name, translator",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "illustrator, illustrated by, illustrators, illustrations, illustratorin, illustriert von, \
            illustrationen, illustrateur, illustratrice, ilustrador, ilustradora, ilustraciones, \
            illustratore, illustrazioni, ilustrações, geïllustreerd door, illustratör, illustrationer, \
            illustratør, kuvittaja, kuvitus, ilustrator, ilustracje, ilustrátor, ilustrace, ilustrácie, \
            illusztrátor, illusztrálta, ilustrații, илюстратор, илюстрации, иллюстратор, ілюстратор, \
            εικονογράφος, εικονογράφηση, çizer, resimleyen, イラスト, 插画, 绘者, 插圖, 繪者, 삽화, מאייר, \
            איורים, الرسام, رسوم",
        labels: "絵, 그림, художник, tegner",
        paths: "illustrator.name, illustrator",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "narrator, narrated by, read by, reader, sprecherin, gelesen von, erzähler, narrateur, \
            lu par, narrador, narradora, narrado por, leído por, letto da, narratore, voorlezer, \
            voorgelezen door, inläsare, uppläsare, oplæser, indlæst af, oppleser, lukija, \
            lektor audiobooka, czyta, czytane przez, interpret audioknihy, čte, načítal, felolvasó, \
            narat de, разказвач, чете, читает, диктор, читець, αφηγητής, seslendiren, anlatan, ナレーター, \
            朗読, 朗读者, 朗讀者, 낭독자, 성우, קריין, القارئ, الراوي",
        paths: "readBy.name, readBy",
        ..ROW
    },
    Row {
        names: "original title, originaltitel, titre original, título original, titolo originale, \
            originele titel, originaltittel, alkuperäinen nimi, alkuperäisteos, tytuł oryginalny, \
            tytuł oryginału, originální název, původní název, pôvodný názov, originálny názov, \
            eredeti cím, eredeti címe, titlu original, titlul original, оригинално заглавие, \
            оригинальное название, оригинальна назва, πρωτότυπος τίτλος, orijinal adı, orijinal isim, \
            原題, 原作名, 原文書名, 원제, 원제목, שם מקורי, العنوان الأصلي",
        labels: "原名",
        paths: "alternateName, translationOfWork.name",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "director, directed by, directors, film director, regisseur, regisseurin, réalisateur, \
            réalisatrice, réalisation, réalisé par, dirigida por, regista, diretto da, diretor, regissör, \
            instruktør, regissør, ohjaaja, ohjaus, reżyser, reżyseria, režisér, režie, réžia, rendezte, \
            filmrendező, regizor, regia filmului, режисьор, режиссер, режиссёр, режисер, режисура, \
            σκηνοθέτης, σκηνοθεσία, yönetmen, yöneten, 監督, 导演, 導演, 감독, 연출, במאי, בימוי, المخرج, \
            إخراج",
        labels: "regie, regia, direção, realizador, dirección",
        paths: "director.name, director",
        metas: "video:director",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "actors, actor, cast, starring, cast members, schauspieler, darsteller, hauptdarsteller, \
            acteurs, avec, actores, reparto, protagonistas, attori, protagonisti, atores, rolverdeling, \
            skådespelare, i rollerna, skuespillere, rolleliste, näyttelijät, pääosissa, obsada, aktorzy, \
            występują, hrají, herci, obsazení, hrajú, obsadenie, szereplők, színészek, főszereplők, \
            actori, distribuție, în distribuție, актьори, в ролите, актеры, актёры, в ролях, \
            в главных ролях, актори, у ролях, ηθοποιοί, πρωταγωνιστούν, παίζουν, oyuncular, \
            oyuncu kadrosu, başrol, キャスト, 主演, 俳優, 演员, 演員, 주연, 배우, 출연 배우, שחקנים, \
            בהשתתפות, الممثلون, بطولة, تمثيل",
        paths: "actor.name, actor, actors.name, actors",
        metas: "video:actor",
        ..ROW
    },
    Row {
        names: "album, album name, album title, in album, álbum, albumi, албум, альбом, άλμπουμ, albüm, \
            アルバム, 专辑, 專輯, 앨범, אלבום, الألبوم",
        paths: "inAlbum.name, inAlbum, inPlaylist.name",
        metas: "music:album",
        ..ROW
    },
    Row {
        form: ValueForm::Duration,
        names: "duration, running time, runtime, run time, video length, video duration, play time, \
            playing time, audio length, listening length, course duration, event duration, dauer, \
            laufzeit, spieldauer, spielzeit, filmlänge, länge in minuten, durée, durée du film, duración, \
            tiempo de duración, durata, duração, tempo de duração, duur, speelduur, looptijd, speeltijd, \
            varaktighet, speltid, kurslängd, varighed, spilletid, varighet, kesto, pituus minuuteissa, \
            czas trwania, długość filmu, délka trvání, doba trvání, trvání, délka filmu, dĺžka trvania, \
            trvanie, időtartam, játékidő, hossza, durată, времетраене, продължителност, продолжительность, \
            длительность, тривалість, διάρκεια, süre, süresi, film süresi, 再生時間, 上映時間, 収録時間, \
            所要期間, 时长, 片长, 播放时间, 時長, 片長, 재생시간, 상영시간, 러닝타임, 소요기간, 기간, משך, \
            אורך הסרט, משך זמן, المدة, مدة الفيديو, مدة العرض",
        labels: "length, länge, time, zeit, lengte, längd, tid, délka, dĺžka, hossz, длина, 長さ, 시간",
        paths: "duration, timeRequired, hasCourseInstance.courseWorkload, \
            hasCourseInstance.courseSchedule.duration, courseWorkload, loanTerm",
        metas: "video:duration, music:duration, og:video:duration, og:duration",
        ..ROW
    },
    Row {
        names: "content rating, age rating, age restriction, certificate, mpaa rating, fsk, \
            altersfreigabe, altersempfehlung, classification, âge conseillé, clasificación por edades, \
            edad recomendada, classificazione, età consigliata, classificação indicativa, \
            leeftijdscategorie, leeftijd, åldersgräns, aldersgrænse, aldersgrense, ikäraja, \
            ograniczenie wiekowe, wiek, věkové omezení, přístupnost, vekové obmedzenie, korhatár, \
            ajánlott kor, limită de vârstă, възрастово ограничение, возрастное ограничение, возраст, \
            вікове обмеження, ηλικία, yaş sınırı, 年齢制限, 対象年齢, 年龄分级, 分級, 관람등급, 연령등급, \
            הגבלת גיל, التصنيف العمري",
        paths: "contentRating.name, contentRating, typicalAgeRange",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "season, season number, staffel, saison, temporada, stagione, seizoen, säsong, sæson, \
            sesong, kausi, sezon, évad, sezonul, сезон, σεζόν, シーズン, 季数, 시즌, עונה, الموسم",
        paths: "partOfSeason.seasonNumber, seasonNumber",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "episode, episode number, folge, épisode, episodio, episódio, aflevering, avsnitt, afsnit, \
            jakso, odcinek, díl, epizóda, epizód, episod, епизод, серия номер, серія номер, επεισόδιο, \
            bölüm numarası, エピソード, 集数, 회차, פרק, الحلقة",
        paths: "episodeNumber",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "video url, video link, content url, media url, file url, audio url",
        paths: "contentUrl, video.contentUrl, associatedMedia.contentUrl",
        metas: "og:video:url, og:video, og:video:secure_url, twitter:player:stream",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "embed url, embed link, player url",
        paths: "embedUrl, video.embedUrl",
        metas: "twitter:player",
        ..ROW
    },
];
