//! Names that mean something else depending on the fields beside them.

use hashbrown::{HashMap, HashSet};
use std::sync::LazyLock;

use super::by_plainest_name;
use crate::bind::concept::Concept;
use crate::bind::target::TargetField;
use crate::schema::ShapeKind;

/// What some names mean beside certain fields. A field beside is named by the plainest name of its concept or
/// by its own name.
#[derive(Debug)]
struct Rule {
    /// Names of the field.
    own: &'static [&'static str],
    /// Whether the name of a person stands beside it.
    is_person: bool,
    /// At least one of these stands beside it; empty if none has to.
    beside: &'static [&'static str],
    /// At least one of these too; empty if none has to.
    and_beside: &'static [&'static str],
    /// None of these stands beside it.
    unless: &'static [&'static str],
    /// The plainest name of what it means.
    means: &'static str,
}

const RULE: Rule = Rule { own: &[], is_person: false, beside: &[], and_beside: &[], unless: &[], means: "" };

/// Names of a person's name.
const PERSONS: [&str; 6] = ["name", "full name", "person", "person name", "first name", "last name"];

/// What is stated of jobs, besides the company.
const JOB: &[&str] = &[
    "employment type",
    "salary",
    "salary min",
    "salary max",
    "salary period",
    "valid through",
    "job id",
    "number of openings",
    "responsibilities",
    "qualifications",
    "experience",
    "remote",
    "benefits",
    "vacancy",
];
/// What is stated of events.
const EVENT: &[&str] = &[
    "venue",
    "organizer",
    "performers",
    "door time",
    "start date",
    "end date",
    "event status",
    "attendance mode",
    "ticket url",
];
/// What is stated of recipes.
const RECIPE: &[&str] =
    &["servings", "calories", "cuisine", "prep time", "cook time", "difficulty", "diet", "cooking method"];
/// What is stated of things for sale.
const OFFER: &[&str] = &["price", "sku", "gtin", "mpn", "brand", "availability", "currency"];
/// What is stated of real estate.
const ESTATE: &[&str] = &["rooms", "bedrooms", "bathrooms", "area", "plot area", "rent", "floor", "deposit"];
/// What is stated of software.
const SOFTWARE: &[&str] = &["operating system", "version", "file size", "downloads", "system requirements"];
/// What is stated of organisations.
const ORGANISATION: &[&str] = &[
    "phone",
    "fax",
    "email",
    "address",
    "street address",
    "opening hours",
    "founded",
    "founder",
    "vat id",
    "employees",
    "industry",
    "website",
    "price range",
    "legal name",
    "rating",
    "review count",
    "description",
    "logo",
];

/// All rules. The first that applies counts.
static RULES: [Rule; 35] = [
    Rule {
        own: &["job title", "position title", "work title", "position", "role", "occupation", "designation"],
        is_person: true,
        means: "job title",
        ..RULE
    },
    Rule {
        own: &["title"],
        is_person: true,
        beside: &["email", "phone", "fax", "role", "position", "department", "company", "biography"],
        means: "job title",
        ..RULE
    },
    Rule {
        own: &["title", "job title", "position", "role", "occupation"],
        beside: &["company"],
        means: "vacancy",
        ..RULE
    },
    Rule { own: &["title", "position", "role", "occupation"], beside: JOB, means: "vacancy", ..RULE },
    Rule {
        own: &["position", "role", "occupation"],
        beside: &["location", "date published", "department"],
        means: "vacancy",
        ..RULE
    },
    Rule {
        own: &["date", "day", "datetime"],
        beside: EVENT,
        unless: &["start date", "author", "publisher", "article body"],
        means: "start date",
        ..RULE
    },
    Rule {
        own: &["date", "day", "datetime"],
        beside: &["location", "address", "city"],
        unless: &[
            "start date",
            "author",
            "publisher",
            "article body",
            "company",
            "employment type",
            "salary",
        ],
        means: "start date",
        ..RULE
    },
    Rule {
        own: &["location", "place"],
        beside: &["address", "street address"],
        and_beside: EVENT,
        unless: &["venue"],
        means: "venue",
        ..RULE
    },
    Rule { own: &["place"], beside: EVENT, unless: &["venue"], means: "venue", ..RULE },
    Rule {
        own: &["location"],
        beside: &["opening hours", "phone", "fax", "email", "founded", "vat id", "legal name", "price range"],
        unless: &["address", "street address", "vacancy", "company", "salary", "venue", "start date"],
        means: "address",
        ..RULE
    },
    Rule {
        own: &[
            "company",
            "company name",
            "organization",
            "organization name",
            "organisation",
            "organisation name",
            "business",
            "business name",
            "firm",
        ],
        beside: ORGANISATION,
        unless: &[
            "name",
            "vacancy",
            "role",
            "position",
            "employment type",
            "salary",
            "salary min",
            "salary max",
            "valid through",
            "job id",
            "experience",
            "date published",
            "author",
            "price",
            "sku",
            "version",
            "first name",
            "last name",
        ],
        means: "organization",
        ..RULE
    },
    Rule {
        own: &["item", "product", "subject", "thing"],
        beside: &["rating", "review body"],
        unless: &["price", "sku", "gtin", "brand", "availability", "review count"],
        means: "item reviewed",
        ..RULE
    },
    Rule {
        own: &["company description", "organization description", "business description"],
        beside: &["phone", "email", "address", "opening hours", "founded", "website", "rating", "logo"],
        unless: &["name", "vacancy", "salary", "employment type", "price"],
        means: "description",
        ..RULE
    },
    Rule { own: &["question text"], beside: &["answer"], means: "question", ..RULE },
    Rule { own: &["type", "kind"], beside: JOB, means: "employment type", ..RULE },
    Rule { own: &["type", "kind"], beside: ESTATE, means: "property type", ..RULE },
    Rule { own: &["type", "kind"], beside: OFFER, means: "category", ..RULE },
    Rule { own: &["status"], beside: EVENT, means: "event status", ..RULE },
    Rule { own: &["status"], beside: OFFER, means: "availability", ..RULE },
    Rule {
        own: &["reference", "reference number", "ref", "ref number", "ref no", "id"],
        beside: JOB,
        means: "job id",
        ..RULE
    },
    Rule { own: &["size"], beside: SOFTWARE, means: "file size", ..RULE },
    Rule { own: &["size"], beside: ESTATE, means: "area", ..RULE },
    Rule { own: &["department"], beside: OFFER, means: "category", ..RULE },
    Rule {
        own: &["vendor", "company", "company name", "maker", "manufacturer", "studio"],
        beside: SOFTWARE,
        means: "developer",
        ..RULE
    },
    Rule {
        own: &["length"],
        beside: &["date published", "view count", "director", "narrator"],
        unless: &["width", "height", "depth", "weight", "price"],
        means: "duration",
        ..RULE
    },
    Rule { own: &["course"], beside: RECIPE, means: "category", ..RULE },
    Rule {
        own: &["course", "class", "training"],
        beside: &["provider", "instructor", "level"],
        means: "name",
        ..RULE
    },
    Rule { own: &["recipe"], beside: RECIPE, means: "name", ..RULE },
    Rule { own: &["event", "show", "concert", "gig"], beside: EVENT, means: "name", ..RULE },
    Rule { own: &["book"], beside: &["author", "publisher", "gtin", "pages"], means: "name", ..RULE },
    Rule { own: &["app", "software", "program"], beside: SOFTWARE, means: "name", ..RULE },
    Rule { own: &["movie", "film"], beside: &["director", "actors", "duration"], means: "name", ..RULE },
    Rule { own: &["video"], beside: &["duration", "view count"], means: "name", ..RULE },
    Rule {
        own: &["text", "body", "content", "comment"],
        beside: &["rating"],
        unless: &["price", "sku", "brand", "review count"],
        means: "review body",
        ..RULE
    },
    Rule { own: &["duration", "time"], beside: RECIPE, unless: &["total time"], means: "total time", ..RULE },
];

