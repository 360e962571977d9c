//! The worker loop of gleaner: one loop over ports for scrape, batch, crawl and map.
