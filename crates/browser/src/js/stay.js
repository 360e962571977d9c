// Refuses to leave a page for another program, such as that of `mailto:`. Runs in an isolated world before the
// scripts of each document. Chromium would stop reading the document, whose end would be missing; a visitor
// sees it whole.
navigation.addEventListener('navigate', event => {
  if (!/^(about|blob|data|file|https?|javascript):/.test(event.destination.url)) event.preventDefault();
});
