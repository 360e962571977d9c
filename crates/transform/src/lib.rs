//! Pure page transformation of gleaner: HTML bytes to main content, Markdown, links, images and metadata.
