//! What pages and schemas call their lists.

/// What the values of a list look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// Foods with their amounts.
    Ingredients,
    /// Sentences in an order.
    Steps,
    /// Short terms, mostly links.
    Keywords,
    /// Short terms, mostly links; else the steps between the start page and this one.
    Categories,
    /// The steps from the start page to this one.
    Trail,
    /// Names of persons or groups.
    People,
    /// Addresses of images.
    Images,
    /// Any texts.
    Any,
}

/// A list that many pages have, with its names in folded words (`crate::bind::folded`), separated by `|`.
pub(super) type ListNames = (ItemKind, &'static str);

/// The lists with their names in many languages.
pub(super) static LISTS: [ListNames; 17] = [
    (ItemKind::Ingredients, INGREDIENTS),
    (ItemKind::Steps, STEPS),
    (ItemKind::Any, FEATURES),
    (ItemKind::Keywords, KEYWORDS),
    (ItemKind::Categories, CATEGORIES),
    (ItemKind::Keywords, GENRES),
    (ItemKind::Trail, TRAIL),
    (ItemKind::People, AUTHORS),
    (ItemKind::People, PERFORMERS),
    (ItemKind::People, SPEAKERS),
    (ItemKind::Images, IMAGES),
    (ItemKind::Any, REQUIREMENTS),
    (ItemKind::Any, DUTIES),
    (ItemKind::Any, BENEFITS),
    (ItemKind::Any, SKILLS),
    (ItemKind::Any, EQUIPMENT),
    (ItemKind::Any, NUTRITION),
];

const INGREDIENTS: &str = "\
    ingredients|ingredient|ingredient list|what you need|what you ll need|you will need|you need|\
    you ll need|das brauchst du|il vous faut|necesitas|occorrente|potrzebujesz|potřebujeme|нам понадобится|\
    du behöver|du trenger|du skal bruge|用意するもの|zutaten|zutat|\
    zutatenliste|ingrédients|ingrédient|ingredientes|ingrediente|ingredienti|ingrediënten|ingrediencie|\
    ingredience|suroviny|składniki|összetevők|hozzávalók|sestavine|sastojci|ингредиенты|інгредієнти|\
    съставки|продукты|необходими продукти|ainekset|ainesosat|ingredienser|hráefni|malzemeler|\
    koostisosad|sastāvdaļas|ingridientai|ingredientai|υλικά|συστατικά|材料|原材料|食材|用料|재료|מצרכים|מרכיבים|\
    المكونات|المقادير|مواد لازم|bahan|bahan bahan|nguyên liệu|सामग री|ส วนผสม";

const STEPS: &str = "\
    instructions|instruction|instructions list|steps|step|directions|direction|method|preparation|\
    procedure|how to make it|how to make|zubereitung|anleitung|schritte|zubereitungsschritte|\
    préparation|étapes|étape|étapes de préparation|preparación|elaboración|instrucciones|pasos|\
    modo de preparo|preparação|modo de preparação|passos|instruções|preparazione|procedimento|\
    istruzioni|bereiding|bereidingswijze|instructies|stappen|postup|postup přípravy|postup prípravy|\
    příprava|príprava|przygotowanie|sposób przygotowania|wykonanie|elkészítés|elkészítése|\
    mod de preparare|preparare|priprava|postopek|priprema|приготовление|способ приготовления|инструкция|\
    пошаговый рецепт|приготування|спосіб приготування|приготвяне|начин на приготвяне|valmistusohje|\
    valmistus|ohjeet|gör så här|så gör du|tillagning|instruktioner|fremgangsmåde|fremgangsmåte|\
    slik gjør du|aðferð|hazırlanışı|yapılışı|valmistamine|pagatavošana|gaminimas|εκτέλεση|οδηγίες|作り方|\
    手順|步骤|步驟|做法|조리순서|조리법|만드는 법|만드는법|אופן ההכנה|הוראות הכנה|طريقة التحضير|طريقة العمل|طرز تهیه|\
    cara membuat|langkah langkah|cách làm|विधि";

const FEATURES: &str = "\
    features|feature|key features|main features|product features|highlights|product highlights|\
    bullet points|about this item|merkmale|produktmerkmale|eigenschaften|caractéristiques|points forts|\
    características|características principales|caratteristiche|kenmerken|vlastnosti|cechy|jellemzők|\
    caracteristici|značajke|lastnosti|особенности|характеристики|особливості|характеристика|\
    ominaisuudet|egenskaper|egenskaber|özellikler|χαρακτηριστικά|特徴|特长|特点|特點|특징|תכונות|المميزات|fitur|\
    tính năng";

const KEYWORDS: &str = "\
    keywords|keyword|tags|tag|tag list|tagged|tagged with|post tags|article tags|topics|topic|\
    related topics|related tags|hashtags|schlagwörter|schlagworte|stichwörter|stichworte|themen|\
    mots clés|étiquettes|sujets|thèmes|etiquetas|temas|palabras clave|palavras chave|tópicos|assuntos|\
    parole chiave|argomenti|etichette|trefwoorden|onderwerpen|štítky|klíčová slova|kľúčové slová|témata|\
    tagi|słowa kluczowe|tematy|címkék|kulcsszavak|etichete|cuvinte cheie|oznake|ključne riječi|\
    ključne besede|теги|метки|ключевые слова|темы|теґи|мітки|ключові слова|тагове|етикети|avainsanat|\
    asiasanat|aiheet|nyckelord|ämnen|taggar|emneord|emner|stikkord|nøgleord|etiketler|anahtar kelimeler|\
    konular|märksõnad|atslēgvārdi|raktažodžiai|ετικέτες|λέξεις κλειδιά|タグ|キーワード|标签|標籤|关键词|關鍵字|话题|태그|키워드|\
    תגיות|מילות מפתח|الكلمات المفتاحية|وسوم|الوسوم|کلیدواژه ها|kata kunci|từ khóa|chủ đề";

const CATEGORIES: &str = "\
    categories|category|category list|filed under|posted in|kategorien|kategorie|rubriken|rubrik|\
    catégories|catégorie|rubriques|categorías|categoría|categorias|categoria|categorie|categorieën|\
    kategórie|kategorier|kategoriat|kategóriák|categorii|kategorije|категории|категория|рубрики|рубрика|\
    категорії|категорія|kategoriler|kategoriad|kategorijas|kategorijos|κατηγορίες|カテゴリ|カテゴリー|分类|分類|카테고리|\
    קטגוריות|التصنيفات|الأقسام|دسته بندی|kategori|danh mục";

const GENRES: &str = "\
    genres|genre|géneros|género|gêneros|gênero|generi|genere|žánry|žánr|gatunki|gatunek|műfaj|műfajok|\
    genuri|žanr|žanrovi|жанры|жанр|жанри|genrer|genret|lajityypit|türler|tür|είδη|ジャンル|类型|類型|장르|ז אנר";

const TRAIL: &str = "breadcrumb|breadcrumbs|breadcrumb trail|breadcrumb list|category path|navigation path";

const AUTHORS: &str = "\
    authors|author|author list|written by|by|autoren|autor|autorinnen und autoren|auteurs|auteur|\
    autores|autori|autore|autorzy|autoři|szerzők|szerző|авторы|автор|автори|författare|forfattere|\
    forfattare|kirjoittajat|tekijät|yazarlar|yazar|συγγραφείς|συγγραφέας|著者|作者|저자|지은이|מחברים|المؤلفون|\
    المؤلف|نویسنده|penulis|tác giả";

const PERFORMERS: &str = "\
    performers|performer|artists|artist|line up|lineup|cast|starring|featuring|actors|bands|musicians|\
    interpreten|künstler|künstlerinnen und künstler|mitwirkende|besetzung|darsteller|artistes|\
    interprètes|distribution|acteurs|artistas|intérpretes|elenco|reparto|artisti|interpreti|attori|\
    artiesten|účinkující|hrají|obsada|wykonawcy|artyści|występują|fellépők|szereplők|distribuție|\
    artiști|izvođači|glumci|исполнители|артисты|актеры|в ролях|виконавці|актори|в главните роли|\
    esiintyjät|näyttelijät|artister|medverkande|medvirkende|kunstnere|sanatçılar|oyuncular|καλλιτέχνες|\
    ηθοποιοί|出演|出演者|アーティスト|演出者|演员|主演|阵容|출연|출연진|אמנים|משתתפים|الفنانون|الممثلون|بازیگران";

const SPEAKERS: &str = "\
    speakers|speaker|presenters|panelists|referenten|referentinnen und referenten|redner|intervenants|\
    orateurs|ponentes|oradores|palestrantes|relatori|sprekers|prelegenci|řečníci|přednášející|előadók|\
    vorbitori|predavači|докладчики|спикеры|спікери|puhujat|talare|talere|konuşmacılar|ομιλητές|登壇者|講師|\
    讲者|嘉宾|연사|מרצים|المتحدثون";

const IMAGES: &str = "\
    images|image|image urls|photos|photo|pictures|picture|gallery|image gallery|photo gallery|\
    product images|bilder|fotos|galerie|imágenes|imagens|immagini|afbeeldingen|zdjęcia|obrázky|фото|\
    изображения";

const REQUIREMENTS: &str = "\
    requirements|requirement|qualifications|job requirements|your profile|what you bring|what we expect|\
    what we re looking for|who you are|ihr profil|dein profil|das bringst du mit|das bringen sie mit|\
    anforderungen|anforderungsprofil|profil recherché|votre profil|ton profil|requisitos|\
    requisitos del puesto|requisiti|functie eisen|wat vragen wij|jouw profiel|wymagania|nasze wymagania|\
    oczekujemy|požadavky|požiadavky|požadujeme|elvárások|cerințe|требования|мы ожидаем|вимоги|\
    изисквания|krav|kvalifikationer|vaatimukset|aranan nitelikler|απαιτήσεις|応募資格|任职要求|職務要求|자격요건|דרישות|\
    المتطلبات|persyaratan|yêu cầu";

const DUTIES: &str = "\
    responsibilities|responsibility|duties|key responsibilities|job duties|what you will do|\
    what you ll do|your tasks|your role|tasks|aufgaben|ihre aufgaben|deine aufgaben|missions|\
    vos missions|tes missions|responsabilités|responsabilidades|funciones|atribuições|responsabilità|\
    mansioni|taken|werkzaamheden|wat ga je doen|obowiązki|zakres obowiązków|twój zakres obowiązków|\
    náplň práce|feladatok|responsabilități|обязанности|обов язки|отговорности|arbetsuppgifter|\
    arbeidsoppgaver|arbejdsopgaver|työtehtävät|iş tanımı|仕事内容|岗位职责|工作內容|담당업무|주요업무|תיאור התפקיד|\
    المسؤوليات";

const BENEFITS: &str = "\
    benefits|perks|what we offer|we offer|our offer|why join us|wir bieten|das bieten wir|\
    das bieten wir dir|unser angebot|vorteile|avantages|nous offrons|beneficios|ofrecemos|qué ofrecemos|\
    benefícios|oferecemos|offriamo|wij bieden|wat bieden wij|oferujemy|to oferujemy|nabízíme|ponúkame|\
    amit kínálunk|beneficii|мы предлагаем|условия|ми пропонуємо|предлагаме|vi erbjuder|vi tilbyder|\
    vi tilbyr|tarjoamme|yan haklar|παροχές|福利厚生|福利待遇|복리후생|혜택 및 복지|المزايا";

const SKILLS: &str = "\
    skills|skill|technologies|tech stack|required skills|kenntnisse|fähigkeiten|compétences|habilidades|\
    competencias|competências|competenze|vaardigheden|umiejętności|dovednosti|навыки|навички|\
    kompetenser|taidot|スキル|技能|기술";

const EQUIPMENT: &str = "\
    equipment|tools|supplies|materials|ausstattung|zubehör|matériel|équipement|equipo|utensilios|\
    attrezzatura|benodigdheden|sprzęt|vybavení|vybavenie|инвентарь|оборудование|обладнання|utrustning|\
    utstyr|välineet|道具|工具|도구";

const NUTRITION: &str = "\
    nutrition|nutrition facts|nutritional information|nutrition information|notes|tips|nährwerte|\
    notizen|tipps|valeurs nutritionnelles|notes et astuces|conseils|astuces|información nutricional|\
    notas|consejos|informação nutricional|dicas|valori nutrizionali|note|consigli|voedingswaarde|\
    tips en trucs|wartości odżywcze|wskazówki|nutriční hodnoty|tipy|rady|tápérték|пищевая ценность|\
    советы|примечания|поради|näringsvärde|ravintosisältö|βιταμίνες|栄養成分|コツ ポイント|营养成分|小贴士";

/// Words that a property's name may have before the name of a list: `recipe_ingredients`.
const BEFORE: &str = "\
    recipe|cooking|preparation|article|post|blog|page|news|product|item|key|main|event|book|movie|film|\
    video|show|concert|album|job|course|game|all|the";

/// Words that say no more than that a property is a list: `image_urls`, `ingredient_list`.
const AFTER: &str = "list|lists|url|urls|links|names|items|array|texts|values";

/// The known list that a property's name means, in folded words.
pub(super) fn known(name: &[String]) -> Option<&'static ListNames> {
    let mut name = name;
    loop {
        let found = (0..name.len())
            .take_while(|before| name.iter().take(*before).all(|word| is_one_of(BEFORE, word)))
            .find_map(|before| exact(name.get(before..).unwrap_or_default()));
        if found.is_some() {
            return found;
        }
        let (last, rest) = name.split_last()?;
        if rest.is_empty() || !is_one_of(AFTER, last) {
            return None;
        }
        name = rest;
    }
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split('|').any(|known| known == word)
}

