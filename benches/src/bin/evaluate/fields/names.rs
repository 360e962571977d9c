//! Names that users give to the properties, so that no model depends on one fixed schema.
//!
//! The text after a colon is the description of the property in the schema.

/// Names of a property of one kind. They come before [`OF_ANY_KIND`].
const OF_ONE_KIND: &[(&str, &str, &[&str])] = &[
    ("Product", "title", &["title", "name", "product_name", "productTitle", "name: Name of the product"]),
    ("Product", "price", &["price", "current_price", "productPrice", "price: What it costs now", "cost"]),
    ("Product", "description", &["description", "product_description", "about", "details"]),
    ("Product", "category", &["category", "product_category", "productType", "department"]),
    ("Article", "title", &["title", "headline", "article_title", "name: Headline of the article"]),
    ("Article", "section", &["section", "category", "articleSection", "news_section"]),
    ("Article", "publisher", &["publisher", "publication", "source", "site_name", "publisherName"]),
    ("Article", "text", &["text", "body", "content", "articleBody", "full_text"]),
    ("Article", "description", &["description", "summary", "abstract", "teaser"]),
    ("ForumPost", "title", &["title", "subject", "thread_title", "topic"]),
    ("ForumPost", "author", &["author", "posted_by", "username", "user"]),
    ("ForumPost", "date_published", &["date_published", "posted_at", "post_date", "date"]),
    ("ForumPost", "text", &["text", "body", "post", "message"]),
    ("Question", "question", &["question", "title", "question_title"]),
    ("Question", "text", &["text", "body", "details", "question_text: The question in full"]),
    ("Question", "author", &["author", "asked_by", "username", "user"]),
    ("Question", "date_published", &["date_published", "asked_on", "askedAt", "date"]),
    ("Recipe", "title", &["title", "name", "recipe_name", "dish", "recipeTitle"]),
    ("Recipe", "author", &["author", "cook", "recipe_author", "written_by"]),
    ("Recipe", "category", &["category", "course", "recipeCategory", "meal_type"]),
    ("JobPosting", "title", &["title", "job_title", "position", "jobTitle", "role"]),
    ("JobPosting", "company", &["company", "hiring_organization", "employer", "companyName"]),
    ("JobPosting", "description", &["description", "job_description", "details"]),
    ("Event", "title", &["title", "name", "event_name", "event", "eventTitle"]),
    ("Event", "price", &["price", "ticket_price", "admission", "price: Lowest price of a ticket"]),
    ("Book", "title", &["title", "name", "book_title", "bookTitle"]),
    ("Book", "author", &["author", "written_by", "writer", "authorName", "author: Who wrote the book"]),
    ("Book", "publisher", &["publisher", "publishing_house", "published_by", "publisherName"]),
    ("Book", "date_published", &["date_published", "publication_date", "release_date", "publishedOn"]),
    ("Book", "price", &["price", "book_price", "currentPrice", "cost"]),
    ("Review", "rating", &["rating", "score", "stars", "rating: What the reviewer gives"]),
    ("Review", "author", &["author", "reviewer", "reviewed_by", "critic"]),
    ("Review", "text", &["text", "review", "review_text", "body"]),
    ("Video", "title", &["title", "name", "video_title", "videoTitle"]),
    ("Video", "date_published", &["date_published", "upload_date", "uploadDate", "published_at"]),
    ("App", "title", &["title", "name", "app_name", "appName"]),
    ("App", "category", &["category", "app_category", "genre"]),
    ("Course", "title", &["title", "name", "course_name", "courseTitle"]),
    ("Course", "price", &["price", "course_fee", "tuition", "cost"]),
    ("Person", "name", &["name", "full_name", "person_name", "fullName"]),
    ("Person", "company", &["company", "employer", "organization", "works_for", "affiliation"]),
    ("Person", "description", &["description", "bio", "biography", "about"]),
    ("Organization", "name", &["name", "company_name", "business_name", "organizationName"]),
    ("Organization", "address", &["address", "full_address", "postal_address", "location"]),
    ("Organization", "description", &["description", "about", "company_description"]),
];

