//! Starts Chromium, and ends it with its children and its profile folder.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use command_fds::{CommandFdExt as _, FdMapping};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio_util::task::AbortOnDropHandle;

use super::dead_end::DeadEnd;
use super::switches::arguments;
use crate::config::BrowserConfig;
use crate::protocol::browser::GetVersion;
use crate::wire::{CallError, Client, EventReceiver};

/// The file descriptors by which Chromium speaks the protocol.
const COMMANDS_FD: i32 = 3;
const ANSWERS_FD: i32 = 4;

/// Upper bound on kept error output, in bytes; its end is kept.
const MAX_KEPT_OUTPUT: usize = 4_096;

/// After its pipe is closed, a process has this long to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A profile folder that cannot be removed is tried this often again.
const REMOVE_ATTEMPTS: u32 = 20;
const REMOVE_PAUSE: Duration = Duration::from_millis(50);

/// Errors of a machine that has no descriptor, process or memory left. They pass.
const EXHAUSTED: [Errno; 5] = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN, Errno::NOBUFS];

/// A running Chromium. Dropped, it is ended with all its children, and its profile folder is removed.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) client: Client,
    child: Child,
    group: Option<Pid>,
    dead_end: DeadEnd,
    profile: Option<TempDir>,
    _output: AbortOnDropHandle<()>,
}

/// Why Chromium did not start.
#[derive(Debug)]
pub(crate) enum LaunchError {
    /// The process could not be started.
    Spawn(io::Error),
    /// It ended or did not answer.
    Silent {
        cause: CallError,
        /// Its error output names the sandbox.
        is_sandbox: bool,
    },
}

impl LaunchError {
    /// Whether this machine lacks what a process needs: it says nothing about Chromium.
    pub(crate) fn is_exhaustion(&self) -> bool {
        match self {
            Self::Spawn(error) => Errno::from_io_error(error).is_some_and(|code| EXHAUSTED.contains(&code)),
            Self::Silent { .. } => false,
        }
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(error) => write!(f, "Chromium could not be started: {error}"),
            Self::Silent { cause, is_sandbox } => {
                write!(f, "Chromium did not start: {cause}")?;
                if *is_sandbox {
                    f.write_str(
                        "; its sandbox needs a user other than root and unprivileged user namespaces (in a \
                         container: a seccomp profile that permits them)",
                    )?;
                }
                Ok(())
            }
        }
    }
}

impl Process {
    /// Starts a process, and waits until it answers. Also returns its events that belong to no page.
    pub(crate) async fn launch(config: &BrowserConfig) -> Result<(Self, EventReceiver), LaunchError> {
        let dead_end = DeadEnd::listen().await.map_err(LaunchError::Spawn)?;
        let profile = profile_folder(config).map_err(LaunchError::Spawn)?;
        let (commands, commands_end) = pipe_pair().map_err(LaunchError::Spawn)?;
        let (answers_end, answers) = pipe_pair().map_err(LaunchError::Spawn)?;
        let arguments = arguments(profile.path(), dead_end.address(), config.sandbox);
        let mut child = {
            let mut command = std::process::Command::new(&config.program);
            command.args(arguments).env_clear().current_dir(profile.path()).process_group(0);
            command.env("HOME", profile.path()).env("LANG", "C.UTF-8").env("PATH", "/usr/bin:/bin");
            if let Some((user, group)) = config.user {
                command.uid(user).gid(group);
            }
            let mappings = vec![
                FdMapping { parent_fd: commands, child_fd: COMMANDS_FD },
                FdMapping { parent_fd: answers, child_fd: ANSWERS_FD },
            ];
            command.fd_mappings(mappings).map_err(|error| LaunchError::Spawn(io::Error::other(error)))?;
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            // The command owns the child's pipe ends. It is dropped here, or the end of the process would go
            // unnoticed.
            let mut command = Command::from(command);
            command.kill_on_drop(true).spawn().map_err(LaunchError::Spawn)?
        };
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let (output, reading) = collect_output(child.stderr.take());
        let input = pipe::Receiver::from_owned_fd(answers_end).map_err(LaunchError::Spawn)?;
        let sender = pipe::Sender::from_owned_fd(commands_end).map_err(LaunchError::Spawn)?;
        let (client, events) = Client::connect(input, sender);
        let process = Self { client, child, group, dead_end, profile: Some(profile), _output: reading };
        match process.client.call_within(None, &GetVersion {}, config.start_timeout).await {
            Ok(version) => {
                tracing::debug!(product = %version.product, "Chromium has started");
                Ok((process, events))
            }
            Err(cause) => {
                // The output may arrive after the end of the pipe.
                tokio::time::sleep(Duration::from_millis(50)).await;
                let output = output.lock().unwrap_or_else(PoisonError::into_inner);
                let output = String::from_utf8_lossy(&output);
                // It has paths of this machine, so it is not part of the error.
                tracing::warn!(output = output.trim(), "Chromium did not start");
                Err(LaunchError::Silent { cause, is_sandbox: output.contains("sandbox") })
            }
        }
    }

