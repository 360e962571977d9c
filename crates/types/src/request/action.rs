//! Browser actions of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format::ScreenshotFormat;
use crate::limits;
use crate::plan::ScrollDirection;

/// An action on the page before content is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Action {
    /// Wait for a time, for an element, or for the time and then the element; at least one is required.
    Wait {
        /// The time in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = limits::MAX_ACTION_WAIT_MS))]
        milliseconds: Option<u64>,
        /// A CSS selector of the element.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: Option<String>,
    },
    /// Click an element.
    Click {
        /// A CSS selector.
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: String,
        /// All matches instead of the first; default `false`.
        #[serde(skip_serializing_if = "Option::is_none")]
        all: Option<bool>,
    },
    /// Type text.
    Write {
        /// The text.
        #[schemars(length(max = limits::MAX_WRITE_CHARS))]
        text: String,
        /// A CSS selector of the element to type into; default the focused element.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: Option<String>,
    },
    /// Press a key.
    Press {
        /// The key's name as in the DOM's `KeyboardEvent.key`.
        #[schemars(length(min = 1, max = limits::MAX_KEY_CHARS))]
        key: String,
    },
    /// Scroll the page or an element.
    Scroll {
        /// The direction; default `down`.
        #[serde(skip_serializing_if = "Option::is_none")]
        direction: Option<ScrollDirection>,
        /// A CSS selector of the element to scroll; default the page.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: Option<String>,
    },
    /// Take a screenshot.
    Screenshot(ScreenshotFormat),
    /// Record the page's HTML as it is now.
    Scrape,
    /// Run a script.
    ExecuteJavascript {
        /// The script's source.
        #[schemars(length(min = 1, max = limits::MAX_SCRIPT_CHARS))]
        script: String,
    },
    /// Print to PDF.
    Pdf {
        /// Landscape instead of portrait; default `false`.
        #[serde(skip_serializing_if = "Option::is_none")]
        landscape: Option<bool>,
        /// The scale; default 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = limits::MIN_PDF_SCALE, max = limits::MAX_PDF_SCALE))]
        scale: Option<f64>,
        /// The paper size; default `Letter`.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<Paper>,
    },
}

/// A paper size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the paper sizes")]
#[non_exhaustive]
pub enum Paper {
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    Letter,
    Legal,
    Tabloid,
    Ledger,
}

impl Paper {
    /// The size's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A0 => "A0",
            Self::A1 => "A1",
            Self::A2 => "A2",
            Self::A3 => "A3",
            Self::A4 => "A4",
            Self::A5 => "A5",
            Self::A6 => "A6",
            Self::Letter => "Letter",
            Self::Legal => "Legal",
            Self::Tabloid => "Tabloid",
            Self::Ledger => "Ledger",
        }
    }
}
