//! Turns chosen moves into browser actions, and repeats earlier steps at each visit of a page.

use std::time::Duration;

use gleaner_types::limits::{MAX_ACTION_WAIT_MS, MAX_ACTIONS};
use gleaner_types::plan::{Action, PlannedAction, WaitFor};

use super::choose::Move;
use super::control::{Control, ControlKind};

/// The wait after each step, before the page is read. The browser has already waited until the page was quiet
/// after each press.
pub const STEP_WAIT: Duration = Duration::from_millis(300);

/// The actions of one step: what one choice of the model presses and fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    actions: Vec<Action>,
}

impl Step {
    /// The actions for these moves: clicks, and texts that are written. Enter follows a text if nothing is
    /// pressed after it, because many search fields have no button. `None` if nothing is left to do.
    #[must_use]
    pub fn of(controls: &[Control], moves: &[Move]) -> Option<Self> {
        let mut actions = Vec::new();
        let mut needs_enter = false;
        for Move { control, text } in moves {
            let Some(control) = controls.get(*control) else { continue };
            let selector = control.selector.clone();
            match (control.kind, text) {
                (ControlKind::Field, Some(text)) => {
                    actions.push(Action::Write { text: text.clone(), selector: Some(selector) });
                    needs_enter = true;
                }
                (ControlKind::Choice, Some(text)) => {
                    let option = control.options.iter().find(|option| option.label == *text);
                    let Some(option) = option else { continue };
                    let text = option.value.clone();
                    actions.push(Action::Write { text, selector: Some(selector) });
                }
                (ControlKind::Field | ControlKind::Choice, None) => {}
                (ControlKind::Button | ControlKind::Link | ControlKind::Toggle, _) => {
                    actions.push(Action::Click { selector, all: false });
                    needs_enter &= control.kind == ControlKind::Toggle;
                }
            }
        }
        if needs_enter {
            actions.push(Action::Press { key: "Enter".to_owned() });
        }
        (!actions.is_empty()).then_some(Self { actions })
    }

    /// The actions of the step when the page is read after it.
    fn len(&self) -> usize {
        // A wait and a scrape follow.
        self.actions.len() + 2
    }
}

/// The actions that lead from a new page to the state that was last read. They are repeated at each visit,
/// so a page is not kept between visits.
///
/// A visit has at most [`MAX_ACTIONS`] actions, which wait at most [`MAX_ACTION_WAIT_MS`] in total.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActionSequence {
    actions: Vec<Action>,
}

impl ActionSequence {
    /// Starts with the actions of the request. Those that only record something are left out.
    #[must_use]
    pub fn after(actions: &[PlannedAction]) -> Self {
        let records =
            |action: &Action| matches!(action, Action::Scrape | Action::Screenshot(_) | Action::Pdf { .. });
        let actions = actions.iter().map(|planned| &planned.action).filter(|action| !records(action));
        Self { actions: actions.cloned().collect() }
    }

    /// The actions of a visit that reads the current state.
    #[must_use]
    pub fn look(&self) -> Vec<PlannedAction> {
        let mut actions = self.actions.clone();
        actions.extend([wait(), Action::Scrape]);
        planned(actions)
    }

    /// How often a visit can repeat the step, at most `times`.
    #[must_use]
    pub fn room(&self, step: &Step, times: usize) -> usize {
        let left = MAX_ACTIONS.saturating_sub(self.actions.len());
        let waited: u128 = self.actions.iter().map(wait_of).sum();
        let waits = u128::from(MAX_ACTION_WAIT_MS).saturating_sub(waited) / STEP_WAIT.as_millis().max(1);
        times.min(left / step.len()).min(usize::try_from(waits).unwrap_or(usize::MAX))
    }

    /// The actions of a visit that does the step `times` times and reads the page after each.
    #[must_use]
    pub fn with(&self, step: &Step, times: usize) -> Vec<PlannedAction> {
        let mut actions = self.actions.clone();
        for _ in 0..times {
            actions.extend(step.actions.iter().cloned());
            actions.extend([wait(), Action::Scrape]);
        }
        planned(actions)
    }

    /// How often a visit had done the whole step when the action with this index failed.
    #[must_use]
    pub fn done_before(&self, step: &Step, failed: usize) -> usize {
        failed.saturating_sub(self.actions.len()) / step.len()
    }

    /// Adds the step, done `times` times.
    pub fn push(&mut self, step: &Step, times: usize) {
        for _ in 0..times {
            self.actions.extend(step.actions.iter().cloned());
            self.actions.push(wait());
        }
    }
}

