//! Setters of requests: each takes the request, sets one field and returns the request.
//!
//! Most fields are optional, so a setter wraps its value in `Some`. A macro writes the setters: there are
//! about a hundred, and only their names, types and documentation differ.

/// Writes setters for the fields of `$type`, or of a struct inside it: `$path` is the path from `self` to
/// that struct.
///
/// An entry is documentation, a field and the argument of its setter:
///
/// - `value(T)` is a `T`, and so is `plain(T)`, for a field that is not optional;
/// - `text` is anything that converts into a `String`;
/// - `json` is anything that converts into a JSON value;
/// - `list(T)` is a sequence of values that convert into a `T`;
/// - `pairs(T)` is a sequence of names with values that convert into a `T`.
macro_rules! setters {
    ($type:ident $path:tt { $($(#[$doc:meta])* $field:ident: $kind:ident $(($of:ty))?;)+ }) => {
        impl $type {
            $($crate::request::setters::setter! { $path $(#[$doc])* $field: $kind $(($of))? })+
        }
    };
}

/// Writes one setter.
macro_rules! setter {
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: value($of:ty)) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $of) -> Self {
            self$($path)*.$field = Some($field);
            self
        }
    };
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: plain($of:ty)) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $of) -> Self {
            self$($path)*.$field = $field;
            self
        }
    };
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: text) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<String>) -> Self {
            self$($path)*.$field = Some($field.into());
            self
        }
    };
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: json) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<::serde_json::Value>) -> Self {
            self$($path)*.$field = Some($field.into());
            self
        }
    };
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: list($of:ty)) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item = impl Into<$of>>) -> Self {
            self$($path)*.$field = Some($field.into_iter().map(Into::into).collect());
            self
        }
    };
    ([$($path:tt)*] $(#[$doc:meta])* $field:ident: pairs($of:ty)) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(
            mut self,
            $field: impl IntoIterator<Item = (impl Into<String>, impl Into<$of>)>,
        ) -> Self {
            let pairs = $field.into_iter().map(|(name, value)| (name.into(), value.into()));
            self$($path)*.$field = Some(pairs.collect());
            self
        }
    };
}

/// Writes the setters of scrape options: for `ScrapeOptions` itself and for the requests that contain them.
macro_rules! scrape_option_setters {
    ($type:ident $path:tt) => {
        $crate::request::setters::setters! {
            $type $path {
                /// Selects what each document contains; default Markdown. Replaces an earlier list.
                formats: list($crate::request::Format);
                /// Leaves out navigation, banners and everything else around the main content; default
                /// `true`.
                only_main_content: value(bool);
                /// Keeps only the elements that match one of these CSS selectors.
                include_tags: list(String);
                /// Drops the elements that match one of these CSS selectors.
                exclude_tags: list(String);
                /// Accepts a cached copy younger than this many milliseconds. The default is that of the
                /// [`Defaults`](crate::request::Defaults): 0, which accepts none, for a program, and two
                /// days for the API.
                max_age: value(u64);
                /// Answers only from the cache, and only with a copy at least this many milliseconds old.
                min_age: value(u64);
                /// Answers only from the cache; default `false`.
                lockdown: value(bool);
                /// Sends these headers with the request for the page.
                headers: pairs(String);
                /// Waits this many milliseconds before content is read, at most half of `timeout`; default 0.
                wait_for: value(u64);
                /// Emulates a mobile device; default `false`.
                mobile: value(bool);
                /// Accepts any certificate. The default is that of the
                /// [`Defaults`](crate::request::Defaults): `false` for a program, `true` for the API.
                skip_tls_verification: value(bool);
                /// Sets the total deadline of a page in milliseconds; default 30,000.
                timeout: value(u64);
                /// Parses these kinds of files; default PDF. With an empty list, a PDF is returned as base64.
                parsers: list($crate::request::Parser);
                /// Performs these actions on the page before content is read.
                actions: list($crate::request::Action);
                /// Makes the request appear to come from this country, in these languages.
                location: value($crate::request::Location);
                /// Replaces inline images by a placeholder; default `true`.
                remove_base64_images: value(bool);
                /// Blocks advertisements and cookie dialogs; default `true`.
                block_ads: value(bool);
                /// Selects the proxy pool; default [`Auto`](crate::request::ProxyChoice::Auto).
                proxy: value($crate::request::ProxyChoice);
                /// Keeps the page in the cache; default `true`. A page with `headers` or `actions` is never
                /// kept.
                store_in_cache: value(bool);
            }
        }
    };
}

pub(crate) use {scrape_option_setters, setter, setters};