/// Names of a property of any kind.
const OF_ANY_KIND: &[(&str, &[&str])] = &[
    ("price", &["price", "current_price", "priceAmount", "cost", "price: The price as a number"]),
    ("currency", &["currency", "currency_code", "priceCurrency", "currency: Code such as EUR"]),
    ("rating", &["rating", "average_rating", "ratingValue", "stars", "score: Average of all ratings"]),
    ("review_count", &["review_count", "number_of_reviews", "reviewCount", "num_reviews"]),
    ("description", &["description", "summary", "about", "details"]),
    ("author", &["author", "writer", "written_by", "authorName", "author: Who wrote it"]),
    (
        "date_published",
        &["date_published", "published", "publish_date", "datePublished", "date: The day of publication"],
    ),
    ("date_modified", &["date_modified", "updated", "last_updated", "dateModified"]),
    ("image", &["image", "image_url", "thumbnail", "mainImage"]),
    ("images", &["images", "image_urls", "photos", "pictures"]),
    ("keywords", &["keywords", "tags", "topics"]),
    ("availability", &["availability", "stock_status", "stock", "availability: Whether one can order it"]),
    ("brand", &["brand", "manufacturer", "brand_name", "brandName", "maker"]),
    ("sku", &["sku", "product_code", "item_number", "articleNumber", "sku: The shop's number for it"]),
    ("gtin", &["gtin", "ean", "barcode", "gtin13"]),
    ("mpn", &["mpn", "manufacturer_part_number", "model_number", "partNumber"]),
    ("color", &["color", "colour", "colorName"]),
    ("comment_count", &["comment_count", "number_of_comments", "commentCount", "replies"]),
    ("answer_count", &["answer_count", "number_of_answers", "answerCount"]),
    ("accepted_answer", &["accepted_answer", "best_answer", "solution"]),
    ("prep_time", &["prep_time", "preparation_time", "prepTime", "prep: Time of preparation"]),
    ("cook_time", &["cook_time", "cooking_time", "cookTime"]),
    ("total_time", &["total_time", "totalTime", "ready_in", "overall_time"]),
    ("servings", &["servings", "serves", "yield", "portions", "number_of_servings"]),
    ("ingredients", &["ingredients", "ingredient_list", "recipeIngredient"]),
    ("instructions", &["instructions", "steps", "method", "directions"]),
    ("calories", &["calories", "kcal", "energy_kcal", "calories_per_serving"]),
    ("cuisine", &["cuisine", "recipe_cuisine", "cuisineType"]),
    ("location", &["location", "job_location", "place_of_work", "workplace"]),
    ("employment_type", &["employment_type", "job_type", "contract_type", "employmentType"]),
    ("date_posted", &["date_posted", "posted", "posted_on", "datePosted", "posting_date"]),
    ("valid_through", &["valid_through", "apply_by", "application_deadline", "closingDate"]),
    ("salary_min", &["salary_min", "min_salary", "salaryFrom", "minimum_salary"]),
    ("salary_max", &["salary_max", "max_salary", "salaryTo", "maximum_salary"]),
    ("start_date", &["start_date", "startDate", "starts_at", "start", "date: When it starts"]),
    ("end_date", &["end_date", "endDate", "ends_at", "end"]),
    ("venue", &["venue", "venue_name", "place", "location: Name of the venue"]),
    ("address", &["address", "venue_address", "full_address"]),
    ("organizer", &["organizer", "organiser", "host", "organized_by"]),
    ("performers", &["performers", "artists", "line_up", "speakers"]),
    ("isbn", &["isbn", "isbn13", "isbn_number", "isbn: ISBN-10 or ISBN-13"]),
    ("pages", &["pages", "page_count", "number_of_pages", "numberOfPages"]),
    ("language", &["language", "book_language", "inLanguage", "lang"]),
    ("job_title", &["job_title", "role", "position", "jobTitle", "occupation"]),
    ("email", &["email", "e_mail", "email_address", "contactEmail"]),
    ("phone", &["phone", "telephone", "phone_number", "tel", "contact_phone"]),
    ("item", &["item", "reviewed_item", "itemReviewed", "subject: What is reviewed"]),
    ("duration", &["duration", "length", "running_time", "videoLength"]),
    ("operating_system", &["operating_system", "os", "platform", "operatingSystem"]),
    ("version", &["version", "software_version", "current_version", "appVersion"]),
    ("developer", &["developer", "developed_by", "vendor", "developerName"]),
    ("nickname", &["nickname", "also_known_as", "alias"]),
    ("material", &["material", "made_of", "materialName"]),
    ("architect", &["architect", "designed_by", "architectName: Who designed the building"]),
    ("population", &["population", "number_of_inhabitants", "populationCount"]),
    ("elevation", &["elevation", "elevation_m", "altitude"]),
    ("founded", &["founded", "year_founded", "founded_in: The year it was founded"]),
    ("seats", &["seats", "number_of_seats", "seatCount"]),
    ("last_inspection", &["last_inspection", "inspected_on", "lastInspectionDate"]),
    ("provider", &["provider", "offered_by", "institution", "providerName"]),
];

/// The names of a property, its fixed name first; empty if it has no other.
pub(super) fn names(kind: &str, property: &str) -> &'static [&'static str] {
    let own = OF_ONE_KIND.iter().find(|(owner, name, _)| *owner == kind && *name == property);
    let shared = || OF_ANY_KIND.iter().find(|(name, _)| *name == property);
    own.map(|(_, _, names)| *names).or_else(|| shared().map(|(_, names)| *names)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fields::kinds::{KINDS, by_name};

    #[test]
    fn no_name_of_a_kind_means_two_properties() {
        for kind in &KINDS {
            let mut known = BTreeSet::new();
            for property in kind.properties {
                let all = names(kind.name, property.name);
                assert_eq!(all.first().copied().unwrap_or(property.name), property.name, "{}", kind.name);
                let own: BTreeSet<&str> =
                    all.iter().map(|name| name.split(':').next().unwrap_or_default()).collect();
                assert!(own.iter().all(|name| known.insert(*name)), "{} {}", kind.name, property.name);
            }
        }
    }

    #[test]
    fn every_line_is_of_a_property() {
        let has = |kind: &str, name: &str| {
            by_name(kind).is_some_and(|kind| kind.properties.iter().any(|one| one.name == name))
        };
        assert!(OF_ONE_KIND.iter().all(|(kind, name, _)| has(kind, name)));
        for (name, _) in OF_ANY_KIND {
            assert!(KINDS.iter().any(|kind| has(kind.name, name)), "{name}");
        }
    }
}
