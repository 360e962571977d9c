use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits;

/// What clients send beside the contract's own fields.
///
/// `origin`, `integration` and `fastMode` are accepted and change nothing. The others are known but not offered:
/// they may be present as long as they are off (`null`, `false`, `""`, `"off"`, `"none"`, `{}` or `[]`), and
/// anything else is refused with [`UnsupportedOption`](crate::ErrorCode::UnsupportedOption), because a caller
/// who asks for redaction must not get a page without it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extras {
    /// Which client sent the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_CLIENT_NAME_CHARS))]
    pub origin: Option<String>,
    /// Which integration sent the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_CLIENT_NAME_CHARS))]
    pub integration: Option<String>,
    /// Accepted, without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_mode: Option<bool>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_mock: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_metadata: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_prompt_injection: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threat_protection: Option<Value>,
    /// Not offered.
    #[serde(rename = "redactPII", skip_serializing_if = "Option::is_none")]
    pub redact_pii: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_clean_content: Option<Value>,
    /// Not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<Value>,
}

impl Extras {
    /// The options that are known but not offered, by their wire names.
    pub(crate) fn not_offered(&self) -> [(&'static str, Option<&Value>); 8] {
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
