// Collects the content of same-origin frames for the HTML of a document, and its encoding. Runs in an
// isolated world.
//   {op: "begin", mark, limit}  Sets the attribute `mark` of each visible frame with text to its index in the
//                               frames of the result: {charset, frames: [{url, html, isFrameset}]}. The HTML
//                               has at most `limit` characters in all, and its addresses are absolute.
//   {op: "end", mark}           Removes the attributes.
// `DOM.getOuterHTML` writes the document itself, with open and closed shadow roots, but without content of
// frames.
function dom({ op, mark, limit }) {
  const MAX_FRAMES = 20, MAX_EXAMINED = 200;
  if (op === 'end') {
    for (const frame of document.querySelectorAll(`[${mark}]`)) frame.removeAttribute(mark);
    return [];
  }
  // A form may have taken the place of the property of the document.
  const charset = Object.getOwnPropertyDescriptor(Document.prototype, 'characterSet').get.call(document);
  // Nodes of this document load nothing and run nothing.
  const inert = document.implementation.createHTMLDocument('');
  const frames = [...document.querySelectorAll('iframe,frame')].slice(0, MAX_EXAMINED), result = [];
  for (const frame of frames) {
    let inner = null;
    // A frame of another origin gives null, or throws.
    try { inner = frame.contentDocument; } catch {}
    const body = inner?.body;
    if (!body || !frame.checkVisibility({ visibilityProperty: true })) continue;
    const letters = body.textContent.length;
    if (letters > limit) break;
    if (!letters || !body.textContent.trim()) continue;
    const copy = inert.importNode(body, true);
    makeAbsolute(copy, inner.baseURI);
    const html = copy.getHTML().toWellFormed();
    limit -= html.length;
    if (limit < 0 || result.length >= MAX_FRAMES) break;
    frame.setAttribute(mark, result.length);
    result.push({ url: inner.URL.toWellFormed(), html, isFrameset: frame.localName === 'frame' });
  }
  return { charset, frames: result };

  function makeAbsolute(root, base) {
    const absolute = address => {
      // A fragment stays one: it leads to a place in the same HTML.
      if (address.startsWith('#')) return address;
      try { return new URL(address, base).href; } catch { return address; }
    };
    for (const element of root.querySelectorAll('[href],[src],[srcset]')) {
      for (const name of ['href', 'src']) {
        const address = element.getAttribute(name);
        if (address !== null) element.setAttribute(name, absolute(address.trim()));
      }
      const set = element.getAttribute('srcset');
      if (!set) continue;
      const candidates = /(^\s*|,\s+)(\S*[^\s,])/g;
      element.setAttribute('srcset', set.replace(candidates, (_, gap, address) => gap + absolute(address)));
    }
  }
}
