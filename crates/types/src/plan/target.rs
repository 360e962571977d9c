use url::Url;

/// An address to fetch, always `http` or `https`, with a host and without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The absolute address.
    pub url: Url,
    /// True where the request named no scheme: `https` is tried first, then `http` if that fails to connect.
    pub scheme_assumed: bool,
}
