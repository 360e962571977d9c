//! Futures of ports and of large operations.

use std::pin::Pin;

/// A future in a box: what the asynchronous methods of ports return, since ports are used as `dyn`.
///
/// ```
/// use gleaner_types::BoxFuture;
///
/// fn length(text: &str) -> BoxFuture<'_, usize> {
///     Box::pin(async move { text.len() })
/// }
/// # let _ = length("text");
/// ```
///
/// What an `async fn` does is compiled in each crate that awaits it. So the large operations of these crates
/// return a box: they are compiled once, in their own crate, and whoever awaits one keeps a pointer and not its
/// state.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