fn wait() -> Action {
    Action::Wait(WaitFor::Time(STEP_WAIT))
}

fn wait_of(action: &Action) -> u128 {
    match action {
        Action::Wait(WaitFor::Time(time)) => time.as_millis(),
        _ => 0,
    }
}

fn planned(actions: Vec<Action>) -> Vec<PlannedAction> {
    actions.into_iter().enumerate().map(|(index, action)| PlannedAction { index, action }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::ControlOption;

    fn control(kind: ControlKind, selector: &str) -> Control {
        let option = ControlOption { label: "Large".to_owned(), value: "l".to_owned() };
        Control { kind, selector: selector.to_owned(), label: "x".to_owned(), options: vec![option] }
    }

    fn page() -> [Control; 4] {
        [
            control(ControlKind::Field, "#q"),
            control(ControlKind::Choice, "#size"),
            control(ControlKind::Button, "#go"),
            control(ControlKind::Toggle, "#all"),
        ]
    }

    fn step(moves: &[(usize, Option<&str>)]) -> Option<Step> {
        let moves: Vec<Move> = moves
            .iter()
            .map(|(control, text)| Move { control: *control, text: text.map(str::to_owned) })
            .collect();
        Step::of(&page(), &moves)
    }

    #[test]
    fn moves_become_clicks_and_texts() {
        let click = |selector: &str| Action::Click { selector: selector.to_owned(), all: false };
        let write = |text: &str, selector: &str| Action::Write {
            text: text.to_owned(),
            selector: Some(selector.to_owned()),
        };
        let enter = Action::Press { key: "Enter".to_owned() };
        type Picks = [(usize, Option<&'static str>)];
        let rows: [(&Picks, Vec<Action>); 6] = [
            (&[(2, None)], vec![click("#go")]),
            (&[(0, Some("tea"))], vec![write("tea", "#q"), enter.clone()]),
            (&[(0, Some("tea")), (2, None)], vec![write("tea", "#q"), click("#go")]),
            (&[(0, Some("tea")), (3, None)], vec![write("tea", "#q"), click("#all"), enter]),
            (&[(1, Some("Large"))], vec![write("l", "#size")]),
            (&[(2, Some("ignored"))], vec![click("#go")]),
        ];
        for (moves, expected) in rows {
            assert_eq!(step(moves).map(|step| step.actions), Some(expected), "{moves:?}");
        }
        let nothing: [&[(usize, Option<&str>)]; 4] =
            [&[], &[(9, None)], &[(0, None)], &[(1, Some("an option that is not there"))]];
        for moves in nothing {
            assert_eq!(step(moves), None, "{moves:?}");
        }
    }

    #[test]
    fn each_visit_repeats_the_earlier_actions_within_the_limits() {
        let press = step(&[(2, None)]).unwrap();
        let first = [Action::Wait(WaitFor::Time(Duration::from_secs(1))), Action::Scrape];
        let mut sequence = ActionSequence::after(&planned(first.to_vec()));
        assert_eq!(sequence.look().len(), 3, "the scrape of the request is left out");
        assert_eq!(sequence.room(&press, 100), 16, "(50 - 1) / 3");
        assert_eq!(sequence.room(&press, 2), 2);
        let visit = sequence.with(&press, 2);
        assert_eq!(visit.len(), 1 + 2 * 3);
        assert!(visit.iter().enumerate().all(|(at, planned)| planned.index == at));
        assert_eq!(visit.iter().filter(|planned| planned.action == Action::Scrape).count(), 2);
        // The first repetition is at 1 to 3, the second at 4 to 6.
        assert_eq!([0, 1, 3, 4, 6, 7].map(|failed| sequence.done_before(&press, failed)), [0, 0, 0, 1, 1, 2]);
        sequence.push(&press, 2);
        assert_eq!(sequence.look().len(), 1 + 2 * 2 + 2, "the scrapes are not repeated");
        sequence.push(&press, 23);
        assert_eq!(sequence.room(&press, 1), 0);
    }

    #[test]
    fn waits_are_limited_too() {
        let press = step(&[(2, None)]).unwrap();
        let long = Action::Wait(WaitFor::Time(Duration::from_millis(MAX_ACTION_WAIT_MS - 700)));
        let sequence = ActionSequence::after(&planned(vec![long]));
        assert_eq!(sequence.room(&press, 10), 2, "300 ms fit twice into 700 ms");
    }
}
