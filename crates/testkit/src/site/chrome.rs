//! The parts of a generated page around the article: styles, scripts, banner, header, sidebar, footer.
//!
//! None of them is main content. [`BOILERPLATE`] lists sentences of them that an extractor should omit.

/// Sentences that are on every generated page, outside its article.
pub(crate) const BOILERPLATE: &[&str] = &[
    "We use cookies to keep you signed in and to count visits.",
    "Sign up for the monthly letter and read every new entry first.",
    "All entries are kept by volunteers of the county society.",
];

pub(crate) const STYLE: &str = "\
<link rel=\"stylesheet\" href=\"/assets/site.css\">\n\
<link rel=\"icon\" href=\"/assets/icon.png\" type=\"image/png\">\n\
<style>\n\
:root{--ink:#1d2330;--paper:#fffdf8;--line:#d9d4c7;--accent:#8a3b12;--soft:#f3efe4}\n\
*,*::before,*::after{box-sizing:border-box}\n\
body{margin:0;font:17px/1.6 Georgia,'Times New Roman',serif;color:var(--ink);background:var(--paper)}\n\
a{color:var(--accent);text-underline-offset:.15em}a:hover{text-decoration-thickness:2px}\n\
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:#fff;padding:.5rem}\n\
.site-header{display:flex;gap:2rem;align-items:center;padding:1rem 2rem;border-bottom:1px solid var(--line)}\n\
.site-header nav ul{display:flex;gap:1rem;list-style:none;margin:0;padding:0;flex-wrap:wrap}\n\
.layout{display:grid;grid-template-columns:minmax(0,1fr) 18rem;gap:3rem;max-width:72rem;margin:0 auto;padding:2rem}\n\
.breadcrumbs{font-size:.85rem;color:#666}.breadcrumbs li{display:inline}.breadcrumbs li+li::before{content:' / '}\n\
article h1{font-size:2.2rem;line-height:1.15;margin:.2em 0}article h2{margin-top:2em}article figure{margin:2rem 0}\n\
article table{border-collapse:collapse;width:100%}article td,article th{border:1px solid var(--line);padding:.4rem}\n\
pre{background:var(--soft);padding:1rem;overflow:auto;font-size:.85rem}\n\
.sidebar{font-size:.9rem}.sidebar section{background:var(--soft);padding:1rem;margin-bottom:1.5rem}\n\
.cookie-banner{position:fixed;inset:auto 1rem 1rem;background:#fff;border:1px solid var(--line);padding:1rem;z-index:9}\n\
.site-footer{border-top:1px solid var(--line);padding:2rem;font-size:.85rem;display:flex;gap:3rem;flex-wrap:wrap}\n\
@media (max-width:50rem){.layout{grid-template-columns:1fr}.site-header{flex-direction:column}}\n\
@media print{.site-header,.sidebar,.site-footer,.cookie-banner{display:none}}\n\
</style>\n";

pub(crate) const HEAD_SCRIPT: &str = "\
<script>\n\
(function (w, d) {\n\
  w.measure = w.measure || { queue: [] };\n\
  w.measure.push = function (name, data) { w.measure.queue.push([name, data, Date.now()]); };\n\
  if (d.cookie.indexOf('seen=1') < 0) { d.documentElement.className += ' first-visit'; }\n\
  w.addEventListener('load', function () { w.measure.push('page', { title: d.title, path: location.pathname }); });\n\
  var links = '<a href=\"/not-a-link\">a link in a script is no link</a>';\n\
  w.measure.push('ready', links.length);\n\
})(window, document);\n\
</script>\n\
<script src=\"/assets/site.js\" defer></script>\n\
</head>\n";

pub(crate) const TOP: &str = "\
<body class=\"entry\">\n\
<a class=\"skip\" href=\"#content\">Skip to content</a>\n\
<div class=\"cookie-banner\" role=\"dialog\" aria-label=\"Cookies\" id=\"cookie-banner\">\n\
<p>We use cookies to keep you signed in and to count visits. You can change your choice at any time.</p>\n\
<button type=\"button\" data-choice=\"all\">Accept all</button> <button type=\"button\" data-choice=\"none\">Reject all</button>\n\
</div>\n\
<header class=\"site-header\">\n\
<div class=\"logo\"><img src=\"/assets/logo.svg\" alt=\"County Almanac\" width=\"120\" height=\"40\"></div>\n\
<nav aria-label=\"Main\"><ul>\n";

pub(crate) const SEARCH: &str = "\
</ul></nav>\n\
<form class=\"search\" action=\"/search\" method=\"get\" role=\"search\">\
<label for=\"q\">Search</label> <input id=\"q\" name=\"q\" type=\"search\" placeholder=\"Search the almanac\">\
<button type=\"submit\">Go</button></form>\n\
</header>\n\
<div class=\"layout\">\n\
<main id=\"content\">\n\
<nav class=\"breadcrumbs\" aria-label=\"Breadcrumbs\"><ol>\n";

pub(crate) const LETTER: &str = "\
<section class=\"letter\"><h2>The letter</h2>\n\
<p>Sign up for the monthly letter and read every new entry first.</p>\n\
<form action=\"/subscribe\" method=\"post\"><input type=\"email\" name=\"email\" placeholder=\"you@example.org\" required>\
<input type=\"hidden\" name=\"token\" value=\"3f9a71c0\"><button type=\"submit\">Subscribe</button></form></section>\n\
<section class=\"share\"><h2>Share</h2><button type=\"button\" data-share=\"copy\">Copy the address</button> \
<button type=\"button\" data-share=\"print\">Print</button></section>\n\
</aside>\n\
</div>\n\
<footer class=\"site-footer\">\n\
<div><p>All entries are kept by volunteers of the county society.</p>\n\
<p>&copy; 2012&ndash;2026 County Almanac. <a href=\"mailto:desk@almanac.example\">Write to us</a></p></div>\n\
<nav aria-label=\"Footer\"><ul>\n";

pub(crate) const BOTTOM: &str = "\
</ul></nav>\n\
</footer>\n\
<noscript><img src=\"/assets/icon.png?noscript=1\" alt=\"\" width=\"1\" height=\"1\"></noscript>\n\
<script type=\"application/json\" id=\"page-state\">{\"user\":null,\"flags\":{\"comments\":false,\"letter\":true},\"locale\":\"en-GB\"}</script>\n\
<script>\n\
document.querySelectorAll('[data-choice]').forEach(function (button) {\n\
  button.addEventListener('click', function () {\n\
    document.cookie = 'choice=' + button.dataset.choice + ';path=/;max-age=31536000';\n\
    document.getElementById('cookie-banner').remove();\n\
  });\n\
});\n\
</script>\n\
</body>\n\
</html>\n";

pub(crate) const CSS: &str = ".entry{hyphens:auto}.byline{color:#666}.tags li{display:inline-block}\n";
pub(crate) const SCRIPT: &str = "document.documentElement.dataset.ready = '1';\n";
pub(crate) const LOGO: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 120 40\">\
<rect width=\"120\" height=\"40\" fill=\"#8a3b12\"/><circle cx=\"20\" cy=\"20\" r=\"12\" fill=\"#fffdf8\"/></svg>\n";
