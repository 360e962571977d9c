//! Programs that start the installed browser in another way.

use std::fs::{File, Permissions, set_permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gleaner_browser::Browser;

/// A program in `folder` that starts the installed browser without the switches that begin with one of
/// `prefixes`. It passes the command line of the browser to `runner`.
pub(super) fn script(folder: &Path, prefixes: &[&str], runner: &str) -> PathBuf {
    let program = Browser::find().unwrap();
    let script = folder.join("browser");
    let mut text = "#!/bin/bash\nkept=()\nfor switch in \"$@\"; do\n".to_owned();
    for prefix in prefixes {
        text.push_str(&format!("  [[ $switch == {prefix}* ]] && continue\n"));
    }
    text.push_str("  kept+=(\"$switch\")\ndone\n");
    text.push_str(&format!("exec {runner} {} \"${{kept[@]}}\"\n", program.display()));
    File::create(&script).unwrap().write_all(text.as_bytes()).unwrap();
    // The user of the browser is another one.
    for path in [folder, &script] {
        set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    script
}
