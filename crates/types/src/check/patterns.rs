//! Checks the URL patterns of a crawl.

use super::path::Path;
use super::report::{Code, Report};
use crate::plan::{PatternFaultKind, pattern_faults};

/// The patterns. Their faults are added to `report`.
pub(crate) fn patterns(patterns: Option<Vec<String>>, path: &Path<'_>, report: &mut Report) -> Vec<String> {
    let patterns = patterns.unwrap_or_default();
    for fault in pattern_faults(&patterns) {
        let code = match fault.kind {
            PatternFaultKind::Syntax => Code::InvalidValue,
            PatternFaultKind::TooMany | PatternFaultKind::TooLong | PatternFaultKind::TooLarge => {
                Code::OutOfRange
            }
        };
        let message = |name: &str| format!("{name} {}", fault.text);
        match fault.index {
            Some(index) => report.fault(code, &path.index(index), message),
            None => report.fault(code, path, message),
        }
    }
    patterns
}
