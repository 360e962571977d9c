//! The end of what a test program started.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Kills all processes that run in the folder, and removes it. Backends of a server may make files meanwhile.
const SCRIPT: &str = r#"
read -r _
for try in 1 2 3 4 5 6 7 8 9 10; do
    for process in /proc/[0-9]*; do
        case "$(readlink "$process/cwd" 2>/dev/null)" in
            "$1" | "$1"/*) kill -s KILL "${process#/proc/}" 2>/dev/null ;;
        esac
    done
    rm -rf "$1" 2>/dev/null
    [ -e "$1" ] || break
    sleep 0.2
done
"#;

/// Ends the processes that run in a folder, and removes the folder, when it is dropped or when the test
/// program ends, however that happens: its input ends then.
#[derive(Debug)]
pub(super) struct Cleanup(Child);

impl Cleanup {
    /// Cleans this folder up. Its path has no links.
    pub(super) fn start(folder: &Path) -> Self {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(folder).current_dir("/");
        // A group of its own: an interrupt from the terminal must not end it.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Self(command.spawn().expect("a shell can be started"))
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::KilledOnDrop;

    use super::*;

    #[test]
    fn processes_in_the_folder_end_with_it() {
        let folder = super::super::folder();
        let mut child =
            Command::new("sleep").arg("1000").current_dir(&folder).spawn().map(KilledOnDrop).unwrap();
        let other = Command::new("sleep").arg("1000").current_dir("/").spawn().map(KilledOnDrop).unwrap();
        drop(Cleanup::start(&folder));
        assert!(!folder.exists());
        assert!(!child.0.wait().unwrap().success());
        assert!(crate::process_group::is_running(other.0.id()));
    }
}
