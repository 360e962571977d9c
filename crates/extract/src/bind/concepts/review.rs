//! Ratings and reviews.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Rating,
        names: "rating, rating value, average rating, avg rating, stars, score, review rating, \
            review score, user rating, customer rating, overall rating, star rating, number of stars, \
            rating score, bewertung, durchschnittliche bewertung, gesamtbewertung, sterne, note moyenne, \
            évaluation, valoración, valoración media, puntuación, calificación, valutazione, voto medio, \
            punteggio, avaliação, nota média, classificação, beoordeling, waardering, betyg, omdöme, \
            bedømmelse, vurdering, arvosana, ocena, średnia ocena, hodnocení, hodnotenie, értékelés, \
            evaluare, оценка, рейтинг, оцінка, αξιολόγηση, βαθμολογία, puanı, değerlendirme puanı, 評価, \
            評点, 评分, 評分, 평점, 별점, דירוג, ציון, التقييم, تقييم",
        labels: "note, nota, voto, cijfer, anmeldelse, értékelések, avis, arvio, puan",
        paths: "aggregateRating.ratingValue, reviewRating.ratingValue, ratingValue, starRating.ratingValue",
        metas: "product:rating, product:rating:value, og:rating, books:rating:value, rating",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "review count, rating count, number of reviews, number of ratings, reviews count, \
            num reviews, num ratings, total reviews, total ratings, reviews, ratings, ratings count, \
            no of reviews, customer reviews, user reviews, anzahl bewertungen, anzahl der bewertungen, \
            bewertungen, rezensionen, kundenbewertungen, nombre d avis, avis clients, évaluations, \
            opiniones, reseñas, valoraciones, número de opiniones, número de reseñas, recensioni, \
            numero di recensioni, valutazioni, avaliações, número de avaliações, beoordelingen, \
            aantal beoordelingen, recensies, omdömen, antal omdömen, recensioner, anmeldelser, \
            antal anmeldelser, antall anmeldelser, vurderinger, arvostelut, arvostelua, arviot, opinie, \
            liczba opinii, liczba ocen, recenzje, počet hodnocení, recenze, počet recenzí, \
            počet hodnotení, recenzie, vélemények, értékelések száma, recenzii, număr de recenzii, отзиви, \
            оценки, отзывы, отзывов, количество отзывов, количество оценок, відгуки, відгуків, κριτικές, \
            αξιολογήσεις, değerlendirmeler, değerlendirme sayısı, レビュー数, レビュー件数, 口コミ数, \
            评价数, 评论数量, 評論數, 評價數, 리뷰수, 리뷰 수, 후기, 상품평, ביקורות, מספר ביקורות, \
            חוות דעת, عدد التقييمات, المراجعات, التقييمات",
        labels: "yorum sayısı",
        paths: "aggregateRating.reviewCount, aggregateRating.ratingCount, reviewCount, ratingCount",
        metas: "product:review_count, product:rating:count",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "best rating, highest rating, max rating, rating scale",
        paths: "aggregateRating.bestRating, reviewRating.bestRating, bestRating",
        metas: "product:rating:scale",
        ..ROW
    },
    Row {
        names: "item reviewed, reviewed item, reviewed product, review subject, product reviewed, \
            bewertetes produkt, produit testé, producto reseñado, prodotto recensito, produto avaliado",
        labels: "item, product, produkt, produit, producto",
        paths: "itemReviewed.name, itemReviewed, name",
        metas: "og:title",
        ..ROW
    },
    Row {
        names: "review body, review text, review, review content, comment, user comment, rezension, \
            bewertungstext, critique, commentaire, reseña, comentario, opinión, recensione, comentário, \
            resenha, recensie, recension, anmeldelse, omtale, arvostelu, recenzja, opinia, komentarz, \
            komentář, recenzia, vélemény, рецензия, отзив, отзыв, коментар, комментарий, відгук, рецензія, \
            κριτική, inceleme, yorum, レビュー, 口コミ, 感想, 评论内容, 评价内容, 評論, 리뷰, 후기 내용, \
            ביקורת, المراجعة, تعليق",
        labels: "recenze, recenzie",
        paths: "reviewBody, description, text",
        ..ROW
    },
    Row {
        names: "pros, advantages, strengths, vorteile, avantages, points forts, ventajas, vantagens, \
            pontos positivos, voordelen, pluspunten, fördelar, fordele, fordeler, plussat, zalety, plusy, \
            výhody, klady, előnyök, avantaje, плюсы, достоинства, предимства, переваги, πλεονεκτήματα, \
            artıları, avantajlar, 良い点, メリット, 优点, 優點, 장점, יתרונות, المزايا, الإيجابيات",
        paths: "positiveNotes.itemListElement.name, positiveNotes",
        ..ROW
    },
    Row {
        names: "cons, disadvantages, weaknesses, nachteile, inconvénients, points faibles, desventajas, \
            inconvenientes, contro, svantaggi, desvantagens, pontos negativos, nadelen, minpunten, \
            nackdelar, ulemper, miinukset, wady, minusy, nevýhody, zápory, hátrányok, dezavantaje, минусы, \
            недостатки, недостатъци, недоліки, μειονεκτήματα, eksileri, dezavantajlar, 悪い点, デメリット, \
            缺点, 缺點, 단점, חסרונות, العيوب, السلبيات",
        paths: "negativeNotes.itemListElement.name, negativeNotes",
        ..ROW
    },
];
