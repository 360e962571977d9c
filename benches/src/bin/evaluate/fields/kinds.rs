//! The kinds of things that pages describe in structured data, with the properties that a user asks for.

use super::form::Form;

/// A kind of thing.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Its types of schema.org.
    pub(super) types: &'static [&'static str],
    pub(super) properties: &'static [Property],
    /// Whether every site has one about itself, so that only an entity named by the heading or the title is
    /// what the page is about.
    pub(super) is_common: bool,
}

/// A property of a kind.
#[derive(Debug)]
pub(super) struct Property {
    /// Its name in the schema. `list.field` is a field of the objects in a list.
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) is_list: bool,
    /// Paths in an entity. All values at the paths of a single property are accepted; of a list, those at the
    /// first path that has any.
    pub(super) paths: &'static [&'static str],
}

const fn one(name: &'static str, form: Form, paths: &'static [&'static str]) -> Property {
    Property { name, form, is_list: false, paths }
}

const fn many(name: &'static str, form: Form, paths: &'static [&'static str]) -> Property {
    Property { name, form, is_list: true, paths }
}

const PRICE: Property = one(
    "price",
    Form::Number,
    &[
        "offers.price",
        "offers.lowPrice",
        "offers.priceSpecification.price",
        "offers.offers.price",
        "hasVariant.offers.price",
        "hasVariant.offers.priceSpecification.price",
    ],
);
const CURRENCY: Property = one(
    "currency",
    Form::Currency,
    &[
        "offers.priceCurrency",
        "offers.priceSpecification.priceCurrency",
        "offers.offers.priceCurrency",
        "hasVariant.offers.priceCurrency",
    ],
);
const RATING: Property = one("rating", Form::Number, &["aggregateRating.ratingValue"]);
const REVIEW_COUNT: Property =
    one("review_count", Form::Number, &["aggregateRating.reviewCount", "aggregateRating.ratingCount"]);
const DESCRIPTION: Property = one("description", Form::Text, &["description"]);
const AUTHOR: Property = one("author", Form::Names, &["author", "creator"]);
const DATE_PUBLISHED: Property = one("date_published", Form::Date, &["datePublished", "dateCreated"]);
const IMAGE: Property = one("image", Form::Image, &["image", "thumbnailUrl"]);

const PRODUCT: &[Property] = &[
    one("title", Form::Text, &["name"]),
    PRICE,
    CURRENCY,
    one(
        "availability",
        Form::Stock,
        &["offers.availability", "offers.offers.availability", "hasVariant.offers.availability"],
    ),
    one("brand", Form::Organisation, &["brand", "manufacturer"]),
    one("sku", Form::Code, &["sku", "productID", "offers.sku"]),
    one("gtin", Form::Gtin, &["gtin13", "gtin", "gtin12", "gtin8", "gtin14", "offers.gtin13", "isbn"]),
    one("mpn", Form::Code, &["mpn"]),
    RATING,
    REVIEW_COUNT,
    DESCRIPTION,
    one("category", Form::Text, &["category"]),
    one("color", Form::Text, &["color"]),
    many("images", Form::Image, &["image"]),
];

const ARTICLE: &[Property] = &[
    one("title", Form::Text, &["headline", "name"]),
    AUTHOR,
    DATE_PUBLISHED,
    one("date_modified", Form::Date, &["dateModified"]),
    one("section", Form::Text, &["articleSection"]),
    one("publisher", Form::Organisation, &["publisher"]),
    DESCRIPTION,
    one("text", Form::Text, &["articleBody"]),
    many("keywords", Form::Text, &["keywords"]),
    IMAGE,
];

const FORUM_POST: &[Property] = &[
    one("title", Form::Text, &["headline", "name"]),
    AUTHOR,
    DATE_PUBLISHED,
    one("text", Form::Text, &["text", "articleBody"]),
    one("comment_count", Form::Number, &["commentCount"]),
];

const QUESTION: &[Property] = &[
    one("question", Form::Text, &["name"]),
    one("text", Form::Text, &["text"]),
    AUTHOR,
    DATE_PUBLISHED,
    one("answer_count", Form::Number, &["answerCount"]),
    one("accepted_answer", Form::Text, &["acceptedAnswer.text"]),
];

const FAQ: &[Property] = &[
    many("questions.question", Form::Text, &["mainEntity.name"]),
    many("questions.answer", Form::Text, &["mainEntity.acceptedAnswer.text"]),
];

const RECIPE: &[Property] = &[
    one("title", Form::Text, &["name"]),
    AUTHOR,
    DATE_PUBLISHED,
    one("prep_time", Form::Duration, &["prepTime"]),
    one("cook_time", Form::Duration, &["cookTime"]),
    one("total_time", Form::Duration, &["totalTime"]),
    one("servings", Form::Number, &["recipeYield", "yield"]),
    many("ingredients", Form::Text, &["recipeIngredient", "ingredients"]),
    many(
        "instructions",
        Form::Text,
        &[
            "recipeInstructions.text",
            "recipeInstructions.itemListElement.text",
            "recipeInstructions.itemListElement.itemListElement.text",
            "recipeInstructions",
        ],
    ),
    RATING,
    REVIEW_COUNT,
    one("calories", Form::Number, &["nutrition.calories"]),
    one("category", Form::Text, &["recipeCategory"]),
    one("cuisine", Form::Text, &["recipeCuisine"]),
    DESCRIPTION,
];

const JOB: &[Property] = &[
    one("title", Form::Text, &["title", "name"]),
    one("company", Form::Organisation, &["hiringOrganization"]),
    one("location", Form::Place, &["jobLocation.address", "jobLocation"]),
    one("employment_type", Form::Term, &["employmentType"]),
    one("date_posted", Form::Date, &["datePosted"]),
    one("valid_through", Form::Date, &["validThrough"]),
    one("salary_min", Form::Number, &["baseSalary.value.minValue", "baseSalary.minValue"]),
    one("salary_max", Form::Number, &["baseSalary.value.maxValue", "baseSalary.maxValue"]),
    DESCRIPTION,
];

const EVENT: &[Property] = &[
    one("title", Form::Text, &["name"]),
    one("start_date", Form::Moment, &["startDate"]),
    one("end_date", Form::Moment, &["endDate"]),
    one("venue", Form::Text, &["location.name"]),
    one("address", Form::Place, &["location.address"]),
    one("organizer", Form::Names, &["organizer"]),
    many("performers", Form::Text, &["performer", "performers"]),
    PRICE,
    CURRENCY,
    DESCRIPTION,
];

const BOOK: &[Property] = &[
    one("title", Form::Text, &["name"]),
    AUTHOR,
    one("publisher", Form::Organisation, &["publisher"]),
    one("isbn", Form::Gtin, &["isbn", "gtin13"]),
    one("date_published", Form::Date, &["datePublished"]),
    one("pages", Form::Number, &["numberOfPages"]),
    one("language", Form::Text, &["inLanguage"]),
    PRICE,
    CURRENCY,
    RATING,
    DESCRIPTION,
];

const PERSON: &[Property] = &[
    one("name", Form::Text, &["name"]),
    one("job_title", Form::Text, &["jobTitle"]),
    one("company", Form::Organisation, &["worksFor", "affiliation"]),
    one("email", Form::Email, &["email"]),
    one("phone", Form::Phone, &["telephone"]),
    DESCRIPTION,
];

const ORGANIZATION: &[Property] = &[
    one("name", Form::Organisation, &["name"]),
    one("phone", Form::Phone, &["telephone", "contactPoint.telephone"]),
    one("email", Form::Email, &["email", "contactPoint.email"]),
    one("address", Form::Place, &["address"]),
    RATING,
    REVIEW_COUNT,
    DESCRIPTION,
];

const REVIEW: &[Property] = &[
    one("item", Form::Text, &["itemReviewed"]),
    one("rating", Form::Number, &["reviewRating.ratingValue"]),
    AUTHOR,
    DATE_PUBLISHED,
    one("text", Form::Text, &["reviewBody"]),
];

const VIDEO: &[Property] = &[
    one("title", Form::Text, &["name"]),
    one("date_published", Form::Date, &["uploadDate", "datePublished"]),
    one("duration", Form::Duration, &["duration"]),
    DESCRIPTION,
];

const APP: &[Property] = &[
    one("title", Form::Text, &["name"]),
    one("category", Form::Text, &["applicationCategory"]),
    one("operating_system", Form::Text, &["operatingSystem"]),
    one("version", Form::Text, &["softwareVersion"]),
    one("developer", Form::Names, &["author", "publisher"]),
    PRICE,
    CURRENCY,
    RATING,
    REVIEW_COUNT,
    DESCRIPTION,
];

const COURSE: &[Property] = &[
    one("title", Form::Text, &["name"]),
    one("provider", Form::Organisation, &["provider"]),
    RATING,
    REVIEW_COUNT,
    PRICE,
    CURRENCY,
    DESCRIPTION,
];

/// Properties that no vocabulary knows. Only labels have this kind.
const OTHER: &[Property] = &[
    one("title", Form::Text, &[]),
    one("motto", Form::Text, &[]),
    one("nickname", Form::Text, &[]),
    one("mascot", Form::Text, &[]),
    one("material", Form::Text, &[]),
    one("pattern", Form::Text, &[]),
    one("habitat", Form::Text, &[]),
    one("warranty", Form::Text, &[]),
    one("architect", Form::Names, &[]),
    one("curator", Form::Names, &[]),
    one("population", Form::Number, &[]),
    one("elevation", Form::Number, &[]),
    one("founded", Form::Number, &[]),
    one("seats", Form::Number, &[]),
    one("last_inspection", Form::Date, &[]),
];

const fn kind(
    name: &'static str,
    types: &'static [&'static str],
    properties: &'static [Property],
    is_common: bool,
) -> Kind {
    Kind { name, types, properties, is_common }
}

/// All kinds, in the order of the report.
pub(super) static KINDS: [Kind; 16] = [
    kind(
        "Product",
        &["Product", "ProductGroup", "ProductModel", "IndividualProduct", "SomeProducts", "Vehicle", "Car"],
        PRODUCT,
        false,
    ),
    kind(
        "Article",
        &[
            "Article",
            "NewsArticle",
            "BlogPosting",
            "TechArticle",
            "ReportageNewsArticle",
            "AnalysisNewsArticle",
            "OpinionNewsArticle",
            "LiveBlogPosting",
            "ScholarlyArticle",
        ],
        ARTICLE,
        false,
    ),
    kind("ForumPost", &["DiscussionForumPosting", "SocialMediaPosting"], FORUM_POST, false),
    kind("Question", &["Question"], QUESTION, false),
    kind("Faq", &["FAQPage"], FAQ, false),
    kind("Recipe", &["Recipe"], RECIPE, false),
    kind("JobPosting", &["JobPosting"], JOB, false),
    kind(
        "Event",
        &[
            "Event",
            "MusicEvent",
            "BusinessEvent",
            "EducationEvent",
            "SportsEvent",
            "TheaterEvent",
            "Festival",
        ],
        EVENT,
        false,
    ),
    kind("Book", &["Book"], BOOK, false),
    kind("Review", &["Review", "CriticReview"], REVIEW, false),
    kind("Video", &["VideoObject"], VIDEO, false),
    kind("App", &["SoftwareApplication", "WebApplication", "MobileApplication", "VideoGame"], APP, false),
    kind("Course", &["Course"], COURSE, false),
    kind("Person", &["Person"], PERSON, true),
    kind(
        "Organization",
        &[
            "Organization",
            "Corporation",
            "LocalBusiness",
            "ProfessionalService",
            "Store",
            "Restaurant",
            "Hotel",
            "Dentist",
            "Physician",
            "HVACBusiness",
            "MovingCompany",
            "CollegeOrUniversity",
            "EducationalOrganization",
            "NewsMediaOrganization",
            "HomeAndConstructionBusiness",
            "LegalService",
        ],
        ORGANIZATION,
        true,
    ),
    kind("Other", &[], OTHER, false),
];

/// The kind of this name.
pub(super) fn by_name(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}
