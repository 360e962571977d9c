//! Presses keys, with or without modifiers.

use super::failure::Failure;
use super::keys::{Key, Modifier, chord};
use super::runner::Runner;
use crate::protocol::input::DispatchKeyEvent;

/// A key goes down or up while the modifiers with these bits are down. It types only without modifiers other
/// than Shift.
fn event<'k>(key: &Key<'k>, is_down: bool, modifiers: u8) -> DispatchKeyEvent<'k> {
    let types = is_down && modifiers & !Modifier::Shift.bit() == 0;
    let text = if types { key.text } else { "" };
    let kind = match (is_down, text.is_empty()) {
        (true, false) => "keyDown",
        (true, true) => "rawKeyDown",
        (false, _) => "keyUp",
    };
    DispatchKeyEvent {
        kind,
        modifiers,
        key: key.name,
        code: key.code,
        windows_virtual_key_code: key.key_code,
        location: key.location,
        text,
        unmodified_text: text,
    }
}

impl Runner<'_, '_> {
    /// Presses a key, or a key with modifiers.
    pub(super) async fn press(&mut self, text: &str) -> Result<(), Failure> {
        let (modifiers, key) =
            chord(text).map_err(|unknown| Failure::Action(format!("there is no key `{unknown}`")))?;
        // A single character is typed as it is, such as `A` or `!`.
        let is_typed = modifiers.is_empty() && key.is_shifted;
        let mut bits = if is_typed { Modifier::Shift.bit() } else { 0 };
        let mut down = Vec::new();
        for modifier in &modifiers {
            bits |= modifier.bit();
            self.post(&event(&modifier.key(), true, bits)).await?;
            down.push((modifier.key(), bits & !modifier.bit()));
        }
        self.stroke(&key, bits).await?;
        for (key, left) in down.iter().rev() {
            self.post(&event(key, false, *left)).await?;
        }
        Ok(())
    }

    /// Presses a key while the modifiers with these bits are down, and waits until the page has handled it.
    pub(super) async fn stroke(&self, key: &Key<'_>, modifiers: u8) -> Result<(), Failure> {
        self.post_down(key, modifiers).await?;
        self.dispatch(&event(key, false, modifiers)).await
    }

    /// Presses a key without waiting for the page.
    pub(super) async fn post_stroke(&self, key: &Key<'_>, modifiers: u8) -> Result<(), Failure> {
        self.post_down(key, modifiers).await?;
        Ok(self.post(&event(key, false, modifiers)).await?)
    }

    async fn post_down(&self, key: &Key<'_>, modifiers: u8) -> Result<(), Failure> {
        let own = Modifier::of(key).map_or(0, Modifier::bit);
        Ok(self.post(&event(key, true, modifiers | own)).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_types_only_without_modifiers_other_than_shift() {
        let (_, key) = chord("a").unwrap();
        let control = Modifier::Control.bit();
        let cases = [
            (true, 0, "keyDown", "a"),
            (true, Modifier::Shift.bit(), "keyDown", "a"),
            (true, control, "rawKeyDown", ""),
            (false, 0, "keyUp", ""),
            (false, control, "keyUp", ""),
        ];
        for (is_down, modifiers, kind, text) in cases {
            let event = event(&key, is_down, modifiers);
            assert_eq!((event.kind, event.text, event.unmodified_text), (kind, text, text));
            assert_eq!(
                (event.code, event.windows_virtual_key_code, event.modifiers),
                ("KeyA", 65, modifiers)
            );
        }
        let (_, tab) = chord("Tab").unwrap();
        assert_eq!(event(&tab, true, 0).kind, "rawKeyDown");
        let (_, enter) = chord("Enter").unwrap();
        assert_eq!((event(&enter, true, 0).kind, event(&enter, true, 0).text), ("keyDown", "\r"));
    }
}
