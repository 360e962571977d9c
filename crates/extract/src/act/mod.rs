//! Acts on pages in a browser: what can be pressed and filled in, which of it the model picks, and the
//! actions that follow.
//!
//! The model never writes an action. It sees a numbered list of the [controls](controls) of the page, picks
//! by number, and gives texts for fields. So a page can offer its own controls and nothing else: no script,
//! no address and no selector comes from the model. A page is not kept open between two picks. Each visit
//! repeats the earlier actions on a new page ([`ActionSequence`]), so it needs no session.
//!
//! Some controls are never offered, whatever the model would pick:
//!
//! - forms that are submitted by POST, and forms with a field for a password, a file, a card, an email
//!   address, a phone number or a message, with all that is in them;
//! - controls whose words mean buying, deleting, logging out, or sending something to others;
//! - links to other hosts, downloads, and links that open another window;
//! - controls that are hidden or disabled, and those in frames and shadow roots.

mod choose;
mod control;
mod excluded_forms;
mod off_limits;
mod selectors;
mod sequence;

pub use choose::{ControlChoice, ControlQuestion, MAX_MOVES, Move};
pub use control::{Control, ControlKind, ControlOption, MAX_CONTROL_LINKS, MAX_CONTROLS, controls};
pub use sequence::{ActionSequence, STEP_WAIT, Step};
