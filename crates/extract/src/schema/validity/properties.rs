//! Comparison with `jsonschema`, as a second opinion on what is valid.

use jsonschema::PatternOptions;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::check;
use super::pattern::MAX_SCHEMA_PATTERN_BYTES;

const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

const WITH_SUBSCHEMAS: [&str; 26] = [
    "$defs",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    // Names of properties and unknown keywords.
    "a",
    "b",
    "x-unknown",
];

/// Keywords without subschemas, each with values that suit it in at least one draft.
fn plain_keywords() -> Vec<(&'static str, Vec<Value>)> {
    let texts = || vec![json!(""), json!("text")];
    let counts = || vec![json!(0), json!(7), json!(2.0)];
    let numbers = || vec![json!(0), json!(-1), json!(2.5)];
    let booleans = || vec![json!(true), json!(false)];
    let bounds = || [numbers(), booleans()].concat();
    let anchors = || vec![json!("a"), json!("_a"), json!("a:b"), json!("a-1.b_c"), json!("1a"), json!(true)];
    vec![
        ("$anchor", anchors()),
        ("$comment", texts()),
        ("$dynamicAnchor", anchors()),
        ("$recursiveAnchor", anchors()),
        ("$vocabulary", vec![json!({}), json!({ "https://a.example/v": true })]),
        ("const", vec![json!(null), json!([5])]),
        ("contentEncoding", texts()),
        ("contentMediaType", texts()),
        ("default", vec![json!({ "type": 5 })]),
        ("deprecated", booleans()),
        ("description", texts()),
        ("enum", vec![json!([]), json!(["a", 1, null])]),
        ("examples", vec![json!([]), json!([1])]),
        ("exclusiveMaximum", bounds()),
        ("exclusiveMinimum", bounds()),
        ("format", texts()),
        ("maxContains", counts()),
        ("maxItems", counts()),
        ("maxLength", counts()),
        ("maxProperties", counts()),
        ("maximum", numbers()),
        ("minContains", counts()),
        ("minItems", counts()),
        ("minLength", counts()),
        ("minProperties", counts()),
        ("minimum", numbers()),
        ("multipleOf", vec![json!(2), json!(0.5), json!(0)]),
        ("readOnly", booleans()),
        ("required", vec![json!([]), json!(["a", "b"]), json!(["a", "a"])]),
        ("title", texts()),
        ("type", vec![json!("string"), json!(["null", "integer"]), json!([]), json!("text")]),
        ("uniqueItems", booleans()),
        ("writeOnly", booleans()),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(2.5),
        json!("string"),
        json!([]),
        json!(["string"]),
        json!(["string", "string"]),
        json!([1]),
        json!({}),
        json!({ "a": true }),
        json!({ "a": 1 }),
        json!({ "a": ["b"] }),
        json!({ "a": ["b", "b"] }),
    ])
}

/// One key of a schema with a value, which is right more often than not.
fn plain_entry() -> impl Strategy<Value = (String, Value)> {
    select(plain_keywords()).prop_flat_map(|(key, values)| {
        prop_oneof![9 => select(values), 1 => any_value()].prop_map(move |value| (key.to_owned(), value))
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = vec(plain_entry(), 0..3).prop_map(|entries| Value::Object(entries.into_iter().collect()));
    leaf.prop_recursive(3, 24, 4, |inner| {
        let value = prop_oneof![
            5 => inner.clone(),
            3 => vec(inner.clone(), 0..3).prop_map(Value::from),
            3 => btree_map("[ab]", inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
            1 => any_value(),
        ];
        let entry =
            (select(WITH_SUBSCHEMAS.to_vec()), value).prop_map(|(key, value)| (key.to_owned(), value));
        (vec(entry, 1..3), vec(plain_entry(), 0..3))
            .prop_map(|(more, plain)| Value::Object(plain.into_iter().chain(more).collect::<Map<_, _>>()))
    })
}

/// Whether `jsonschema` finds the schema valid, its references resolved and its patterns compiled.
fn builds(schema: &Value) -> bool {
    let patterns = PatternOptions::regex().size_limit(MAX_SCHEMA_PATTERN_BYTES);
    jsonschema::options().with_pattern_options(patterns).build(schema).is_ok()
}

proptest! {
    #[test]
    fn keywords_are_valid_as_the_meta_schemas_say(mut schema in schema(), draft in select(DRAFTS.to_vec())) {
        if let Value::Object(object) = &mut schema {
            object.insert("$schema".to_owned(), json!(draft));
        }
        let own = check(&schema);
        prop_assert_eq!(own.is_ok(), jsonschema::meta::is_valid(&schema), "{}: {:?}", schema, own);
    }

    #[test]
    fn patterns_are_valid_if_they_compile(parts in vec(select(vec![
        "a", r"\d", r"\W", "[a-c]", r"[^\s]", "(a|b)", "(?:a)", "(", ")", "[", "*", "+", "{2}", "{3,1}", "^",
        "$", r"\.", r"\/", "(?=a)", r"\1", "[[]", "[a&&b]", r"\cJ", "|", r"\w{255}", r"(\w{999}){999}",
    ]), 0..4)) {
        let pattern = parts.concat();
        for schema in [json!({ "pattern": pattern }), json!({ "patternProperties": { &pattern: {} } })] {
            prop_assert_eq!(check(&schema).is_ok(), builds(&schema), "{}", schema);
        }
    }
}

#[test]
fn references_are_valid_if_they_point_into_the_schema() {
    let by_pointer = |reference: &str| {
        json!({ "$defs": { "a": { "$anchor": "here" }, "b c": {}, "d/e": true },
                "items": { "$ref": reference } })
    };
    let by_uri = |reference: &str| {
        json!({ "$id": "https://a.example/s/list", "$defs": { "x": { "$id": "item" } },
                "items": { "$ref": reference } })
    };
    let pointers = [
        "",
        "#",
        "#/$defs/a",
        "#/$defs/b%20c",
        "#/$defs/d~1e",
        "#/$defs/none",
        "#here",
        "#nowhere",
        "none.json",
        "https://a.example/none",
    ];
    let uris = [
        "#/$defs/x",
        "item",
        "item#",
        "https://a.example/s/item",
        "list#/$defs/x",
        "none",
        "https://a.example/s/none",
    ];
    for schema in pointers.map(by_pointer).into_iter().chain(uris.map(by_uri)) {
        assert_eq!(check(&schema).is_ok(), builds(&schema), "{schema}");
    }
}