/// The rules for each name.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&'static str, Vec<&'static Rule>> = HashMap::new();
    for rule in &RULES {
        for name in rule.own {
            by_name.entry(*name).or_default().push(rule);
        }
    }
    by_name
});

/// What stands in one object.
#[derive(Debug, Default)]
struct Siblings<'a> {
    /// The names of the fields and the plainest names of their concepts.
    present: HashSet<&'a str>,
    has_person: bool,
}

impl Siblings<'_> {
    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.present.contains(*name))
    }

    fn satisfy(&self, rule: &Rule) -> bool {
        (self.has_person || !rule.is_person)
            && (rule.beside.is_empty() || self.has_any(rule.beside))
            && (rule.and_beside.is_empty() || self.has_any(rule.and_beside))
            && !self.has_any(rule.unless)
    }
}

/// For each field, what the fields beside it make of its name; `None` if they change nothing. Only texts
/// change their meaning: a number under `position` is a place in a table.
pub(crate) fn resolve(targets: &[TargetField<'_>]) -> Vec<Option<&'static Concept>> {
    if !targets.iter().any(|target| BY_NAME.contains_key(target.folded.as_str())) {
        return Vec::new();
    }
    let mut by_scope: HashMap<&[String], Siblings<'_>> = HashMap::new();
    for target in targets {
        let siblings = by_scope.entry(target.scope.as_slice()).or_default();
        siblings.present.insert(target.folded.as_str());
        siblings.present.extend(target.concept.map(Concept::plainest_name));
        siblings.has_person |= PERSONS.contains(&target.folded.as_str());
    }
    let concept = |target: &TargetField<'_>| {
        let siblings = by_scope.get(target.scope.as_slice())?;
        let is_text = matches!(target.shape.kind, ShapeKind::Text | ShapeKind::Any);
        let rules = BY_NAME.get(target.folded.as_str()).filter(|_| is_text)?;
        let rule = rules.iter().find(|rule| siblings.satisfy(rule))?;
        by_plainest_name(rule.means)
    };
    targets.iter().map(concept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::concepts::{CONCEPTS, by_property_name};

    #[test]
    fn rules_name_what_exists() {
        for rule in &RULES {
            assert!(by_plainest_name(rule.means).is_some(), "{}", rule.means);
            let own_names = ["role", "position"];
            for name in rule.beside.iter().chain(rule.and_beside).chain(rule.unless) {
                assert!(by_plainest_name(name).is_some() || own_names.contains(name), "{name}");
            }
            // A field does not stand beside itself.
            for own in rule.own {
                let concept = by_property_name(own).map(Concept::plainest_name);
                let others = [rule.beside, rule.and_beside, rule.unless].concat();
                assert!(!others.iter().any(|other| other == own || Some(*other) == concept), "{own}");
            }
        }
        assert!(CONCEPTS.iter().any(|concept| concept.property_names == 0));
    }
}
