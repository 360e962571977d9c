//! Articles, posts, questions and what all pages have.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "name, title, headline, product name, item name, product title, article title, news title, \
            post title, thread title, event name, event title, recipe name, recipe title, book title, \
            course name, course title, video title, film title, movie title, song title, game title, \
            page title, full name, person name, titel, titre, intitulé, título, titolo, otsikko, tytuł, \
            nadpis, název, názov, titlu, заголовок, заглавие, τίτλος, başlık, タイトル, 題名, 件名, 标题, \
            標題, 제목, כותרת, العنوان الرئيسي, produktname, artikelname, buchtitel, nom du produit, \
            nom complet, nombre del producto, nombre completo, nome do produto, nome completo, \
            nome del prodotto, productnaam, produktnamn, tuotenimi, nazwa produktu, název produktu, \
            názov produktu, terméknév, numele produsului, название товара, назва товару, ürün adı, 商品名, \
            製品名, 商品名称, 상품명, 제품명, שם המוצר, اسم المنتج",
        labels: "tittel, nom, nombre, nome, naam, namn, navn, nimi, nazwa, jméno, meno, név, nume, имя, \
            название, име, наименование, назва, όνομα, isim, adı, 氏名, 名前, 名称, 姓名, 이름, 성명, שם, \
            الاسم, cím",
        paths: "name, headline, title",
        metas: "og:title, twitter:title, title, dc.title, dcterms.title, citation_title, parsely-title, \
            sailthru.title",
        ..ROW
    },
    Row {
        names: "question, question title, frage, pregunta, domanda, pergunta, vraag, fråga, spørgsmål, \
            spørsmål, kysymys, pytanie, otázka, kérdés, întrebare, вопрос, въпрос, питання, ερώτηση, soru, \
            質問, 问题, 問題, 질문, שאלה, السؤال, سؤال",
        paths: "name, headline, text",
        metas: "og:title, title",
        broader: "name",
        ..ROW
    },
    Row {
        names: "subtitle, sub title, subheading, subheadline, alternative headline, tagline, untertitel, \
            sous titre, subtítulo, sottotitolo, ondertitel, undertitel, underrubrik, alaotsikko, podtytuł, \
            podtitul, alcím, subtitlu, подзаголовок, подзаглавие, підзаголовок, υπότιτλος, alt başlık, \
            サブタイトル, 副标题, 副標題, 부제, כותרת משנה, العنوان الفرعي",
        paths: "alternativeHeadline, alternateName",
        ..ROW
    },
    Row {
        names: "article body, body, text, content, full text, main text, body text, article text, \
            article content, post text, question body, question text, message, comment text, artikeltext, \
            texte, texto, testo, conteúdo, contenido, tekst, treść, obsah, szöveg, текст, съдържание, \
            κείμενο, metin, 本文, 正文, 본문, תוכן, النص",
        paths: "articleBody, text, reviewBody",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "author, author name, authors, writer, byline, written by, creator, posted by, post author, \
            article author, book author, recipe author, author full name, review author, critic, asked by, uploaded by, uploader, channel, channel name, \
            journalist, reporter, columnist, contributor, autor, autorin, verfasser, geschrieben von, \
            redakteur, rezept von, auteur, autrice, écrit par, rédigé par, autora, escrito por, \
            publicado por, autore, scritto da, a cura di, recensore, schrijver, geschreven door, \
            författare, skriven av, skribent, forfatter, skrevet af, skrevet av, kirjoittaja, kirjailija, \
            tekijä, autorka, autorzy, napisał, napsal, autoři, autori, szerző, írta, autorul, scris de, \
            автор, авторы, автори, написал, συγγραφέας, συντάκτης, yazar, yazarı, yazan, 著者, 作者, \
            執筆者, 投稿者, 筆者, 記者, 撰文, 저자, 작성자, 글쓴이, 지은이, 기자, מחבר, מאת, כותב, المؤلف, \
            الكاتب, تأليف, بقلم",
        paths: "author.name, author, creator.name, creator",
        metas: "author, article:author, dc.creator, dcterms.creator, book:author, books:author, \
            citation_author, parsely-author, sailthru.author",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "reviewer, reviewer name, reviewed by, medically reviewed by, fact checked by, fact checker, \
            geprüft von, fachlich geprüft von, medizinisch geprüft von, relu par, revisado por, revisto por, \
            revisionato da, gecontroleerd door, granskad av, gennemgået af, проверил, 監修者",
        paths: "reviewedBy.name, reviewedBy",
        ..ROW
    },
    Row {
        names: "publisher, publisher name, site name, publication, published by, publishing house, \
            imprint, verlag, herausgeber, éditeur, maison d édition, éditions, editorial, editora, \
            editore, casa editrice, uitgever, uitgeverij, förlag, utgivare, forlag, udgiver, utgiver, \
            kustantaja, julkaisija, wydawca, wydawnictwo, vydavatel, nakladatelství, nakladatel, \
            vydavateľ, vydavateľstvo, kiadó, editura, издатель, издательство, издател, издателство, \
            видавець, видавництво, εκδότης, εκδόσεις, yayınevi, yayıncı, 出版社, 発行元, 출판사, 발행처, \
            הוצאה, הוצאה לאור, מוציא לאור, الناشر, دار النشر",
        labels: "editor, zdroj, source, fuente, fonte, quelle, źródło, forrás, sursa, источник, източник, \
            джерело, πηγή, kaynak, 出典, 来源, 來源, 출처, מקור, المصدر",
        paths: "publisher.name, publisher, isPartOf.publisher.name",
        metas: "og:site_name, dc.publisher, dcterms.publisher, citation_publisher, citation_journal_title",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "date published, published, publish date, publication date, published at, published on, \
            published date, date, date posted, posted, posted at, posted on, posted date, posting date, \
            post date, pub date, publish time, released, release date, released on, upload date, uploaded, \
            uploaded at, uploaded on, review date, asked on, asked at, article date, issue date, \
            date of publication, publication year, year published, date of issue, veröffentlicht, \
            veröffentlicht am, veröffentlichungsdatum, erscheinungsdatum, erscheinungstermin, erschienen, \
            publiziert, eingestellt am, erstellt am, datum, date de publication, date de parution, publié, \
            publié le, publiée le, mis en ligne le, parution, date de sortie, fecha, fecha de publicación, \
            publicado, publicado el, publicado em, data di pubblicazione, pubblicato, pubblicato il, \
            data de publicação, data de lançamento, fecha de lanzamiento, data di uscita, uscita, \
            publicatiedatum, verschijningsdatum, gepubliceerd, gepubliceerd op, geplaatst op, geplaatst, \
            publicerad, publicerat, utgivningsdatum, publiceringsdatum, utgiven, udgivet, udgivelsesdato, \
            offentliggjort, publisert, utgivelsesdato, publicerades, julkaistu, julkaisupäivä, \
            ilmestymispäivä, opublikowano, data publikacji, data wydania, dodano, data dodania, premiera, \
            publikováno, zveřejněno, datum vydání, vydáno, publikované, zverejnené, dátum vydania, \
            pridané, přidáno, közzétéve, megjelenés, megjelenés dátuma, megjelent, publicat, publicat la, \
            data publicării, data apariției, publicată, публикувано, публикувана на, дата на публикуване, \
            дата на издаване, опубликовано, дата публикации, дата выхода, дата издания, размещено, \
            опубліковано, дата публікації, дата виходу, δημοσιεύτηκε, δημοσίευση, ημερομηνία δημοσίευσης, \
            ημερομηνία έκδοσης, yayınlanma tarihi, yayın tarihi, yayımlanma tarihi, yayınlandı, \
            ilan tarihi, 公開日, 投稿日, 掲載日, 発売日, 発行日, 更新日時, 配信日, 日付, 发布时间, \
            发布日期, 发表时间, 出版日期, 出版时间, 上市时间, 日期, 發布日期, 出版日, 發佈日期, 발행일, \
            게시일, 등록일, 작성일, 출간일, 출시일, 날짜, פורסם, תאריך פרסום, יצא לאור, תאריך, \
            تاريخ النشر, نشر في, تاريخ الإصدار, التاريخ",
        labels: "data, dato, dátum, päivämäärä, pvm, дата, ημερομηνία, tarih",
        paths: "datePublished, datePosted, uploadDate, dateCreated, releaseDate, dateReleased",
        metas: "article:published_time, og:published_time, date, dc.date, pubdate, publish-date, \
            publishdate, dc.date.issued, dcterms.created, dcterms.issued, book:release_date, \
            books:release_date, video:release_date, og:release_date, citation_publication_date, \
            citation_date, parsely-pub-date, sailthru.date, article.published, publication_date, \
            date.issued",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "date modified, modified, updated, last updated, updated at, updated on, last update, \
            last modified, modified at, modified date, update date, revised, last changed, aktualisiert, \
            aktualisiert am, zuletzt aktualisiert, letzte aktualisierung, geändert am, mis à jour, \
            mis à jour le, dernière mise à jour, modifié le, date de modification, actualizado, \
            actualizado el, última actualización, fecha de actualización, aggiornato, aggiornato il, \
            ultimo aggiornamento, atualizado, atualizado em, última atualização, bijgewerkt, \
            bijgewerkt op, laatst bijgewerkt, laatst gewijzigd, laatste update, uppdaterad, \
            senast uppdaterad, uppdaterat, opdateret, sidst opdateret, oppdatert, sist oppdatert, \
            päivitetty, viimeksi päivitetty, zaktualizowano, aktualizacja, data aktualizacji, \
            ostatnia aktualizacja, aktualizováno, poslední aktualizace, aktualizované, \
            posledná aktualizácia, frissítve, utolsó frissítés, módosítva, actualizat, ultima actualizare, \
            edited, edited on, edited at, last edited, last edited on, last edit, bearbeitet, \
            zuletzt bearbeitet, édité le, editado, editado el, editado em, modificato il, bewerkt, \
            laatst bewerkt, redigerad, redigeret, redigert, edytowano, upraveno, отредактировано, \
            изменено, обновено, последна актуализация, обновлено, последнее обновление, дата обновления, \
            оновлено, останнє оновлення, ενημερώθηκε, τελευταία ενημέρωση, güncellendi, güncelleme tarihi, \
            son güncelleme, 更新日, 最終更新日, 最終更新, 更新时间, 最后更新, 更新日期, 最後更新, 수정일, \
            업데이트, 최종수정, עודכן, עדכון אחרון, תאריך עדכון, آخر تحديث, تاريخ التحديث, تم التحديث",
        labels: "update, mise à jour, stand",
        paths: "dateModified",
        metas: "article:modified_time, og:updated_time, dc.date.modified, dcterms.modified, last-modified, \
            modified, article.updated, lastmod, revised",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "date created, created, created at, created on, created date, creation date, creation time, \
            date of creation, erstellungsdatum, erstellt, date de création, créé le, fecha de creación, \
            creado el, creado, data di creazione, creato il, data de criação, criado em, aangemaakt op, \
            aanmaakdatum, skapad, skapades, oprettet, opprettet, luotu, utworzono, data utworzenia, \
            vytvořeno, vytvorené, létrehozva, creat la, data creării, създадено, дата создания, создано, \
            створено, δημιουργήθηκε, oluşturulma tarihi, 作成日, 作成日時, 创建时间, 建立日期, 생성일, \
            נוצר, تاريخ الإنشاء",
        paths: "dateCreated, datePublished",
        metas: "dc.date.created, dcterms.created, created, article:published_time",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "answer count, answers count, number of answers, num answers, anzahl antworten, \
            nombre de réponses, número de respuestas, numero di risposte, número de respostas, \
            aantal antwoorden, antal svar, antall svar, liczba odpowiedzi, počet odpovědí, \
            количество ответов, кількість відповідей, cevap sayısı, 回答数, 回答數, 답변수, عدد الإجابات",
        labels: "answers, antworten, réponses, respuestas, risposte, respostas, antwoorden, svar, \
            vastaukset, odpowiedzi, odpovědi, válaszok, ответы, 回答, 답변, תשובות",
        paths: "answerCount",
        ..ROW
    },
    Row {
        names: "answer, answer text, answer body, antwort, réponse, respuesta, risposta, resposta, \
            antwoord, vastaus, odpowiedź, odpověď, odpoveď, válasz, răspuns, отговор, ответ, відповідь, \
            απάντηση, cevap, yanıt, 回答, 答案, 답변, תשובה, الإجابة, الجواب",
        labels: "svar",
        paths: "acceptedAnswer.text, suggestedAnswer.text, text",
        ..ROW
    },
    Row {
        names: "accepted answer, best answer, top answer, solution, accepted answer text, beste antwort, \
            akzeptierte antwort, lösung, meilleure réponse, mejor respuesta, solución, miglior risposta, \
            soluzione, melhor resposta, solução, beste antwoord, oplossing, najlepsza odpowiedź, \
            rozwiązanie, лучший ответ, решение, 解決策, ベストアンサー, 最佳答案, 채택된 답변",
        paths: "acceptedAnswer.text, suggestedAnswer.text",
        ..ROW
    },
    Row {
        form: ValueForm::Duration,
        names: "reading time, read time, time to read, estimated reading time, lesezeit, lesedauer, \
            temps de lecture, tiempo de lectura, tempo di lettura, tempo de leitura, leestijd, lästid, \
            læsetid, lesetid, lukuaika, czas czytania, doba čtení, čas čítania, olvasási idő, \
            timp de citire, време за четене, время чтения, час читання, χρόνος ανάγνωσης, okuma süresi, \
            読了時間, 阅读时间, 읽는 시간, זמן קריאה, مدة القراءة",
        paths: "timeRequired",
        metas: "twitter:data:reading_time",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "word count, words, number of words, anzahl wörter, nombre de mots, número de palabras, \
            liczba słów, количество слов, 字数",
        paths: "wordCount",
        ..ROW
    },
];