/// Whether a class, an id or a folder of an address says that something is a category of the site.
pub(super) fn says_category(words: &[String]) -> bool {
    let has = |names: &str| words.iter().any(|word| is_one_of(names, word));
    has(CATEGORIES) && !has(KEYWORDS)
}

/// The known list with exactly this name.
pub(super) fn exact(name: &[String]) -> Option<&'static ListNames> {
    let name = name.join(" ");
    LISTS.iter().find(|(_, names)| names.split('|').any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::words::{folded, words};

    #[test]
    fn names_are_in_folded_words() {
        for (_, names) in &LISTS {
            for name in names.split('|') {
                assert_eq!(folded(name), name);
            }
        }
    }

    #[test]
    fn property_names_mean_known_lists() {
        let rows = [
            ("recipeIngredients", Some(ItemKind::Ingredients)),
            ("cooking_steps", Some(ItemKind::Steps)),
            ("image_urls", Some(ItemKind::Images)),
            ("Schlagwörter", Some(ItemKind::Keywords)),
            ("ingredient_list", Some(ItemKind::Ingredients)),
            ("payment_method", None),
            ("colours", None),
        ];
        for (name, expected) in rows {
            assert_eq!(known(&words(name)).map(|(kind, _)| *kind), expected, "{name}");
        }
    }
}
