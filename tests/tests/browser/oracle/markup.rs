//! The parts of a page: its charset, its title, and the markup of its links.

/// How a page says its charset, and which it has.
pub(super) struct Charset {
    pub(super) name: &'static str,
    /// The parameter of the header; empty for none.
    pub(super) label: &'static str,
    /// What stands before the doctype.
    pub(super) before: &'static str,
    /// The start of the head.
    pub(super) start: &'static str,
    /// The encoding of the page. Where a media type loses the parameter, a declaration that is wrong is left,
    /// so that no client guesses.
    pub(super) encoding: &'static str,
    /// The byte order mark.
    pub(super) mark: &'static [u8],
    /// A character of the title and of a query.
    pub(super) sample: &'static str,
}

const BASE: Charset =
    Charset { name: "", label: "", before: "", start: "", encoding: "utf-8", mark: b"", sample: "\u{E9}" };

const UTF_8: &str = "<meta charset=utf-8>";

pub(super) const CHARSETS: &[Charset] = &[
    Charset { name: "declared", start: UTF_8, ..BASE },
    Charset { name: "header", label: "utf-8", start: "<meta charset=windows-1251>", ..BASE },
    Charset { name: "Latin 1 header", label: "iso-8859-1", start: UTF_8, encoding: "windows-1252", ..BASE },
    Charset { name: "mark over header", label: "iso-8859-1", mark: b"\xEF\xBB\xBF", ..BASE },
    Charset {
        name: "http-equiv",
        start: "<meta content='text/html; charset=windows-1251' http-equiv=Content-Type>",
        encoding: "windows-1251",
        sample: "\u{416}",
        ..BASE
    },
    Charset {
        name: "charset in a comment",
        start: "<!-- <meta charset=koi8-r> --><meta charset=utf-8>",
        ..BASE
    },
    Charset {
        name: "charset in a description",
        start: "<meta name=description content='charset=koi8-r'><meta charset=utf-8>",
        ..BASE
    },
    Charset {
        name: "late declaration",
        start: "<!-- 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                --><meta charset=utf-8>",
        ..BASE
    },
    Charset { name: "UTF-16 mark", start: UTF_8, encoding: "utf-16le", mark: b"\xFF\xFE", ..BASE },
    Charset {
        name: "Shift_JIS",
        start: "<meta charset=shift_jis>",
        encoding: "shift_jis",
        sample: "\u{65E5}",
        ..BASE
    },
    Charset { name: "declared as UTF-16", start: "<meta charset=utf-16>", ..BASE },
    Charset {
        name: "GBK header",
        label: "gb2312",
        start: UTF_8,
        encoding: "gbk",
        sample: "\u{65E5}",
        ..BASE
    },
    Charset {
        name: "x-user-defined",
        start: "<meta charset=x-user-defined>",
        encoding: "windows-1252",
        ..BASE
    },
    Charset { name: "unknown in the header", label: "bogus", start: UTF_8, ..BASE },
    Charset { name: "quoted header", label: "\"utf-8\"", start: "<meta charset=windows-1251>", ..BASE },
    Charset {
        name: "header in single quotes",
        label: "'utf-8'",
        start: "<meta charset=windows-1251>",
        ..BASE
    },
    Charset {
        name: "XML declaration",
        before: "<?xml version=\"1.0\" encoding=\"windows-1251\"?>",
        encoding: "windows-1251",
        sample: "\u{416}",
        ..BASE
    },
];

pub(super) const TITLES: &[(&str, &str)] = &[
    ("a title", "<title>Page {sample} {cookies}</title>"),
    ("white space in the title", "<title>\n Page\t {sample} \r\n {cookies} \n</title>"),
    ("references in the title", "<title>&lt;{sample}&gt; &eacute;&#x2603;&amp {cookies}</title>"),
    ("two titles", "<title>Page {sample} {cookies}</title><title>Second</title>"),
    ("a title in the body", "<svg><title>Drawing</title></svg><title>Page {sample} {cookies}</title>"),
];

/// Markup with links.
pub(super) struct Body {
    pub(super) name: &'static str,
    /// What stands in the head.
    pub(super) head: &'static str,
    markup: &'static str,
    /// How often the markup occurs, with the number in the place of `{n}`.
    times: usize,
}

impl Body {
    pub(super) fn repeated(&self) -> String {
        (0..self.times).map(|n| self.markup.replace("{n}", &n.to_string())).collect()
    }
}

const fn body(name: &'static str, markup: &'static str) -> Body {
    Body { name, head: "", markup, times: 1 }
}

const fn with_head(name: &'static str, head: &'static str, markup: &'static str) -> Body {
    Body { name, head, markup, times: 1 }
}

const fn rows(name: &'static str, markup: &'static str) -> Body {
    Body { name, head: "", markup, times: 100 }
}

