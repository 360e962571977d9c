//! Pure crawl rules of gleaner: canonical URLs, scope, depth, robots, sitemaps, and the in-memory queue.
