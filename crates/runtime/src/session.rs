//! State that a port keeps for one job, such as cookies.

use std::any::Any;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

/// State that an implementation of [`Fetch`](crate::Fetch), [`Transform`](crate::Transform) or
/// [`Extract`](crate::Extract) keeps for one job while it runs, such as the job's cookies. Each port has its
/// own.
///
/// Its type is unknown to the loop. The job owns it, rather than a table in the implementation, so that jobs
/// cannot share it by mistake, and it is dropped when the job ends.
///
/// ```
/// use gleaner_runtime::Session;
///
/// let (one, other) = (Session::default(), Session::default());
/// assert_eq!(one.get_or_init(|| String::from("kept")), Some(&"kept".to_owned()));
/// assert_eq!(one.get_or_init(|| String::from("again")), Some(&"kept".to_owned()));
/// assert_eq!(other.get_or_init(|| String::from("another's")), Some(&"another's".to_owned()));
/// ```
#[derive(Default)]
pub struct Session(OnceLock<Box<dyn Any + Send + Sync>>);

impl Session {
    /// The value, created by `new` at the first call; `None` if the value is of another type.
    pub fn get_or_init<T: Any + Send + Sync>(&self, new: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(new())).downcast_ref()
    }

    /// The value; `None` if there is none yet or it is of another type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.get()?.downcast_ref()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may contain secrets.
        f.write_str(if self.0.get().is_some() { "Session(..)" } else { "Session(empty)" })
    }
}

/// When a session was last saved, and a digest of it.
#[derive(Debug, Default)]
pub(crate) struct LastSave(Mutex<Option<(Instant, u64)>>);

impl LastSave {
    /// Saves a session with `save`, unless it was saved less than `interval` ago. Returns its bytes if they
    /// have changed. A session without a state is asked again by the next call.
    pub(crate) fn changed(
        &self,
        interval: Duration,
        save: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        // While another page saves it, this one need not.
        let mut last = self.0.try_lock().ok()?;
        let now = Instant::now();
        if last.is_some_and(|(at, _)| now.duration_since(at) < interval) {
            return None;
        }
        let bytes = save()?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let digest = hasher.finish();
        let is_changed = last.is_none_or(|(_, known)| known != digest);
        *last = Some((now, digest));
        is_changed.then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_session_is_saved_when_it_changed_and_not_too_often() {
        let last = LastSave::default();
        let save = |text: &str| last.changed(INTERVAL, || Some(text.as_bytes().to_vec()));
        assert_eq!(last.changed(INTERVAL, || None), None, "there is nothing to save yet");
        assert_eq!(save("a").as_deref(), Some(&b"a"[..]));
        assert_eq!(save("b"), None, "it is too early");
        tokio::time::advance(INTERVAL).await;
        assert_eq!(save("a"), None, "it has not changed");
        tokio::time::advance(INTERVAL).await;
        assert_eq!(save("b").as_deref(), Some(&b"b"[..]));
        assert_eq!(last.changed(Duration::ZERO, || Some(Vec::new())), Some(Vec::new()));
    }
}