pub(super) const BODIES: &[Body] = &[
    body("anchors", "<a href=one>1</a><A HREF=\"Two\">2</A><a href='three?x=1&y=2#z'>3</a><a name=n>4</a>"),
    with_head("base", "<base href=/deep/er/>", "<a href=one>1</a><a href=../two>2</a><a href='?q'>3</a>"),
    body("late base", "<a href=one>1</a><base href=/late/><a href=two>2</a>"),
    with_head("two bases", "<base target=_top><base href=/a/><base href=/b/>", "<a href=one>1</a>"),
    with_head("base of another scheme", "<base href='javascript:void(0)'>", "<a href=one>1</a>"),
    body("areas", "<map name=m><area href=one><area href='two' shape=rect><area></map><img usemap=#m src=>"),
    body(
        "drawings",
        "<svg><a href=one><text>1</text></a><a xlink:href=two></a><A HREF=three></A><a></a></svg>",
    ),
    body("templates", "<template><a href=one>1</a><template></template><a href=two>2</a></template>"),
    body(
        "shadow trees",
        "<div><template shadowrootmode=open><a href=one>1</a></template><a href=two>2</a></div>",
    ),
    rows("unclosed fonts", "<tr><td><font color=red><a href=row{n}>{n}</a><br>"),
    rows("unclosed bold", "<p><b><i><a href=row{n}>{n}</a>"),
    rows("unclosed anchors", "<a href=row{n}>{n}"),
    body("nested anchors", "<a href=one>1<a href=two>2<div>3<a href=three>4</div></a></a>"),
    body("references", "<a href='?a=1&amp;b=2&copy=3&copy;=4&lang=5&#x41;&#0;&notit;'>1</a>"),
    body("white space", "<a href=' \n one \t'>1</a><a href='t\nw\to'>2</a><a href='three four'>3</a>"),
    body(
        "schemes",
        "<a href='javascript:one()'>1</a><a href=mailto:a@b.example>2</a><a href=tel:1>3</a>\
         <a href='data:text/html,x'>4</a><a href=ftp://example.org/>5</a><a href=app:x>6</a>",
    ),
    body(
        "fragments",
        "<a href=#part>1</a><a href=#/route>2</a><a href='#!route'>3</a><a href>4</a><a href='two#part'>5</a>",
    ),
    body(
        "raw text",
        "<!-- <a href=one>1</a> --><script>'<a href=two>2</a>'</script><style><a href=three></style>\
         <textarea><a href=four></textarea><xmp><a href=five></xmp><noembed><a href=six></noembed>",
    ),
    body("without scripts", "<noscript><a href=one>1</a></noscript><noscript><p><a href=two></noscript>"),
    body("a table", "<table><a href=one>1</a><tr><a href=two>2</a><td><a href=three>3</a></table>"),
    body(
        "attributes",
        "<a href=one href=no>1</a><a title=x/href=two>2</a><a/href=three>3</a><a href = four >4</a>\
         <a href=five/>5</a><a href=\"six\"title=x>6</a><a href='seven>7</a>'>7</a>",
    ),
    body("control characters", "<a href='o\0ne'>1</a><a href='t\u{1}wo'>2</a><a href='\u{1F}three'>3</a>"),
    body(
        "backslashes",
        "<a href='\\\\example.org\\x'>1</a><a href='http:\\\\example.org\\y'>2</a><a href='http:three'>3</a>\
         <a href='https:example.org/z'>4</a><a href='a\\b'>5</a>",
    ),
    body(
        "hosts",
        "<a href='http://EXAMPLE.org:80'>1</a><a href=http://0x7f.1/>2</a><a href=http://b&uuml;cher.example/>3\
         </a><a href=http://example.org./>4</a><a href='http://ex%41mple.org/five'>5</a>",
    ),
    body(
        "no URLs",
        "<a href='http://[::1'>1</a><a href='http://a b/'>2</a><a href='http://'>3</a><a href=//>4</a>\
         <a href=http://example.org:99999/>5</a><a href=one>6</a>",
    ),
    body("formulas", "<math><a href=one>1</a><mtext><a href=two>2</a></mtext></math><a href=three>3</a>"),
    body(
        "characters in paths",
        "<a href='&auml; \"<>^`{|}'>1</a><a href='%zz/%2F/..%2f'>2</a><a href='a/./b/../%2e%2E/c;p=1'>3</a>",
    ),
    body("plain text", "<a href=one>1</a><plaintext><a href=two>2</a>"),
    body(
        "characters in queries",
        "<a href='?q=&eacute; &quot;&#39;<>'>1</a><a href='?q=&#x65E5;&#x1F600;'>2</a><a href='?a+b%20'>3</a>",
    ),
];
