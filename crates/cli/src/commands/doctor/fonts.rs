//! Fonts, which screenshots and PDFs of pages need.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::finding::Finding;

const CHECK: &str = "fonts";

/// Where fonts are, if there is no `fc-list`.
const FOLDERS: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];

/// Upper bound on files and folders that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// Parts of the names of fonts with Chinese, Japanese and Korean letters.
const CJK: [&str; 14] = [
    "cjk",
    "wqy",
    "wenquanyi",
    "fallback",
    "ipaex",
    "ipafont",
    "takao",
    "vlgothic",
    "nanum",
    "unfonts",
    "uming",
    "ukai",
    "source han",
    "sourcehan",
];

const EMOJI: [&str; 1] = ["emoji"];

const INSTALL: &str = "on Debian: apt-get install fonts-liberation fonts-noto-cjk fonts-noto-color-emoji";

pub(super) fn late() -> Finding {
    Finding::note(CHECK, "fc-list does not answer", "fc-cache -f")
}

pub(super) async fn check() -> Vec<Finding> {
    if !cfg!(target_os = "linux") {
        return vec![Finding::ok(CHECK, "those of the system")];
    }
    let fonts = tokio::task::spawn_blocking(|| listed().unwrap_or_else(in_folders)).await;
    vec![finding(&fonts.unwrap_or_default())]
}

/// The fonts that `fc-list` lists, in lower case. `None` if there is none.
fn listed() -> Option<Vec<String>> {
    let mut command = Command::new("fc-list");
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let list = String::from_utf8_lossy(&output.stdout).to_lowercase();
    output.status.success().then(|| list.lines().map(str::to_owned).collect())
}

/// The files of fonts in the usual folders, in lower case.
fn in_folders() -> Vec<String> {
    let mut folders: Vec<PathBuf> = FOLDERS.into_iter().map(PathBuf::from).collect();
    let (mut fonts, mut entries) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > MAX_ENTRIES {
                return fonts;
            }
            let path = entry.path();
            // Not through links, which may lead in circles.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
                continue;
            }
            let name = path.to_string_lossy().to_lowercase();
            if [".ttf", ".otf", ".ttc", ".pfb"].iter().any(|end| name.ends_with(end)) {
                fonts.push(name);
            }
        }
    }
    fonts
}

fn finding(fonts: &[String]) -> Finding {
    if fonts.is_empty() {
        return Finding::missing(CHECK, "none are installed: screenshots show no text", INSTALL);
    }
    let has = |parts: &[&str]| fonts.iter().any(|font| parts.iter().any(|part| font.contains(part)));
    let number = fonts.len();
    match (has(&CJK), has(&EMOJI)) {
        (true, true) => Finding::ok(CHECK, format!("{number}, also Chinese, Japanese, Korean and emoji")),
        (cjk, emoji) => {
            let lacking = match (cjk, emoji) {
                (false, false) => "Chinese, Japanese, Korean or emoji",
                (false, true) => "Chinese, Japanese or Korean",
                _ => "emoji",
            };
            Finding::note(
                CHECK,
                format!("{number}, none with {lacking}: screenshots show boxes in their place"),
                INSTALL,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lacking_scripts_are_named() {
        let (latin, cjk, emoji) = ("dejavusans.ttf", "notosanscjk-regular.ttc", "noto color emoji");
        for (fonts, want) in [
            (&[][..], "missing"),
            (&[latin], "none with Chinese, Japanese, Korean or emoji"),
            (&[latin, cjk], "none with emoji"),
            (&[latin, emoji], "none with Chinese, Japanese or Korean:"),
            (&[cjk, emoji], "ok "),
        ] {
            let fonts: Vec<String> = fonts.iter().map(|font| (*font).to_owned()).collect();
            let lines = finding(&fonts).lines();
            assert!(lines.contains(want), "{lines}");
        }
    }
}
