//! Features of the element around a segment.

use super::{Features, flag};
use crate::segment::outline::NodeFacts;
use crate::segment::tag::Tag;

/// What its element is, and what is around it.
pub(super) fn write(facts: &NodeFacts, to: &mut Features) {
    let inside = |tag: Tag| flag(facts.is_inside(tag));
    to.in_nav = inside(Tag::Nav);
    to.in_header = inside(Tag::Header);
    to.in_footer = inside(Tag::Footer);
    to.in_aside = inside(Tag::Aside);
    to.in_main = inside(Tag::Main);
    to.in_article = inside(Tag::Article);
    to.in_form = inside(Tag::Form);
    to.in_button = inside(Tag::Button);
    to.in_link = inside(Tag::Link);
    to.in_item = inside(Tag::Item);
    to.in_cell = inside(Tag::Cell);
    to.in_header_cell = inside(Tag::HeaderCell);
    to.in_definition = inside(Tag::Definition);
    to.in_term = inside(Tag::Term);
    to.in_figure = inside(Tag::Figure);
    to.in_label = inside(Tag::Label);
    to.in_table = inside(Tag::Table);
    to.in_quote = inside(Tag::Quote);
    to.in_paragraph = inside(Tag::Paragraph);
    to.in_address = inside(Tag::Address);
    to.in_strong = inside(Tag::Strong);
    match facts.tag {
        Tag::Heading(1) => to.is_first_heading = 1.0,
        Tag::Heading(2) => to.is_second_heading = 1.0,
        Tag::Heading(_) => to.is_lower_heading = 1.0,
        Tag::Time => to.is_time = 1.0,
        Tag::Generic => to.is_generic = 1.0,
        Tag::Paragraph => to.is_paragraph = 1.0,
        Tag::Link => to.is_link = 1.0,
        Tag::Image => to.is_image = 1.0,
        Tag::Small => to.is_small = 1.0,
        _ => {}
    }
}
