//! The attribute names that this crate reads, as one byte.

macro_rules! attributes {
    ($($variant:ident $name:literal,)*) => {
        /// An attribute name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Attr {
            /// Any name without a variant of its own. The tree stores the name.
            Other,
            $(#[doc = $name] $variant,)*
        }

        impl Attr {
            /// The variant of a lower-case name.
            pub(crate) fn lookup(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::Other,
                }
            }

            /// The name; empty for [`Attr::Other`].
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    Self::Other => "",
                    $(Self::$variant => $name,)*
                }
            }

            /// The bit of this name in a set of names.
            pub(crate) const fn bit(self) -> u128 {
                1 << (self as u8)
            }
        }
    };
}

attributes! {
    Align "align", Alt "alt", AriaHidden "aria-hidden", AriaLabel "aria-label", AriaModal "aria-modal",
    AriaLevel "aria-level", Charset "charset", Checked "checked", Cite "cite", Class "class",
    Colspan "colspan", Content "content", Data "data", DataContent "data-content", DataHref "data-href",
    DataLang "data-lang", DataLanguage "data-language", DataLazySrc "data-lazy-src",
    DataLazySrcset "data-lazy-srcset", DataOriginal "data-original", DataSrc "data-src",
    DataSrcset "data-srcset", DataTestid "data-testid", DataTooltip "data-tooltip", Datetime "datetime",
    Dir "dir", Encoding "encoding", Height "height", Hidden "hidden", Href "href", Hreflang "hreflang",
    HttpEquiv "http-equiv", Id "id", Itemprop "itemprop", Itemscope "itemscope", Itemtype "itemtype",
    Label "label", Lang "lang", Media "media", Name "name", Open "open", Popover "popover", Poster "poster",
    Property "property",
    Rel "rel", Role "role", Rowspan "rowspan", Scope "scope", Shadowrootmode "shadowrootmode", Sizes "sizes",
    Src "src", Srcdoc "srcdoc", Srcset "srcset", Start "start", Style "style", Target "target", Title "title",
    Type "type", Typeof "typeof", Value "value", Width "width", XmlLang "xml:lang", Display "display",
    Alttext "alttext", Mathvariant "mathvariant", Summary "summary", Datatype "datatype",
    DataLineNumber "data-line-number", Reversed "reversed", AriaBusy "aria-busy", NgApp "ng-app",
    NgView "ng-view", UiView "ui-view", DataReactroot "data-reactroot", DataVApp "data-v-app",
    DataCallout "data-callout", DataEntry "data-entry", DataEquation "data-equation", DataExpr "data-expr",
    DataFormula "data-formula", DataLatex "data-latex", DataMath "data-math", DataTex "data-tex",
    AriaChecked "aria-checked", AriaExpanded "aria-expanded", Bevelled "bevelled", Close "close",
    DataCfsrc "data-cfsrc",
    DataChecked "data-checked", DataCodeBlockLang "data-code-block-lang", DataCodeLang "data-code-lang",
    DataCodeLanguage "data-code-language", DataEcho "data-echo",
    DataEnlighterLanguage "data-enlighter-language", DataEzsrc "data-ezsrc", DataFullSrc "data-full-src",
    DataHighlightLanguage "data-highlight-language", DataHiResSrc "data-hi-res-src", DataImage "data-image",
    DataImageSrc "data-image-src", DataLargeFile "data-large-file", DataLazy "data-lazy",
    DataLazyload "data-lazyload", DataLazysrc "data-lazysrc", DataList "data-list",
    DataOptSrc "data-opt-src", DataOrigFile "data-orig-file",
    DataPagespeedLazySrc "data-pagespeed-lazy-src", DataSyntax "data-syntax",
    DataSyntaxhighlighterParams "data-syntaxhighlighter-params", Linethickness "linethickness", Max "max",
    NitroLazySrc "nitro-lazy-src", Notation "notation", Separators "separators", Slot "slot",
}

impl Attr {
    /// True for attributes by which scripts may find an element. Names without a variant are among them.
    pub(crate) const fn is_hook(self) -> bool {
        matches!(
            self,
            Self::Other
                | Self::Name
                | Self::Open
                | Self::AriaBusy
                | Self::NgApp
                | Self::NgView
                | Self::UiView
                | Self::DataReactroot
                | Self::DataVApp
                | Self::DataCallout
                | Self::DataEntry
                | Self::DataEquation
                | Self::DataExpr
                | Self::DataFormula
                | Self::DataLatex
                | Self::DataMath
                | Self::DataTex
                | Self::AriaChecked
                | Self::AriaExpanded
                | Self::DataCfsrc
                | Self::DataChecked
                | Self::DataCodeBlockLang
                | Self::DataCodeLang
                | Self::DataCodeLanguage
                | Self::DataEcho
                | Self::DataEnlighterLanguage
                | Self::DataEzsrc
                | Self::DataFullSrc
                | Self::DataHighlightLanguage
                | Self::DataHiResSrc
                | Self::DataImage
                | Self::DataImageSrc
                | Self::DataLargeFile
                | Self::DataLazy
                | Self::DataLazyload
                | Self::DataLazysrc
                | Self::DataList
                | Self::DataOptSrc
                | Self::DataOrigFile
                | Self::DataPagespeedLazySrc
                | Self::DataSyntax
                | Self::DataSyntaxhighlighterParams
                | Self::NitroLazySrc
                | Self::Slot
        )
    }
}

/// True for the values of [`Attr::Shadowrootmode`] that make a `template` a declarative shadow tree (HTML
/// Standard, 4.12.3). With any other value it is an ordinary template.
pub(crate) fn is_shadow_mode(value: &str) -> bool {
    value.eq_ignore_ascii_case("open") || value.eq_ignore_ascii_case("closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bits_are_unique() {
        assert_eq!(Attr::lookup("data-src"), Attr::DataSrc);
        assert_eq!(Attr::DataSrc.name(), "data-src");
        assert_eq!(Attr::lookup("onclick"), Attr::Other);
        assert_ne!(Attr::Align.bit(), Attr::Reversed.bit());
        assert_eq!(Attr::Reversed.bit().count_ones(), 1);
    }
}
