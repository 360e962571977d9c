//! An embeddable web-data engine: URLs in, clean Markdown, links and structured data out.
