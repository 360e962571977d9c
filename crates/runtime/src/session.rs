use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

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
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may contain secrets.
        f.write_str(if self.0.get().is_some() { "Session(..)" } else { "Session(empty)" })
    }
}
