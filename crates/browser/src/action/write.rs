//! Types text into form fields.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::failure::Failure;
use super::find::{ELEMENT_LIMIT, GAP};
use super::frames::Place;
use super::keys::{Key, Modifier, lookup, typing};
use super::query::{Kind, Query, State};
use super::runner::Runner;
use crate::protocol::input::InsertText;

/// How long a click on something that is not a field may take to make it one.
const FIELD_LIMIT: Duration = Duration::from_millis(500);

/// A text of more characters is inserted at once, but for the last one.
const MAX_TYPED: usize = 500;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part<'w> {
    /// One key types it.
    Key(Key<'static>),
    /// No key of the keyboard types it, or it is long.
    Inserted(&'w str),
    LineBreak,
}

impl Runner<'_, '_> {
    /// Writes into the first match, or into the focused element. Text is added at the end; values that are
    /// not typed, such as dates, are replaced.
    pub(super) async fn write(&mut self, text: &str, selector: Option<&str>) -> Result<(), Failure> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let place = match selector {
            Some(selector) => self.click_field(selector).await?,
            None => Place::Main,
        };
        let query = Query::new("focus", selector);
        let end = self.until(FIELD_LIMIT);
        loop {
            let found = self.find(&query, Some(&place), ELEMENT_LIMIT).await?;
            // The focus is in a frame of another origin: keys reach it there.
            let is_in_frame = selector.is_none() && found.seen.what.starts_with("<iframe");
            match found.seen.kind {
                Kind::Value => {
                    let set = Query { argument: Value::from(text), ..Query::new("set", selector) };
                    return self.ask(&place, &set).await?.done();
                }
                kind if kind == Kind::Text || is_in_frame => return self.type_text(&text).await,
                _ if Instant::now() >= end => {
                    return Err(Failure::Action(format!("not a field to write into: {}", found.seen.what)));
                }
                _ => sleep_until(Instant::now() + GAP).await,
            }
        }
    }

    /// Clicks the first match, unless a click would open a list or a picker. Returns its frame.
    async fn click_field(&mut self, selector: &str) -> Result<Place, Failure> {
        let found = self.find(&Query::new("probe", Some(selector)), None, ELEMENT_LIMIT).await?;
        let focused = self.ask(&found.place, &Query::new("focus", Some(selector))).await?;
        let has_value = focused.state == State::Ready && focused.kind == Kind::Value;
        if !has_value {
            self.click_at(found.seen.x, found.seen.y).await?;
        }
        Ok(found.place)
    }

    async fn type_text(&self, text: &str) -> Result<(), Failure> {
        let parts = parts(text);
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.iter().enumerate() {
            // Only the end and a line break, which may send a form, are awaited.
            match part {
                Part::LineBreak => {
                    if let Some(enter) = lookup("Enter") {
                        self.stroke(&enter, 0).await?;
                    }
                }
                Part::Key(key) => {
                    let modifiers = if key.is_shifted { Modifier::Shift.bit() } else { 0 };
                    if index == last {
                        self.stroke(key, modifiers).await?;
                    } else {
                        self.post_stroke(key, modifiers).await?;
                    }
                }
                Part::Inserted(text) if index == last => self.dispatch(&InsertText { text }).await?,
                Part::Inserted(text) => self.post(&InsertText { text }).await?,
            }
        }
        Ok(())
    }
}

/// How a text is typed.
fn parts(text: &str) -> Vec<Part<'_>> {
    let last = text.char_indices().next_back().map_or(0, |(index, _)| index);
    let is_long = text.chars().nth(MAX_TYPED).is_some();
    let (inserted, typed) = text.split_at(if is_long { last } else { 0 });
    let mut parts = Vec::new();
    if !inserted.is_empty() {
        parts.push(Part::Inserted(inserted));
    }
    let mut rest = typed;
    while let Some(first) = rest.chars().next() {
        let (character, after) = rest.split_at(first.len_utf8());
        if let Some(key) = typing(character) {
            parts.push(Part::Key(key));
            rest = after;
        } else if first == '\n' {
            parts.push(Part::LineBreak);
            rest = after;
        } else {
            // What belongs together, such as an emoji of several characters, stays together.
            let is_key =
                |character: char| character == '\n' || typing(character.encode_utf8(&mut [0; 4])).is_some();
            let (text, after) = rest.split_at(rest.find(is_key).unwrap_or(rest.len()));
            parts.push(Part::Inserted(text));
            rest = after;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Part<'static> {
        Part::Key(typing(name).unwrap())
    }

    #[test]
    fn texts_are_typed_by_keys_as_far_as_there_are_any() {
        assert!(parts("").is_empty());
        assert_eq!(parts("aB !"), [key("a"), key("B"), key(" "), key("!")]);
        assert_eq!(parts("a\nb"), [key("a"), Part::LineBreak, key("b")]);
        let family = "\u{1f469}\u{200d}\u{1f467}";
        let text = format!("\u{e9}{family}x\t");
        let inserted = format!("\u{e9}{family}");
        assert_eq!(parts(&text), [Part::Inserted(&inserted), key("x"), Part::Inserted("\t")]);
    }

    #[test]
    fn a_long_text_is_inserted_but_for_its_last_character() {
        let longest = "a".repeat(MAX_TYPED);
        assert_eq!(parts(&longest).len(), MAX_TYPED);
        let long = format!("{longest}b");
        assert_eq!(parts(&long), [Part::Inserted(&longest), key("b")]);
        let accented = "\u{e9}".repeat(MAX_TYPED + 1);
        assert_eq!(parts(&accented), [Part::Inserted(&"\u{e9}".repeat(MAX_TYPED)), Part::Inserted("\u{e9}")]);
    }
}
