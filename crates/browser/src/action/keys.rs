//! The keys of a US keyboard, and chords such as `Control+Shift+a`.

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key<'a> {
    /// `KeyboardEvent.key`.
    pub(super) name: &'a str,
    /// `KeyboardEvent.code`.
    pub(super) code: &'static str,
    /// `KeyboardEvent.keyCode`.
    pub(super) key_code: u16,
    /// What the key types.
    pub(super) text: &'a str,
    /// `KeyboardEvent.location`.
    pub(super) location: u8,
    /// It types its text together with Shift.
    pub(super) is_shifted: bool,
}

/// A key that changes what others do while it is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    Alt,
    Control,
    Meta,
    Shift,
}

impl Modifier {
    /// The modifier's bit in input events.
    pub(super) fn bit(self) -> u8 {
        match self {
            Self::Alt => 1,
            Self::Control => 2,
            Self::Meta => 4,
            Self::Shift => 8,
        }
    }

    /// Its key at the left side.
    pub(super) fn key(self) -> Key<'static> {
        let (name, code, key_code) = match self {
            Self::Alt => ("Alt", "AltLeft", 18),
            Self::Control => ("Control", "ControlLeft", 17),
            Self::Meta => ("Meta", "MetaLeft", 91),
            Self::Shift => ("Shift", "ShiftLeft", 16),
        };
        Key { name, code, key_code, text: "", location: 1, is_shifted: false }
    }

    /// The modifier that a key is.
    pub(super) fn of(key: &Key<'_>) -> Option<Self> {
        match key.name {
            "Alt" => Some(Self::Alt),
            "Control" => Some(Self::Control),
            "Meta" => Some(Self::Meta),
            "Shift" => Some(Self::Shift),
            _ => None,
        }
    }
}

/// Keys that type: without Shift, with Shift, code, key code.
const TYPING: &[(&str, &str, &str, u16)] = &[
    ("a", "A", "KeyA", 65),
    ("b", "B", "KeyB", 66),
    ("c", "C", "KeyC", 67),
    ("d", "D", "KeyD", 68),
    ("e", "E", "KeyE", 69),
    ("f", "F", "KeyF", 70),
    ("g", "G", "KeyG", 71),
    ("h", "H", "KeyH", 72),
    ("i", "I", "KeyI", 73),
    ("j", "J", "KeyJ", 74),
    ("k", "K", "KeyK", 75),
    ("l", "L", "KeyL", 76),
    ("m", "M", "KeyM", 77),
    ("n", "N", "KeyN", 78),
    ("o", "O", "KeyO", 79),
    ("p", "P", "KeyP", 80),
    ("q", "Q", "KeyQ", 81),
    ("r", "R", "KeyR", 82),
    ("s", "S", "KeyS", 83),
    ("t", "T", "KeyT", 84),
    ("u", "U", "KeyU", 85),
    ("v", "V", "KeyV", 86),
    ("w", "W", "KeyW", 87),
    ("x", "X", "KeyX", 88),
    ("y", "Y", "KeyY", 89),
    ("z", "Z", "KeyZ", 90),
    ("0", ")", "Digit0", 48),
    ("1", "!", "Digit1", 49),
    ("2", "@", "Digit2", 50),
    ("3", "#", "Digit3", 51),
    ("4", "$", "Digit4", 52),
    ("5", "%", "Digit5", 53),
    ("6", "^", "Digit6", 54),
    ("7", "&", "Digit7", 55),
    ("8", "*", "Digit8", 56),
    ("9", "(", "Digit9", 57),
    (";", ":", "Semicolon", 186),
    ("=", "+", "Equal", 187),
    (",", "<", "Comma", 188),
    ("-", "_", "Minus", 189),
    (".", ">", "Period", 190),
    ("/", "?", "Slash", 191),
    ("`", "~", "Backquote", 192),
    ("[", "{", "BracketLeft", 219),
    ("\\", "|", "Backslash", 220),
    ("]", "}", "BracketRight", 221),
    ("'", "\"", "Quote", 222),
];

