//! Ships with known values, for tests that extract data from pages of one template.

use crate::site::prose::MONTHS;

const YARDS: [&str; 7] =
    ["Harland", "Blohm and Co", "Chantiers du Nord", "Ansaldo", "Vulcan", "Odense", "Gdansk Works"];
const MAKERS: [&str; 5] = ["Sulzer", "Burmeister", "Doxford", "Wärtsilä", "Fiat Grandi Motori"];

/// One value of a ship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShipValue {
    /// As a page shows it: `1 March 1903`, `1,010`.
    pub written: String,
    /// As a result contains it, in JSON: `"1903-03-01"`, `1010`.
    pub json: String,
}

/// The field names of a ship's values, in the order of [`ship`]. No page and no vocabulary uses these words,
/// so that only a model can match the values to the fields.
pub const SHIP_FIELDS: [&str; 6] = ["yard", "keelLaid", "crewSize", "draught", "engineMaker", "motto"];

/// The ship with this index.
pub fn ship(at: usize) -> [ShipValue; 6] {
    let (day, month, year) = (1 + at * 5 % 28, at * 7 % 12, 1900 + at * 3 % 90);
    let crew = 1_010 + at * 37;
    let draught = format!("{}.{}", 5 + at % 9, 1 + at % 8);
    let text = |written: &str| ShipValue { written: written.to_owned(), json: format!("\"{written}\"") };
    [
        text(YARDS[at % YARDS.len()]),
        ShipValue {
            written: format!("{day} {} {year}", MONTHS[month]),
            json: format!("\"{year}-{:02}-{day:02}\"", month + 1),
        },
        ShipValue { written: format!("{},{:03}", crew / 1_000, crew % 1_000), json: crew.to_string() },
        ShipValue { json: draught.clone(), written: draught },
        text(MAKERS[at * 3 % MAKERS.len()]),
        text(&format!("Onward and upward {at}")),
    ]
}

/// Whether this ship has a motto, in tests that omit some: every third ship has none.
pub fn has_motto(at: usize) -> bool {
    at % 3 != 2
}
