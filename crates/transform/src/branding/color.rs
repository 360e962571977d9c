//! Parses CSS colors (the common part of CSS Color 4): hexadecimal, `rgb()`, `hsl()` and common names.

use std::fmt;

/// A color, displayed as `#rrggbb`. Transparency is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color {
    red: u8,
    green: u8,
    blue: u8,
}

impl Color {
    /// The color at the start of a value. `None` if there is none or it is fully transparent.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let value = value.trim().to_ascii_lowercase();
        if let Some(digits) = value.strip_prefix('#') {
            return hexadecimal(digits.split(|c: char| !c.is_ascii_hexdigit()).next()?);
        }
        if let Some((function, arguments)) = value.split_once('(')
            && !function.contains(char::is_whitespace)
        {
            let arguments = arguments.split(')').next()?;
            let numbers: Vec<&str> =
                arguments.split([',', ' ', '/']).filter(|number| !number.is_empty()).collect();
            if numbers.get(3).is_some_and(|alpha| matches!(*alpha, "0" | "0%" | "0.0")) {
                return None;
            }
            return match function {
                "rgb" | "rgba" => rgb(&numbers),
                "hsl" | "hsla" => hsl(&numbers),
                _ => None,
            };
        }
        let name = value.split_ascii_whitespace().next()?;
        NAMES.iter().find(|(known, _)| *known == name).and_then(|(_, digits)| hexadecimal(digits))
    }

    /// True if the color is nearer to black than to white, by the luma of ITU-R BT.601.
    pub(super) fn is_dark(self) -> bool {
        299 * u32::from(self.red) + 587 * u32::from(self.green) + 114 * u32::from(self.blue) < 128_000
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

fn hexadecimal(digits: &str) -> Option<Color> {
    let long: String = match digits.len() {
        3 | 4 => digits.chars().take(3).flat_map(|digit| [digit, digit]).collect(),
        6 | 8 => digits.get(..6)?.to_owned(),
        _ => return None,
    };
    let channel = |at: usize| u8::from_str_radix(long.get(at..at + 2)?, 16).ok();
    Some(Color { red: channel(0)?, green: channel(2)?, blue: channel(4)? })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(value: f64) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

fn rgb(numbers: &[&str]) -> Option<Color> {
    let channel = |at: usize| {
        let number = numbers.get(at)?;
        match number.strip_suffix('%') {
            Some(percent) => Some(byte(percent.parse::<f64>().ok()? * 2.55)),
            None => Some(byte(number.parse().ok()?)),
        }
    };
    Some(Color { red: channel(0)?, green: channel(1)?, blue: channel(2)? })
}

fn hsl(numbers: &[&str]) -> Option<Color> {
    let number = |at: usize| numbers.get(at)?.trim_end_matches(['%', 'd', 'e', 'g']).parse::<f64>().ok();
    let (hue, saturation, light) = (number(0)?, number(1)? / 100.0, number(2)? / 100.0);
    // CSS Color 4, 7.1.
    let channel = |n: f64| {
        let k = (n + hue / 30.0).rem_euclid(12.0);
        let a = saturation * light.min(1.0 - light);
        byte(255.0 * (light - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)))
    };
    Some(Color { red: channel(0.0), green: channel(8.0), blue: channel(4.0) })
}

const NAMES: &[(&str, &str)] = &[
    ("black", "000000"),
    ("white", "ffffff"),
    ("gray", "808080"),
    ("grey", "808080"),
    ("silver", "c0c0c0"),
    ("red", "ff0000"),
    ("maroon", "800000"),
    ("orange", "ffa500"),
    ("yellow", "ffff00"),
    ("olive", "808000"),
    ("lime", "00ff00"),
    ("green", "008000"),
    ("teal", "008080"),
    ("aqua", "00ffff"),
    ("cyan", "00ffff"),
    ("blue", "0000ff"),
    ("navy", "000080"),
    ("purple", "800080"),
    ("fuchsia", "ff00ff"),
    ("magenta", "ff00ff"),
    ("pink", "ffc0cb"),
    ("brown", "a52a2a"),
    ("gold", "ffd700"),
    ("indigo", "4b0082"),
    ("tomato", "ff6347"),
    ("coral", "ff7f50"),
    ("crimson", "dc143c"),
    ("whitesmoke", "f5f5f5"),
    ("lightgray", "d3d3d3"),
    ("darkgray", "a9a9a9"),
    ("dimgray", "696969"),
    ("royalblue", "4169e1"),
    ("steelblue", "4682b4"),
    ("darkblue", "00008b"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_parsed_in_every_notation() {
        let rows = [
            ("#abc", Some("#aabbcc")),
            ("#AABBCCDD", Some("#aabbcc")),
            ("rgb(255, 0, 10)", Some("#ff000a")),
            ("rgb(100% 0% 0% / 50%)", Some("#ff0000")),
            ("rgba(0,0,0,0)", None),
            ("hsl(120, 100%, 25%)", Some("#008000")),
            ("hsl(210deg 50% 40%)", Some("#336699")),
            ("white url(x.png) no-repeat", Some("#ffffff")),
            ("transparent", None),
            ("#12", None),
            ("rgb(x)", None),
            ("", None),
        ];
        for (value, expected) in rows {
            assert_eq!(Color::parse(value).map(|color| color.to_string()).as_deref(), expected, "{value}");
        }
    }
}