/// Other keys: name, code, key code, text, location.
const NAMED: &[(&str, &str, u16, &str, u8)] = &[
    (" ", "Space", 32, " ", 0),
    ("Enter", "Enter", 13, "\r", 0),
    ("Tab", "Tab", 9, "", 0),
    ("Backspace", "Backspace", 8, "", 0),
    ("Delete", "Delete", 46, "", 0),
    ("Escape", "Escape", 27, "", 0),
    ("Insert", "Insert", 45, "", 0),
    ("PageUp", "PageUp", 33, "", 0),
    ("PageDown", "PageDown", 34, "", 0),
    ("End", "End", 35, "", 0),
    ("Home", "Home", 36, "", 0),
    ("ArrowLeft", "ArrowLeft", 37, "", 0),
    ("ArrowUp", "ArrowUp", 38, "", 0),
    ("ArrowRight", "ArrowRight", 39, "", 0),
    ("ArrowDown", "ArrowDown", 40, "", 0),
    ("Pause", "Pause", 19, "", 0),
    ("CapsLock", "CapsLock", 20, "", 0),
    ("NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", 145, "", 0),
    ("PrintScreen", "PrintScreen", 44, "", 0),
    ("ContextMenu", "ContextMenu", 93, "", 0),
    ("Shift", "ShiftLeft", 16, "", 1),
    ("Control", "ControlLeft", 17, "", 1),
    ("Alt", "AltLeft", 18, "", 1),
    ("Meta", "MetaLeft", 91, "", 1),
    ("AltGraph", "AltRight", 18, "", 2),
    ("F1", "F1", 112, "", 0),
    ("F2", "F2", 113, "", 0),
    ("F3", "F3", 114, "", 0),
    ("F4", "F4", 115, "", 0),
    ("F5", "F5", 116, "", 0),
    ("F6", "F6", 117, "", 0),
    ("F7", "F7", 118, "", 0),
    ("F8", "F8", 119, "", 0),
    ("F9", "F9", 120, "", 0),
    ("F10", "F10", 121, "", 0),
    ("F11", "F11", 122, "", 0),
    ("F12", "F12", 123, "", 0),
    ("F13", "F13", 124, "", 0),
    ("F14", "F14", 125, "", 0),
    ("F15", "F15", 126, "", 0),
    ("F16", "F16", 127, "", 0),
    ("F17", "F17", 128, "", 0),
    ("F18", "F18", 129, "", 0),
    ("F19", "F19", 130, "", 0),
    ("F20", "F20", 131, "", 0),
    ("F21", "F21", 132, "", 0),
    ("F22", "F22", 133, "", 0),
    ("F23", "F23", 134, "", 0),
    ("F24", "F24", 135, "", 0),
];

/// Other names of keys, in lower case.
const SYNONYMS: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("space", " "),
    ("spacebar", " "),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("ctrl", "Control"),
    ("controlormeta", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("win", "Meta"),
    ("super", "Meta"),
    ("option", "Alt"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("plus", "+"),
    ("minus", "-"),
];

/// The key that types a character; `None` if no single key does.
pub(super) fn typing(character: &str) -> Option<Key<'static>> {
    if character == " " {
        return named(" ");
    }
    TYPING.iter().find_map(|(plain, shifted, code, key_code)| {
        let name = [*plain, *shifted].into_iter().find(|name| *name == character)?;
        let is_shifted = name == *shifted;
        Some(Key { name, code, key_code: *key_code, text: name, location: 0, is_shifted })
    })
}

fn named(name: &str) -> Option<Key<'static>> {
    let (name, code, key_code, text, location) =
        NAMED.iter().find(|(key, ..)| key.eq_ignore_ascii_case(name))?;
    let (key_code, location) = (*key_code, *location);
    Some(Key { name, code, key_code, text, location, is_shifted: false })
}

/// The key with a name of `KeyboardEvent.key` in any case, a synonym, or a name of `KeyboardEvent.code`.
/// Any other single character is a key that types it.
pub(super) fn lookup(name: &str) -> Option<Key<'_>> {
    let synonym = SYNONYMS.iter().find(|(synonym, _)| synonym.eq_ignore_ascii_case(name));
    let name = synonym.map_or(name, |(_, key)| *key);
    if let Some(key) = typing(name).or_else(|| named(name)) {
        return Some(key);
    }
    let typing_code = TYPING.iter().find(|(_, _, code, _)| *code == name);
    let named_code = NAMED.iter().find(|(_, code, ..)| *code == name);
    if let Some((plain, ..)) = typing_code {
        return typing(plain);
    }
    if let Some((key, ..)) = named_code {
        return named(key);
    }
    let mut characters = name.chars();
    let is_single = characters.next().is_some_and(|first| !first.is_control()) && characters.next().is_none();
    is_single.then_some(Key { name, code: "", key_code: 0, text: name, location: 0, is_shifted: false })
}

/// The key with Shift, or without it.
fn variant<'a>(key: Key<'a>, is_shifted: bool) -> Key<'a> {
    let pair = TYPING.iter().find(|(plain, shifted, ..)| *plain == key.name || *shifted == key.name);
    let name = pair.map(|(plain, shifted, ..)| if is_shifted { *shifted } else { *plain });
    name.and_then(typing).unwrap_or(key)
}

