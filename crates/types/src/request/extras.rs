//! Fields that are accepted without effect, or refused as unsupported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::setters::setters;
use crate::limits;

/// Other fields that clients send.
///
/// `origin`, `integration` and `fastMode` are accepted and change nothing. The others are known but not
/// supported. They may be present if they are off (`null`, `false`, `""`, `"off"`, `"none"`, `{}` or `[]`).
/// Anything else is refused with [`UnsupportedOption`](crate::ErrorCode::UnsupportedOption): a caller that
/// requests redaction must not get a page without it. Unsupported options therefore have no setter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Extras {
    /// The client that sent the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_CLIENT_NAME_CHARS))]
    pub origin: Option<String>,
    /// The integration that sent the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_CLIENT_NAME_CHARS))]
    pub integration: Option<String>,
    /// Accepted, without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_mode: Option<bool>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_mock: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_metadata: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_prompt_injection: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threat_protection: Option<Value>,
    /// Not supported.
    #[serde(rename = "redactPII", skip_serializing_if = "Option::is_none")]
    pub redact_pii: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_clean_content: Option<Value>,
    /// Not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<Value>,
}

impl Extras {
    /// No other fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The options that are known but not supported, by their wire names.
    pub(crate) fn unsupported(&self) -> [(&'static str, Option<&Value>); 8] {
        [
            ("useMock", self.use_mock.as_ref()),
            ("profile", self.profile.as_ref()),
            ("auditMetadata", self.audit_metadata.as_ref()),
            ("checkPromptInjection", self.check_prompt_injection.as_ref()),
            ("threatProtection", self.threat_protection.as_ref()),
            ("redactPII", self.redact_pii.as_ref()),
            ("onlyCleanContent", self.only_clean_content.as_ref()),
            ("safeMode", self.safe_mode.as_ref()),
        ]
    }
}

setters! {
    Extras [] {
        /// Names the client that sends the request.
        origin: text;
        /// Names the integration that sends the request.
        integration: text;
        /// Has no effect.
        fast_mode: value(bool);
    }
}