    /// The number of connections that the dead end has refused.
    pub(crate) fn refused_connections(&self) -> u64 {
        self.dead_end.refused()
    }

    /// The process id.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Ends the process, and waits until it has ended.
    pub(crate) async fn close(mut self) {
        self.client.close();
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.kill();
            let _ = self.child.wait().await;
        }
    }

    /// Kills the process with all its children.
    pub(crate) fn kill(&self) {
        if let Some(group) = self.group {
            // It fails if the group has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.client.close();
        self.kill();
        if let Some(profile) = self.profile.take() {
            remove(profile.keep());
        }
    }
}

/// Removes a profile folder. A process that is being killed may still write to it.
fn remove(folder: PathBuf) {
    let is_gone = |folder: &Path| match std::fs::remove_dir_all(folder) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_gone(&folder) {
        return;
    }
    // A thread of its own, because the runtime may be ending too.
    std::thread::spawn(move || {
        for _ in 0..REMOVE_ATTEMPTS {
            std::thread::sleep(REMOVE_PAUSE);
            if is_gone(&folder) {
                return;
            }
        }
        tracing::warn!("the profile folder of a browser could not be removed");
    });
}

/// The end for the child, and the end for this program.
fn pipe_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// A new folder that only the user of the browser can read.
fn profile_folder(config: &BrowserConfig) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("gleaner-browser-").permissions(std::fs::Permissions::from_mode(0o700));
    let folder = match &config.profile_folder {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    if let Some((user, group)) = config.user {
        std::os::unix::fs::chown(folder.path(), Some(user), Some(group))?;
    }
    Ok(folder)
}

/// Keeps the end of the error output.
fn collect_output<R: AsyncRead + Unpin + Send + 'static>(
    output: Option<R>,
) -> (Arc<Mutex<Vec<u8>>>, AbortOnDropHandle<()>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let target = Arc::clone(&kept);
    let reading = tokio::spawn(async move {
        let Some(mut output) = output else { return };
        let mut part = vec![0; MAX_KEPT_OUTPUT];
        while let Ok(length @ 1..) = output.read(&mut part).await {
            let mut kept = target.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(part.get(..length).unwrap_or_default());
            let excess = kept.len().saturating_sub(MAX_KEPT_OUTPUT);
            kept.drain(..excess);
        }
    });
    (kept, AbortOnDropHandle::new(reading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_by_itself_is_exhaustion() {
        for code in EXHAUSTED {
            assert!(LaunchError::Spawn(code.into()).is_exhaustion(), "{code}");
        }
        for code in [Errno::NOENT, Errno::ACCESS, Errno::NOSPC] {
            assert!(!LaunchError::Spawn(code.into()).is_exhaustion(), "{code}");
        }
        assert!(!LaunchError::Spawn(io::Error::other("a pipe")).is_exhaustion());
        assert!(!LaunchError::Silent { cause: CallError::Closed, is_sandbox: false }.is_exhaustion());
    }
}
