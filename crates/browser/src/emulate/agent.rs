//! The user agent, and the client hints that belong to it. Which user agent a page has is the rule of
//! [`RenderRequest::user_agent`](gleaner_fetch::RenderRequest::user_agent).

use std::env::consts;

use crate::protocol::emulation::{Brand, UserAgentMetadata};

/// The brand in the client hints that stands for no product, so that servers do not rely on the order or
/// number of brands.
const GREASE: &str = "Not:A-Brand";
const GREASE_VERSION: &str = "8";

/// Words in a user agent, the platform in `navigator.platform`, and the one in client hints. The first word
/// that occurs decides.
const PLATFORMS: &[(&str, &str, &str)] = &[
    ("Android", "Linux armv81", "Android"),
    ("iPhone", "iPhone", "iOS"),
    ("iPad", "iPad", "iOS"),
    ("Windows", "Win32", "Windows"),
    ("Macintosh", "MacIntel", "macOS"),
    ("Linux aarch64", "Linux aarch64", "Linux"),
    ("", "Linux x86_64", "Linux"),
];

/// What the browser says that it is.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) user_agent: String,
    /// The value of `navigator.platform`.
    pub(super) platform: &'static str,
    /// `None` sends no client hints.
    pub(super) metadata: Option<UserAgentMetadata>,
}

impl Identity {
    /// The identity of a browser of this version, whose user agent is `own`. A user agent that is `given`
    /// gets no client hints, because those of this browser contradict it.
    pub(super) fn new(given: Option<&str>, own: &str, version: &str, is_mobile: bool) -> Self {
        if let Some(given) = given {
            let (platform, _) = platform_of(given);
            return Self { user_agent: given.to_owned(), platform, metadata: None };
        }
        let major = version.split('.').next().unwrap_or_default();
        let user_agent = if is_mobile { phone(major) } else { reduced(own, major) };
        let (platform, hint) = platform_of(&user_agent);
        let brand = |brand, version: &str| Brand { brand, version: version.to_owned() };
        let metadata = UserAgentMetadata {
            brands: vec![brand(GREASE, GREASE_VERSION), brand("Chromium", major)],
            full_version_list: vec![
                brand(GREASE, &format!("{GREASE_VERSION}.0.0.0")),
                brand("Chromium", version),
            ],
            platform: hint,
            platform_version: if is_mobile { "14.0.0" } else { "" },
            architecture: if is_mobile { "" } else { architecture() },
            model: if is_mobile { "K" } else { "" },
            mobile: is_mobile,
            bitness: if is_mobile { "" } else { "64" },
            wow64: false,
            form_factors: [if is_mobile { "Mobile" } else { "Desktop" }],
        };
        Self { user_agent, platform, metadata: Some(metadata) }
    }
}

/// The user agent of Chromium on any Android phone: its system and model are fixed values (User-Agent
/// Reduction).
fn phone(major: &str) -> String {
    format!(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/{major}.0.0.0 Mobile Safari/537.36"
    )
}

/// A user agent without the lesser parts of its version, which the headless browser shows and others do not.
fn reduced(user_agent: &str, major: &str) -> String {
    let Some((before, after)) = user_agent.split_once("Chrome/") else { return user_agent.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    format!("{before}Chrome/{major}.0.0.0{rest}")
}

fn platform_of(user_agent: &str) -> (&'static str, &'static str) {
    let row = PLATFORMS.iter().find(|(word, ..)| user_agent.contains(word));
    row.map_or(("", ""), |(_, platform, hint)| (*platform, *hint))
}

/// The architecture of this machine, as client hints name it.
fn architecture() -> &'static str {
    match consts::ARCH {
        "aarch64" | "arm" => "arm",
        "x86_64" | "x86" => "x86",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/156.0.0.0 Safari/537.36";
    /// As the headless browser has it, without the word.
    const HEADLESS: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/156.0.8078.79 Safari/537.36";
    const MAC: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 \
         (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";

    #[test]
    fn user_agent_platform_and_hints_say_the_same() {
        let version = "156.0.8078.79";
        for (own, is_mobile, platform, hint) in [
            (LINUX, false, "Linux x86_64", "Linux"),
            (HEADLESS, false, "Linux x86_64", "Linux"),
            (MAC, false, "MacIntel", "macOS"),
            (LINUX, true, "Linux armv81", "Android"),
            (MAC, true, "Linux armv81", "Android"),
        ] {
            let identity = Identity::new(None, own, version, is_mobile);
            let metadata = identity.metadata.unwrap();
            assert!(identity.user_agent.contains(" Chrome/156.0.0.0 "), "{}", identity.user_agent);
            assert!(identity.user_agent.ends_with(" Safari/537.36"), "{}", identity.user_agent);
            assert_eq!(identity.user_agent.contains("Mobile"), is_mobile);
            assert_eq!((identity.platform, metadata.platform), (platform, hint));
            assert_eq!(metadata.mobile, is_mobile);
            assert_eq!(metadata.form_factors, [if is_mobile { "Mobile" } else { "Desktop" }]);
            let chromium = |brands: &[Brand]| {
                brands.iter().find(|brand| brand.brand == "Chromium").map(|brand| brand.version.clone())
            };
            assert_eq!(chromium(&metadata.brands).as_deref(), Some("156"));
            assert_eq!(chromium(&metadata.full_version_list).as_deref(), Some(version));
            assert_eq!(metadata.brands.len(), metadata.full_version_list.len());
        }
    }

    #[test]
    fn a_given_user_agent_is_sent_as_it_is_and_without_hints() {
        for (given, platform) in [
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0", "Win32"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)", "iPhone"),
            ("Mozilla/5.0 (Linux; Android 10; K)", "Linux armv81"),
            ("example-bot/1.0", "Linux x86_64"),
        ] {
            for is_mobile in [false, true] {
                let identity = Identity::new(Some(given), LINUX, "156.0.1.2", is_mobile);
                assert_eq!((identity.user_agent.as_str(), identity.platform), (given, platform));
                assert!(identity.metadata.is_none());
            }
        }
    }
}
