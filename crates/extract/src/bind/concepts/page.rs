//! What pages of any kind have.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "description, summary, short description, long description, product description, \
            job description, event description, video description, meta description, abstract, about, \
            overview, teaser, excerpt, synopsis, plot, beschreibung, produktbeschreibung, \
            artikelbeschreibung, kurzbeschreibung, zusammenfassung, description du produit, résumé, \
            descripción, resumen, sinopsis, descrizione, trama, descrição, resumo, sinopse, beschrijving, \
            omschrijving, productbeschrijving, samenvatting, beskrivning, sammanfattning, beskrivelse, \
            kuvaus, opis, opis produktu, popis, popis produktu, leírás, termékleírás, descriere, \
            descriere produs, описание, описание товара, опис, περιγραφή, açıklama, ürün açıklaması, 説明, \
            商品説明, あらすじ, 概要, 描述, 商品描述, 简介, 简述, 產品描述, 簡介, 설명, 상품설명, 소개, \
            תיאור, תיאור המוצר, الوصف, وصف المنتج",
        paths: "description, abstract, reviewBody",
        metas: "og:description, description, twitter:description, dc.description, dcterms.description, \
            sailthru.description, parsely-description",
        ..ROW
    },
    Row {
        names: "category, categories, product category, product type, section, article section, \
            news section, recipe category, app category, job category, event category, video category, \
            meal type, meal course, kategorie, kategorien, ressort, produktkategorie, catégorie, rubrique, \
            catégories, categoría, categorías, sección, categoria, categorie, sezione, seção, categorieën, \
            kategori, sektion, kategoria, luokka, kategorie produktu, kategória, rovat, secțiune, \
            категория, категории, раздел, рубрика, категорія, розділ, κατηγορία, ενότητα, bölüm, カテゴリ, \
            カテゴリー, ジャンル, 分类, 类别, 栏目, 分類, 類別, 카테고리, 분류, 장르, קטגוריה, מדור, \
            التصنيف, القسم, الفئة, genre, genres, género, genere, gênero, žánr, műfaj, жанр, είδος",
        labels: "course, topic, thema, filed under, posted in, gang, menügang, type de plat, portata, \
            plato, maaltijd, rätt, typ jídla, avdelning, osasto, tür, rubrik, gatunek",
        paths: "category.name, category, articleSection, recipeCategory, applicationCategory, genre, \
            occupationalCategory.name, occupationalCategory, about.name",
        metas: "product:category, article:section, parsely-section, category, section",
        ..ROW
    },
    Row {
        names: "keywords, keyword, tags, tag, topics, subjects, labels, hashtags, schlagwörter, \
            schlagworte, stichwörter, schlüsselwörter, mots clés, mot clé, étiquettes, palabras clave, \
            etiquetas, parole chiave, etichette, palavras chave, trefwoorden, sleutelwoorden, nyckelord, \
            taggar, emneord, nøgleord, stikkord, nøkkelord, avainsanat, asiasanat, tunnisteet, \
            słowa kluczowe, tagi, klíčová slova, štítky, kľúčové slová, kulcsszavak, címkék, \
            cuvinte cheie, etichete, ключови думи, етикети, ключевые слова, теги, метки, ключові слова, \
            λέξεις κλειδιά, ετικέτες, anahtar kelimeler, etiketler, キーワード, タグ, 关键词, 标签, \
            關鍵字, 標籤, 키워드, 태그, מילות מפתח, תגיות, الكلمات المفتاحية, الوسوم, كلمات دلالية",
        paths: "keywords, about.name",
        metas: "article:tag, keywords, news_keywords, parsely-tags, sailthru.tags, book:tag, video:tag, \
            citation_keywords, dc.subject",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "image, image url, images, image urls, image link, picture, pictures, photo, photos, \
            thumbnail, thumbnail url, main image, cover image, cover, featured image, hero image, \
            lead image, poster, profile image, avatar, gallery, img",
        paths: "image.url, image.contentUrl, image, thumbnailUrl, photo",
        metas: "og:image, twitter:image, og:image:url, og:image:secure_url, twitter:image:src, \
            sailthru.image.full, parsely-image-url",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "logo, logo url, company logo",
        paths: "logo.url, logo.contentUrl, logo, publisher.logo.url, hiringOrganization.logo.url, \
            hiringOrganization.logo",
        metas: "og:logo",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "url, link, page url, page link, permalink, canonical url, product url, product link, \
            web address",
        paths: "url, mainEntityOfPage, @id",
        metas: "og:url, twitter:url, parsely-link",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "website, homepage, home page, web site, site url, website url, company url, \
            company website, webseite, internetseite, site web, site internet, sitio web, página web, \
            sito web, sito internet, site oficial, hemsida, webbplats, webbsida, hjemmeside, nettside, \
            kotisivu, verkkosivu, strona internetowa, strona www, webové stránky, webová stránka, \
            weboldal, honlap, pagina web, уебсайт, веб сайт, сайт, вебсайт, ιστοσελίδα, web sitesi, \
            internet sitesi, ウェブサイト, ホームページ, 网站, 网址, 官网, 網站, 홈페이지, 웹사이트, אתר, \
            אתר אינטרנט, الموقع الإلكتروني",
        labels: "web, www",
        paths: "sameAs, url",
        metas: "business:contact_data:website",
        ..ROW
    },
    Row {
        names: "language, languages, lang, in language, book language, content language, sprache, \
            sprachen, langue, langues, idioma, idiomas, lingua, lingue, língua, taal, talen, språk, sprog, \
            kieli, język, jazyk, nyelv, limba, език, язык, мова, γλώσσα, dil, dili, 言語, 语言, 语种, \
            語言, 언어, שפה, اللغة, لغة",
        paths: "inLanguage.name, inLanguage.alternateName, inLanguage, availableLanguage",
        metas: "dc.language, dcterms.language, citation_language, language, content-language, og:locale",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "comment count, comments count, number of comments, num comments, comments, total comments, \
            reply count, replies, number of replies, kommentare, anzahl kommentare, antworten, \
            commentaires, nombre de commentaires, réponses, comentarios, número de comentarios, \
            respuestas, commenti, risposte, comentários, número de comentários, respostas, reacties, \
            kommentarer, svar, kommentit, vastaukset, komentarze, liczba komentarzy, odpowiedzi, \
            komentáře, počet komentářů, odpovědi, komentáre, odpovede, hozzászólások, válaszok, \
            comentarii, răspunsuri, коментари, отговори, комментарии, ответы, ответов, коментарі, \
            відповіді, σχόλια, απαντήσεις, yorumlar, yorum sayısı, cevaplar, コメント, コメント数, 返信数, \
            评论数, 评论, 回复, 回覆, 댓글, 댓글수, 답글, תגובות, التعليقات, عدد التعليقات, الردود",
        paths: "commentCount, interactionStatistic.userInteractionCount",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "upvote count, upvotes, vote count, like count, likes, number of likes, number of votes, \
            gefällt mir, j aime, me gusta, mi piace, curtidas, vind ik leuks, gillar, tykkäykset, \
            polubienia, kedvelések, voturi, нравится, вподобання, beğeni, いいね, 点赞, 讚, 추천, 좋아요, \
            לייקים, إعجاب",
        labels: "votes, favorites, claps, głosy, hlasy, голоса, stimmen",
        paths: "upvoteCount, interactionStatistic.userInteractionCount",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "view count, views, number of views, total views, watch count, play count, aufrufe, \
            ansichten, angesehen, vues, nombre de vues, visualizaciones, vistas, reproducciones, \
            visualizzazioni, visualizações, weergaven, visningar, visninger, katselukerrat, näyttökerrat, \
            wyświetlenia, liczba wyświetleń, odsłony, zobrazení, zhlédnutí, zhliadnutí, megtekintés, \
            megtekintések, vizualizări, преглеждания, прегледи, просмотры, просмотров, перегляди, \
            переглядів, προβολές, görüntülenme, izlenme, 再生回数, 閲覧数, 视频播放量, 播放量, 浏览量, \
            阅读, 觀看次數, 瀏覽次數, 조회수, 조회, צפיות, المشاهدات, عدد المشاهدات",
        labels: "visits, reads, hits",
        paths: "interactionStatistic.userInteractionCount, userInteractionCount",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "editor, editors, edited by, herausgeberin, hrsg, editor in chief, \
            directeur de publication, curatore, redaktör, redaktør, redaktor, redaktorka, szerkesztő, \
            редактор, επιμέλεια, επιμελητής, editör, 編集者, 責任編輯, 责任编辑, 편집자, עורך, المحرر, \
            تحرير",
        labels: "toimittaja, redactor, redacteur, 编辑, 編輯",
        paths: "editor.name, editor",
        ..ROW
    },
    Row {
        names: "doi, digital object identifier",
        paths: "sameAs, identifier",
        metas: "citation_doi, dc.identifier, dc.identifier.doi, prism.doi, bepress_citation_doi",
        ..ROW
    },
    Row {
        names: "journal, journal name, journal title, zeitschrift, revue, revista, rivista, tijdschrift, \
            tidskrift, tidsskrift, lehti, czasopismo, časopis, folyóirat, списание, журнал, περιοδικό, \
            dergi, 期刊, 저널",
        paths: "isPartOf.isPartOf.name, isPartOf.name",
        metas: "citation_journal_title, prism.publicationname",
        ..ROW
    },
    Row {
        names: "license, licence, licence type, lizenz, licencia, licenza, licença, licentie, licens, \
            lisens, lisenssi, licencja, licență, лиценз, лицензия, ліцензія, άδεια χρήσης, lisans, \
            ライセンス, 许可证, 授權, 라이선스, רישיון, الترخيص",
        paths: "license.name, license",
        metas: "dc.rights, dcterms.license",
        ..ROW
    },
];