/// The modifiers and the key of `Control+Shift+a`. `+` itself is a key too. An error is the unknown part.
pub(super) fn chord(text: &str) -> Result<(Vec<Modifier>, Key<'_>), &str> {
    let (before, last) = match text.strip_suffix("++") {
        Some(before) => (Some(before), "+"),
        None if text == "+" => (None, "+"),
        None => text.rsplit_once('+').map_or((None, text), |(before, last)| (Some(before), last)),
    };
    let mut modifiers = Vec::new();
    for part in before.into_iter().flat_map(|before| before.split('+')) {
        let modifier = lookup(part).as_ref().and_then(Modifier::of).ok_or(part)?;
        if !modifiers.contains(&modifier) {
            modifiers.push(modifier);
        }
    }
    let key = lookup(last).ok_or(last)?;
    let is_letter = key.name.len() == 1 && key.name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let key = if modifiers.contains(&Modifier::Shift) {
        variant(key, true)
    } else if is_letter && !modifiers.is_empty() {
        // A keyboard without Caps Lock gives `Control+A` as a small letter.
        variant(key, false)
    } else {
        key
    };
    Ok((modifiers, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> (&str, &str, u16, &str) {
        let key = lookup(name).unwrap();
        (key.name, key.code, key.key_code, key.text)
    }

    #[test]
    fn keys_have_many_names() {
        for name in ["Enter", "enter", "ENTER", "Return"] {
            assert_eq!(key(name), ("Enter", "Enter", 13, "\r"));
        }
        assert_eq!(key("a"), ("a", "KeyA", 65, "a"));
        assert_eq!(key("A"), ("A", "KeyA", 65, "A"));
        assert_eq!(key("KeyA"), ("a", "KeyA", 65, "a"));
        assert_eq!(key("Digit1"), ("1", "Digit1", 49, "1"));
        assert_eq!(key("!"), ("!", "Digit1", 49, "!"));
        assert_eq!(key("Space"), (" ", "Space", 32, " "));
        assert_eq!(key("esc"), ("Escape", "Escape", 27, ""));
        assert_eq!(key("Up"), ("ArrowUp", "ArrowUp", 38, ""));
        assert_eq!(key("f12"), ("F12", "F12", 123, ""));
        assert_eq!(key("ControlLeft"), ("Control", "ControlLeft", 17, ""));
        assert_eq!(key("\u{e9}"), ("\u{e9}", "", 0, "\u{e9}"));
        for unknown in ["", "Nope", "F25", "ab", "\u{7}"] {
            assert_eq!(lookup(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn every_key_is_found_by_its_name_and_typed_by_its_text() {
        for (plain, shifted, code, key_code) in TYPING {
            for (name, is_shifted) in [(*plain, false), (*shifted, true)] {
                let key = lookup(name).unwrap();
                assert_eq!(
                    (key.name, key.code, key.key_code, key.is_shifted),
                    (name, *code, *key_code, is_shifted)
                );
                assert_eq!(typing(name), Some(key));
            }
        }
        for modifier in [Modifier::Alt, Modifier::Control, Modifier::Meta, Modifier::Shift] {
            assert_eq!(lookup(modifier.key().name), Some(modifier.key()));
        }
        for (name, code, ..) in NAMED {
            assert_eq!(lookup(name).map(|key| (key.name, key.code)), Some((*name, *code)));
        }
        for (synonym, name) in SYNONYMS {
            assert_eq!(lookup(synonym).map(|key| key.name), Some(*name), "{synonym}");
        }
    }

    #[test]
    fn chords_have_modifiers_and_a_key() {
        use Modifier::{Alt, Control, Meta, Shift};
        let cases: [(&str, &[Modifier], &str); 12] = [
            ("a", &[], "a"),
            ("A", &[], "A"),
            ("+", &[], "+"),
            ("Control+A", &[Control], "a"),
            ("ctrl+shift+a", &[Control, Shift], "A"),
            ("Shift+1", &[Shift], "!"),
            ("Shift+Tab", &[Shift], "Tab"),
            ("Control++", &[Control], "+"),
            ("Control+Plus", &[Control], "+"),
            ("Alt+Alt+F4", &[Alt], "F4"),
            ("cmd+ArrowLeft", &[Meta], "ArrowLeft"),
            ("Control+Shift", &[Control], "Shift"),
        ];
        for (text, modifiers, name) in cases {
            let (found, key) = chord(text).unwrap();
            assert_eq!((found.as_slice(), key.name), (modifiers, name), "{text}");
        }
    }

    #[test]
    fn an_unknown_part_is_named() {
        assert_eq!(chord("Nope"), Err("Nope"));
        assert_eq!(chord("Control+Nope"), Err("Nope"));
        assert_eq!(chord("a+b"), Err("a"), "it is no modifier");
        assert_eq!(chord("Control+"), Err(""));
        assert_eq!(chord(""), Err(""));
    }
}
