//! Writes the inline content of one block as Markdown.

use std::ops::Range;

use memchr::memchr;

use super::brackets;
use super::emphasis::{self, Style};
use super::escape::{self, DelimiterCounts};
use super::inline::Inline;
use super::piece::{InlineContext, Mark, OpenInline, Piece};
use crate::tree::TEXT_BYTES_PER_UNIT;

/// Counts that make every delimiter character be escaped.
const ESCAPE_ALL: DelimiterCounts = DelimiterCounts {
    stars: 2,
    underscores: 2,
    backticks: 2,
    tildes: 2,
    autolink: true,
    defer_dollars: true,
};

impl Inline {
    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Writes the collected content and closes open marks and links.
    pub(super) fn render(&mut self, context: InlineContext) -> String {
        // A paragraph may be as long as the page.
        if self.interrupt.spend(self.pieces.len() + self.text.len() / TEXT_BYTES_PER_UNIT) {
            return String::new();
        }
        self.trim_end();
        for open in self.open.clone().into_iter().rev() {
            self.pieces.push(match open {
                OpenInline::Mark { mark, .. } => Piece::Close(mark),
                OpenInline::Link(number) => Piece::LinkEnd(number),
            });
        }
        if let Some(target) = self.enclosing_link.take() {
            self.targets.push(target);
            self.pieces.insert(0, Piece::Link);
            self.pieces.push(Piece::LinkEnd(self.targets.len() - 1));
        }
        self.drop_empty();
        if context == InlineContext::Title {
            self.remove_enclosing_mark(Mark::Strong);
        }
        self.move_spaces_out();
        self.has_dollars |= memchr(b'$', self.text.as_bytes()).is_some();
        let styles = emphasis::styles(&self.pieces, &self.text, &self.interrupt);
        // An address may span several pieces.
        let autolink = self.special && escape::has_autolink(&self.text);
        let mut counts = DelimiterCounts { autolink, defer_dollars: true, ..DelimiterCounts::default() };
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) if self.special => counts.add(self.slice(range)),
                // A backslash has no effect in a code span: these backticks could end a code span that
                // earlier text begins.
                Piece::Image { alt: range, .. } | Piece::Raw(range) => {
                    counts.backticks += self.slice(range).matches('`').count();
                }
                Piece::Code(_) => counts.backticks += 2,
                _ => {}
            }
        }
        for style in &styles {
            match style {
                Style::Delimiter(b'*') => counts.stars += 2,
                Style::Delimiter(b'_') => counts.underscores += 2,
                Style::Delimiter(_) => counts.tildes += 2,
                Style::Html | Style::None => {}
            }
        }
        counts.backticks +=
            self.targets.iter().map(|target| target.address.matches('`').count()).sum::<usize>();
        let mut out = String::with_capacity(self.text.len() + self.pieces.len() * 4);
        let mut link_start = None;
        // Ranges of the open link that bind tighter than brackets.
        let mut atomic = Vec::new();
        let (interrupt, cell) = (&self.interrupt, context == InlineContext::Cell);
        for (index, piece) in self.pieces.iter().enumerate() {
            if interrupt.spend(1) {
                break;
            }
            let before = out.len();
            match piece {
                Piece::Text(range) if !self.special => out.push_str(self.slice(range)),
                Piece::Text(range) => {
                    let next = self.pieces.get(index + 1);
                    let following = match next {
                        Some(Piece::Link) => Some('['),
                        Some(Piece::Text(next)) => self.slice(next).chars().next(),
                        Some(_) => Some('*'),
                        None => None,
                    };
                    escape::text(self.slice(range), following, &counts, cell, interrupt, &mut out);
                }
                Piece::Open(mark) | Piece::Close(mark) => {
                    let closes = matches!(piece, Piece::Close(_));
                    match styles.get(index) {
                        Some(Style::Delimiter(character)) => {
                            let length = mark.delimiter().map_or(1, |(length, _)| length);
                            out.extend(std::iter::repeat_n(char::from(*character), length));
                        }
                        _ => {
                            out.push_str(if closes { "</" } else { "<" });
                            out.push_str(mark.html());
                            out.push('>');
                        }
                    }
                }
                Piece::Link => {
                    out.push('[');
                    link_start = Some(out.len());
                    atomic.clear();
                }
                Piece::LinkEnd(number) => {
                    if let Some(start) = link_start.take() {
                        brackets::escape(&mut out, start, &atomic);
                    }
                    out.push_str("](");
                    self.target(*number, context, &mut out);
                    out.push(')');
                }
                // The backticks of two adjacent code spans would merge.
                Piece::Code(range)
                    if index > 0 && matches!(self.pieces.get(index - 1), Some(Piece::Code(_))) =>
                {
                    out.push_str("<code>");
                    escape::text(self.slice(range), Some('<'), &ESCAPE_ALL, cell, interrupt, &mut out);
                    out.push_str("</code>");
                }
                Piece::Code(range) => code_span(self.slice(range), cell, &mut out),
                Piece::Raw(range) if cell => {
                    out.push_str(&self.slice(range).replace('|', "\\|"));
                }
                Piece::Raw(range) => out.push_str(self.slice(range)),
                Piece::Image { alt, target } => {
                    out.push_str("![");
                    let start = out.len();
                    escape::text(self.slice(alt), Some(']'), &ESCAPE_ALL, cell, interrupt, &mut out);
                    brackets::escape(&mut out, start, &[]);
                    out.push_str("](");
                    self.target(*target, context, &mut out);
                    out.push(')');
                }
                Piece::Break if link_start.is_some() => out.push(' '),
                Piece::Break => match context {
                    InlineContext::Paragraph => out.push_str("  \n"),
                    InlineContext::Heading | InlineContext::Title => out.push(' '),
                    InlineContext::Cell => out.push_str("<br>"),
                },
            }
            if matches!(piece, Piece::Code(_) | Piece::Image { .. } | Piece::Raw(_)) {
                atomic.push(before..out.len());
            }
        }
        out
    }

    fn target(&self, number: usize, context: InlineContext, out: &mut String) {
        let Some(target) = self.targets.get(number) else { return };
        if target.address == super::BASE64_PLACEHOLDER {
            out.push_str(super::BASE64_PLACEHOLDER);
        } else {
            escape::destination(&target.address, context == InlineContext::Cell, out);
        }
        if let Some(title) = &target.title {
            out.push_str(" \"");
            escape::title(title, context == InlineContext::Cell, out);
            out.push('"');
        }
    }
}

/// Writes a code span. Its delimiters are longer than any run of backticks inside.
fn code_span(code: &str, cell: bool, out: &mut String) {
    let fence = "`".repeat(super::code::longest_run(code, '`') + 1);
    let padded = code.starts_with('`')
        || code.ends_with('`')
        || (code.starts_with(' ') && code.ends_with(' ') && code.bytes().any(|byte| byte != b' '));
    out.push_str(&fence);
    if padded {
        out.push(' ');
    }
    if cell {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    if padded {
        out.push(' ');
    }
    out.push_str(&fence);
}
