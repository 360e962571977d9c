use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// What an implementation of [`Fetch`](crate::Fetch), [`Transform`](crate::Transform) or
/// [`Extract`](crate::Extract) keeps for one job as long as it runs, such as the job's cookies. Each has its
/// own.
///
/// The loop does not know what it is. It belongs to the job rather than to a table of the implementation's,
/// so that two jobs cannot meet in it, and it goes when the job ends.
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
    /// What is kept, which is `new` the first time; `None` where a value of another type is.
    pub fn get_or_init<T: Any + Send + Sync>(&self, new: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(new())).downcast_ref()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may hold secrets.
        f.write_str(if self.0.get().is_some() { "Session(..)" } else { "Session(empty)" })
    }
}
