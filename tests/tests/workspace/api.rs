//! The public items of the facade are those of the committed listing, so that no change of them goes unseen.

mod listing;
mod sources;

use std::collections::BTreeSet;
use std::fs;

use self::listing::listing;
use self::sources::Sources;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates");
const LISTING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gleaner/api.txt");

const HEADER: &str = "\
# The public items of the crate `gleaner`, with all features: one a line, sorted. A test compares it.
# UPDATE_API=1 cargo test -p gleaner-tests --test workspace api
";

/// The lines of one listing that another does not have, each behind a mark.
fn only(mark: &str, lines: &BTreeSet<String>, other: &BTreeSet<String>) -> Vec<String> {
    lines.difference(other).map(|line| format!("{mark} {line}")).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the variable is for whoever runs the tests")]
fn the_public_items_of_the_facade_are_those_of_its_listing() {
    let found = listing(&Sources::read(CRATES), "gleaner");
    assert!(found.len() > 1_000, "{} lines", found.len());
    if std::env::var_os("UPDATE_API").is_some() {
        let lines: Vec<&str> = found.iter().map(String::as_str).collect();
        fs::write(LISTING, format!("{HEADER}{}\n", lines.join("\n"))).unwrap();
        return;
    }
    let text = fs::read_to_string(LISTING).unwrap();
    let committed = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let mut changes = only("-", &committed, &found);
    changes.extend(only("+", &found, &committed));
    assert!(
        changes.is_empty(),
        "the public items have changed:\n{}\nIf that is intended, rewrite the listing with\n\
         UPDATE_API=1 cargo test -p gleaner-tests --test workspace api",
        changes.join("\n")
    );
}

#[test]
fn items_are_listed_under_the_names_that_an_embedder_writes() {
    let facade = "
        mod own { pub(crate) struct Hidden; }
        pub use gleaner_low::{Error as LowError, parts};
        /// More.
        pub mod more { pub use gleaner_low::Error; pub use http::Method; }
        #[cfg(feature = \"x\")]
        pub struct Engine { pub size: u64, secret: u8 }
        impl Engine {
            pub async fn run(&mut self, name: impl Into<String>) -> Result<(), LowError> { f() }
            fn f() {}
        }
        #[cfg(test)]
        pub struct Fake;
    ";
    let low = "
        mod error;
        pub mod parts {
            pub trait Port: Send + 'static { fn name(&self) -> &str; fn size(&self) -> usize { 0 } }
            use super::Error;
            impl From<u8> for Error { fn from(_: u8) -> Self { Self::A } }
            pub const MAX: usize = 3;
            setters! { Setup [.inner] {
                /// Its documentation.
                size: value(u64);
                name: text;
            } }
            pub struct Setup;
        }
        pub use error::Error;
        mod error {
            #[derive(Debug, Clone)]
            #[cfg_attr(feature = \"x\", derive(Hash), serde(untagged))]
            #[cfg_attr(test, derive(Default))]
            #[non_exhaustive]
            pub enum Error { A, B(u8), C { at: Option<&'static str> } }
        }
    ";
    let sources = Sources::of(&[("gleaner", facade), ("gleaner_low", low)]);
    let expected = "\
gleaner::Engine struct, private fields
gleaner::Engine.size: u64
gleaner::Engine::run async fn run(&mut self, name: impl Into<String>) -> Result<(), LowError>
gleaner::LowError enum, non_exhaustive: Clone, Debug, Hash
gleaner::LowError impl From<u8>
gleaner::LowError::A
gleaner::LowError::B(u8)
gleaner::LowError::C{at: Option<&'static str>}
gleaner::more mod
gleaner::more::Error = gleaner::LowError
gleaner::more::Method = http::Method
gleaner::parts mod
gleaner::parts::MAX const usize
gleaner::parts::Port trait: Send + 'static
gleaner::parts::Port::name fn name(&self) -> &str
gleaner::parts::Port::size fn size(&self) -> usize, provided
gleaner::parts::Setup setters! name: text
gleaner::parts::Setup setters! size: value(u64)
gleaner::parts::Setup struct";
    let found: Vec<String> = listing(&sources, "gleaner").into_iter().collect();
    assert_eq!(found.join("\n"), expected);
}
