use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format::ScreenshotFormat;
use crate::limits;
use crate::plan::ScrollDirection;

/// Something done on the page before content is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    /// Wait for a time, for an element, or for the one and then the other; at least one is needed.
    Wait {
        /// How long, in milliseconds.
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
        /// All matches in place of the first; default `false`.
        #[serde(skip_serializing_if = "Option::is_none")]
        all: Option<bool>,
    },
    /// Type text.
    Write {
        /// The text.
        #[schemars(length(max = limits::MAX_WRITE_CHARS))]
        text: String,
        /// Where; without it into the focused element.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: Option<String>,
    },
    /// Press a key.
    Press {
        /// Its name as in the DOM's `KeyboardEvent.key`.
        #[schemars(length(min = 1, max = limits::MAX_KEY_CHARS))]
        key: String,
    },
    /// Scroll the page or an element.
    Scroll {
        /// Which way; default `down`.
        #[serde(skip_serializing_if = "Option::is_none")]
        direction: Option<ScrollDirection>,
        /// What; without it the page.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
        selector: Option<String>,
    },
    /// Take a picture.
    Screenshot(ScreenshotFormat),
    /// Keep the page's HTML as it is now.
    Scrape,
    /// Run a script.
    ExecuteJavascript {
        /// Its source.
        #[schemars(length(min = 1, max = limits::MAX_SCRIPT_CHARS))]
        script: String,
    },
    /// Print to PDF.
    Pdf {
        /// Landscape in place of portrait; default `false`.
        #[serde(skip_serializing_if = "Option::is_none")]
        landscape: Option<bool>,
        /// Default 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = limits::MIN_PDF_SCALE, max = limits::MAX_PDF_SCALE))]
        scale: Option<f64>,
        /// Default `Letter`.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<Paper>,
    },
}

/// A paper size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the paper sizes")]
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
