//! Recipes.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Duration,
        names: "prep time, preparation time, time to prepare, active time, hands on time, \
            vorbereitungszeit, zubereitungszeit aktiv, temps de préparation, tiempo de preparación, \
            tempo di preparazione, tempo de preparo, tempo de preparação, voorbereidingstijd, \
            bereidingstijd, förberedelsetid, forberedelsestid, arbejdstid, arbeidstid, tilberedelsestid, \
            valmisteluaika, czas przygotowania, doba přípravy, čas přípravy, čas prípravy, \
            előkészítési idő, előkészítés, timp de preparare, време за подготовка, время подготовки, \
            час підготовки, χρόνος προετοιμασίας, προετοιμασία, hazırlık süresi, hazırlama süresi, \
            hazırlık, 準備時間, 下準備, 准备时间, 備料時間, 준비시간, 준비 시간, זמן הכנה, وقت التحضير, \
            مدة التحضير, التحضير",
        labels: "prep, preparation, preparación, preparazione, préparation, preparo, przygotowanie, \
            příprava, príprava, подготовка, підготовка, preparare, förberedelse, forberedelse, \
            voorbereiding, arbeitszeit",
        paths: "prepTime",
        ..ROW
    },
    Row {
        form: ValueForm::Duration,
        names: "cook time, cooking time, time to cook, bake time, baking time, kochzeit, koch backzeit, \
            backzeit, garzeit, temps de cuisson, cuisson, tiempo de cocción, cocción, tiempo de cocinado, \
            tiempo de horneado, tempo di cottura, cottura, tempo de cozimento, tempo de cozedura, \
            cozimento, cozedura, kooktijd, oventijd, baktijd, tillagningstid, koktid, stegetid, bagetid, \
            koketid, steketid, kypsennysaika, paistoaika, czas gotowania, czas pieczenia, gotowanie, \
            pieczenie, doba vaření, doba pečení, čas vaření, čas pečení, čas varenia, čas pečenia, \
            főzési idő, sütési idő, elkészítési idő, timp de gătire, timp de coacere, gătire, \
            време за готвене, готвене, время готовки, час готування, χρόνος μαγειρέματος, μαγείρεμα, \
            ψήσιμο, pişirme süresi, pişirme, 調理時間, 加熱時間, 烹饪时间, 烹飪時間, 조리시간, 조리 시간, \
            זמן בישול, זמן אפייה, وقت الطهي, مدة الطهي, الطهي",
        labels: "cooking, cook, bake, baking",
        paths: "cookTime",
        ..ROW
    },
    Row {
        form: ValueForm::Duration,
        names: "total time, overall time, ready in, time needed, total duration, recipe time, gesamtzeit, \
            gesamtdauer, zubereitungszeit, fertig in, temps total, durée totale, tiempo total, \
            duración total, tempo totale, tempo total, totale tijd, totaltid, total tid, tid i alt, \
            samlet tid, kokonaisaika, valmistusaika, czas całkowity, łączny czas, czas wykonania, \
            celkový čas, celková doba, teljes idő, összes idő, timp total, общо време, общее время, \
            время приготовления, загальний час, час приготування, συνολικός χρόνος, toplam süre, 合計時間, \
            所要時間, 总时间, 总耗时, 總時間, 소요시간, 총 시간, זמן כולל, סך הכל זמן, الوقت الكلي, \
            الوقت الإجمالي",
        paths: "totalTime, performTime",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "servings, serves, yield, yields, portions, serving count, number of servings, \
            number of portions, serving size count, recipe yield, portionen, anzahl portionen, \
            für personen, nombre de personnes, nombre de portions, porciones, raciones, comensales, \
            número de porciones, porzioni, dosi per, porções, rendimento, porties, aantal personen, \
            portioner, antal portioner, antal personer, porsjoner, antall porsjoner, annokset, annosta, \
            annosmäärä, porcje, liczba porcji, ilość porcji, porce, počet porcí, porcie, počet porcií, \
            adag, adagok száma, porții, număr de porții, porție, порции, брой порции, порций, \
            количество порций, порції, кількість порцій, μερίδες, για άτομα, kişilik, porsiyon, \
            porsiyon sayısı, 人数, 何人分, 份量, 人份, 인분, 분량, מנות, מספר מנות, عدد الحصص, الحصص, \
            عدد الأشخاص, تكفي",
        labels: "porciók, personas, pessoas, personer, osób, osoby, parts, doses, rende, dosi, persone, \
            personen, personnes, 分量, makes",
        paths: "recipeYield, yield",
        ..ROW
    },
    Row {
        names: "ingredients, ingredient, ingredient list, recipe ingredients, recipe ingredient, zutaten, \
            zutatenliste, ingrédients, ingredientes, ingredienti, ingrediënten, ingredienser, ainekset, \
            raaka aineet, składniki, ingredience, suroviny, prísady, ingrediencie, hozzávalók, összetevők, \
            ingrediente, съставки, необходими продукти, продукти, ингредиенты, состав рецепта, \
            інгредієнти, υλικά, συστατικά, malzemeler, içindekiler, 材料, 原材料, 食材, 配料, 用料, 재료, \
            מרכיבים, מצרכים, المكونات, المقادير",
        paths: "recipeIngredient, ingredients, supply.name",
        ..ROW
    },
    Row {
        names: "instructions, steps, directions, instruction, preparation steps, recipe instructions, \
            recipe steps, how to make, cooking instructions, zubereitung, anleitung, zubereitungsschritte, \
            étapes, préparation de la recette, instrucciones, pasos, elaboración, procedimento, \
            procedimiento, istruzioni, passaggi, preparazione passo passo, modo de preparo, modo de fazer, \
            passos, instruções, bereidingswijze, bereiding, werkwijze, instructies, stappen, gör så här, \
            så gör du, tillagning, instruktioner, fremgangsmåde, sådan gør du, tilberedning, \
            fremgangsmåte, slik gjør du, ohjeet, valmistusohje, sposób przygotowania, \
            przygotowanie krok po kroku, instrukcje, postup přípravy, postup prípravy, elkészítés, \
            elkészítése, mod de preparare, instrucțiuni, начин на приготвяне, приготвяне, приготовление, \
            способ приготовления, шаги, інструкції, приготування, спосіб приготування, οδηγίες, βήματα, \
            yapılışı, hazırlanışı, 作り方, 手順, 做法, 步骤, 烹饪步骤, 步驟, 만드는 법, 만드는법, \
            조리순서, 조리방법, אופן הכנה, אופן ההכנה, הוראות הכנה, طريقة التحضير, طريقة العمل, الخطوات",
        labels: "method, tarif, wykonanie, ohje, valmistus, postup, εκτέλεση",
        paths: "recipeInstructions.text, recipeInstructions.itemListElement.text, \
            recipeInstructions.itemListElement.itemListElement.text, recipeInstructions, step.text, \
            step.itemListElement.text, step.name",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "calories, kcal, calories per serving, energy, energy kcal, calorie count, kalorien, \
            brennwert, energie, valeur énergétique, calorías, energía, calorie, valore energetico, \
            calorias, valor energético, calorieën, kalorier, kalorit, kalorie, wartość energetyczna, \
            energetická hodnota, kalórie, kalória, energia, calorii, valoare energetică, калории, \
            калорийность, енергийна стойност, калорії, калорійність, θερμίδες, ενέργεια, kalori, カロリー, \
            エネルギー, 热量, 卡路里, 熱量, 칼로리, 열량, קלוריות, السعرات الحرارية, سعرات",
        paths: "nutrition.calories, calories",
        ..ROW
    },
    Row {
        names: "protein, proteins, protein content, eiweiß, protéines, proteínas, proteine, eiwit, \
            eiwitten, proteiini, białko, bílkoviny, bielkoviny, fehérje, протеини, белки, білки, \
            πρωτεΐνες, たんぱく質, 蛋白质, 蛋白質, 단백질, חלבון, חלבונים, البروتين",
        paths: "nutrition.proteinContent",
        ..ROW
    },
    Row {
        names: "fat, fats, fat content, total fat, fett, lipides, matières grasses, grasas, grassi, \
            gorduras, vetten, fedt, tłuszcz, tłuszcze, zsír, grăsimi, мазнини, жиры, жири, λιπαρά, 脂質, \
            脂肪, 지방, שומן, الدهون",
        labels: "vet, yağ, rasva, tuky",
        paths: "nutrition.fatContent",
        ..ROW
    },
    Row {
        names: "carbohydrates, carbs, carbohydrate, carbohydrate content, kohlenhydrate, glucides, \
            carbohidratos, hidratos de carbono, carboidrati, carboidratos, koolhydraten, kolhydrater, \
            kulhydrater, karbohydrater, hiilihydraatit, węglowodany, sacharidy, szénhidrát, carbohidrați, \
            въглехидрати, углеводы, вуглеводи, υδατάνθρακες, karbonhidrat, 炭水化物, 碳水化合物, 탄수화물, \
            פחמימות, الكربوهيدرات",
        paths: "nutrition.carbohydrateContent",
        ..ROW
    },
    Row {
        names: "cuisine, cuisine type, recipe cuisine, kind of cuisine, küche, landesküche, \
            type de cuisine, cocina, tipo de cocina, cucina, tipo di cucina, culinária, cozinha, keuken, \
            kök, køkken, kjøkken, keittiö, kuchnia, kuchyně, kuchyňa, konyha, bucătărie, кухня, κουζίνα, \
            mutfak, mutfağı, 料理ジャンル, 菜系, 料理類型, 요리 종류, מטבח, المطبخ",
        paths: "recipeCuisine, servesCuisine",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "diet, suitable for diet, dietary, dietary information, diet type, ernährungsform, \
            ernährung, régime, régime alimentaire, dieta, dieet, diett, ruokavalio, diéta, étrend, диета, \
            дієта, δίαιτα, diyet, 食事制限, 饮食类型, 식단, דיאטה, النظام الغذائي",
        paths: "suitableForDiet",
        ..ROW
    },
    Row {
        names: "difficulty, difficulty level, skill level, schwierigkeit, schwierigkeitsgrad, difficulté, \
            dificultad, difficoltà, dificuldade, moeilijkheid, moeilijkheidsgraad, svårighetsgrad, \
            sværhedsgrad, vanskelighetsgrad, vaikeusaste, poziom trudności, trudność, obtížnost, \
            náročnost, obtiažnosť, nehézség, nehézségi fok, dificultate, трудност, сложность, складність, \
            δυσκολία, zorluk, zorluk derecesi, 難易度, 难度, 難度, 난이도, רמת קושי, דרגת קושי, الصعوبة, \
            مستوى الصعوبة",
        paths: "difficulty",
        ..ROW
    },
    Row {
        names: "cooking method, cook method, zubereitungsart, garmethode, mode de cuisson, \
            método de cocción, metodo di cottura, método de cozimento, bereidingsmethode, \
            metoda gotowania, способ готовки, pişirme yöntemi, 調理法, 烹饪方法, 조리법",
        paths: "cookingMethod",
        ..ROW
    },
];
