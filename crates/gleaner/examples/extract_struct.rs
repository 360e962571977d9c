//! Reads a product page into a struct, without a language model, and prints the proof of each value.
//!
//! `cargo run --release -p gleaner --example extract_struct -- https://shop.example/product`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use gleaner::schemars::JsonSchema;
use gleaner::{Engine, ExtractRequest};
use serde::Deserialize;

/// What a page may lack is an `Option`. Comments of fields help to find the values.
#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "gleaner::schemars")]
struct Product {
    name: Option<String>,
    /// In the shop's currency.
    price: Option<f64>,
    currency: Option<String>,
    brand: Option<String>,
}

#[tokio::main]
async fn main() -> Result<(), gleaner::Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let engine = Engine::builder().build()?;
    let found = engine.extract_into::<Product>(ExtractRequest::new([url])).await?;
    let Product { name, price, currency, brand } = &found.value;
    println!("{name:?} by {brand:?} costs {price:?} {currency:?}");
    for leaf in &found.leaves {
        for proof in &leaf.provenance {
            println!("{} = {}, because {} says: {}", leaf.pointer, leaf.value, proof.url, proof.quote);
        }
    }
    if let Some(warning) = &found.warning {
        println!("{warning}");
    }
    Ok(())
}
