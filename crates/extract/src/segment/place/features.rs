//! Declares the features of a segment's place.

/// Declares the features once: as fields, which the parts of this module set by name, and as names and
/// numbers in the same order.
macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// The names of the features of a place.
        pub(crate) const PLACE_FEATURES: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

        /// The features of a place. Flags are 0 or 1, shares 0 to 1; sizes are [`scaled`](super::scaled). All
        /// are 0 unless they are set.
        #[derive(Debug, Clone, Copy, Default)]
        pub(super) struct Features {
            $($(#[$doc])+ pub(super) $name: f32,)+
        }

        impl Features {
            pub(super) const fn values(&self) -> [f32; PLACE_FEATURES.len()] {
                [$(self.$name),+]
            }
        }
    };
}

features! {
    // Position.
    /// Share of the page's text before it.
    page_share,
    /// Lines from the main heading, negative before it; a large value without a heading.
    lines_after_heading,
    /// Like `lines_after_heading`, in bytes.
    bytes_after_heading,
    /// It is the main heading or a part of it.
    in_main_heading,
    /// The level of the nearest heading before it; 0 without one.
    heading_level,
    /// Bytes from the nearest heading before it.
    heading_distance,
    /// Elements around its element.
    depth,
    /// It is in a part of the page about other things.
    is_unrelated,
    /// It is below a heading that names related things.
    in_related_section,
    // Elements around it, or its own.
    /// `nav`
    in_nav,
    /// `header`
    in_header,
    /// `footer`
    in_footer,
    /// `aside`
    in_aside,
    /// `main`
    in_main,
    /// `article`
    in_article,
    /// `form`
    in_form,
    /// `button`
    in_button,
    /// `a`
    in_link,
    /// `li`
    in_item,
    /// `td`
    in_cell,
    /// `th`
    in_header_cell,
    /// `dd`
    in_definition,
    /// `dt`
    in_term,
    /// `figure`
    in_figure,
    /// `label`
    in_label,
    /// `table`
    in_table,
    /// `blockquote`
    in_quote,
    /// `p`
    in_paragraph,
    /// `address`
    in_address,
    /// `strong`, `b` or `em`
    in_strong,
    // Its own element.
    /// `h1`
    is_first_heading,
    /// `h2`
    is_second_heading,
    /// `h3` to `h6`
    is_lower_heading,
    /// `time`
    is_time,
    /// `div` or `span`
    is_generic,
    /// `p`
    is_paragraph,
    /// `a`
    is_link,
    /// `img`
    is_image,
    /// `small`
    is_small,
    // Its link.
    /// The link leads to a place on this page.
    link_same_page,
    /// The link leads to another page of this host.
    link_same_host,
    /// The link leads to another host.
    link_other_host,
    /// `rel=author`
    link_author,
    /// `rel=tag`
    link_tag,
    /// The path has one of its words.
    link_has_word,
    /// Steps of the path.
    link_depth,
    /// The link leads to the start page.
    link_start,
    /// The path is that of a page about a person.
    link_person,
    /// The path is that of a page that lists what belongs together.
    link_group,
    /// The path is the start of the page's own.
    link_above,
    // Repetition.
    /// How often the page has this text.
    text_repeats,
    /// Elements with the same tags and first classes from the root on.
    path_count,
    /// Its number among them.
    path_nth,
    /// They all come after the main heading.
    path_after_heading,
    /// Size of the list of similar siblings that it is in.
    record_count,
    /// Its number in that list.
    record_nth,
    // Words and signs.
    /// Characters.
    chars,
    /// Words.
    words,
    /// Share of digits.
    digit_share,
    /// Share of capitals.
    capital_share,
    /// Share of other signs.
    sign_share,
    /// It starts with a capital.
    starts_with_capital,
    /// Each word starts with a capital.
    is_capitalised,
    /// All letters are capitals.
    is_all_capitals,
    /// It ends like a sentence.
    ends_sentence,
    /// It has a currency sign.
    has_currency,
    /// It has a colon.
    has_colon,
    // Types: of the whole text, or of a part of it.
    /// A date, with or without a time of day.
    whole_date,
    /// A date in it.
    has_date,
    /// A date with a time of day.
    whole_moment,
    /// A date with a time of day in it.
    has_moment,
    /// A duration.
    whole_duration,
    /// A duration in it.
    has_duration,
    /// An amount with a currency.
    whole_money,
    /// An amount with a currency in it.
    has_money,
    /// A number.
    whole_number,
    /// A digit in it.
    has_number,
    /// A percentage.
    whole_percent,
    /// A percentage in it.
    has_percent,
    /// A rating.
    whole_rating,
    /// A rating in it.
    has_rating,
    /// A count of reviews or the like.
    whole_count,
    /// A count in it.
    has_count,
    /// An e-mail address.
    whole_email,
    /// An e-mail address in it.
    has_email,
    /// A telephone number.
    whole_phone,
    /// A telephone number in it.
    has_phone,
    /// One word with a digit, as codes are.
    is_code,
    /// A GTIN with a correct check digit.
    is_gtin,
    /// A URL.
    is_url,
    /// It may be the name of a person or a company.
    is_name,
    /// It may be a place or an address.
    is_place,
    /// A form of employment, such as full-time.
    is_employment,
    /// The name of a language.
    is_language,
    /// Its number among the values of its type, from the heading on; negative before it.
    type_nth,
    /// Values of its type on the page.
    type_count,
    // The title, the main heading and the URL.
    /// It has the words of the main heading.
    equals_heading,
    /// Share of its words that the main heading has.
    words_in_heading,
    /// Share of the words of the main heading that it has.
    heading_covered,
    /// Share of its words that the title has.
    words_in_title,
    /// Its number among the parts of the title, from 1.
    title_part,
    /// Parts of the title.
    title_parts,
    /// It is all of the title or several parts of it.
    is_title_join,
    /// It is the title without the name of the site.
    is_title_without_site,
    /// It is the name of the site.
    is_site_name,
    /// Share of its words that the path of the URL has.
    words_in_path,
    // The name of the site, as several places state it.
    /// How much speaks for its being the name.
    site_weight,
    /// Like `site_weight`, less that of the best other name.
    site_lead,
    /// The title starts or ends with it.
    site_title,
    /// A link to the start page has it.
    site_home,
    /// A logo has it.
    site_logo,
    /// The copyright notice has it.
    site_copyright,
    /// The titles of feeds have it.
    site_feed,
    /// It has the letters of the host name.
    site_host,
    /// Share of the longer one that it and the host name have in common, if one starts with the other.
    site_host_share,
    // Its line and its label.
    /// Bytes before it on its line.
    bytes_before,
    /// Bytes after it on its line.
    bytes_after,
    /// The line starts with a word such as `by`.
    line_has_affix,
    /// Such words stand before or after its value.
    has_affix,
    /// A colon stands before it.
    after_colon,
    /// It has a label.
    has_label,
    /// The label is that of a longer text.
    has_shared_label,
    /// The label stands before a colon.
    label_colon,
    /// The label is a term of a list or a cell.
    label_term,
    /// The label is an element beside it.
    label_sibling,
    /// The label is the line above.
    label_line_above,
    /// The label is a heading.
    label_heading_above,
    /// The label is an attribute.
    label_attribute,
    /// The label is the words beside it on its line.
    label_inline,
    /// Bytes of the label.
    label_bytes,
    // How it was found.
    /// The text of an element.
    from_element,
    /// A text beside elements.
    from_text_node,
    /// A line.
    from_line,
    /// After a label.
    from_label,
    /// Without words such as `by`.
    from_affix,
    /// A part of the title or of the heading.
    from_title,
    /// A typed value in a longer text.
    from_typed,
    /// An attribute.
    from_attribute,
    /// A step of a breadcrumb trail.
    from_breadcrumb,
    /// A name of the site.
    from_site_name,
    /// Paragraphs.
    from_paragraphs,
    /// The last step of the trail.
    is_last_step,
    /// Steps after it in the trail.
    steps_after,
    /// The main text of the page.
    is_main_text,
    /// The first paragraph after the heading.
    is_first_paragraph,
    /// The text below a heading.
    is_section,
    /// An element that is named as a text.
    is_named_text,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_feature_has_its_own_name() {
        assert_eq!(PLACE_FEATURES.iter().collect::<BTreeSet<_>>().len(), PLACE_FEATURES.len());
    }
}
