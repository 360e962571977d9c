// Readies the frames of a document for its HTML, in an isolated world. The HTML itself comes from `DOM.getOuterHTML
// {objectId of document, includeShadowDOM: true}`, which writes doctype and open and closed shadow roots.
//   {op: "begin", mark}  marks each visible frame of the same origin that has text with attribute `mark`: [{url, html}] in order
//   {op: "end", mark}    takes the marks away
// The host puts <div data-frame-url="url">html</div> behind the `</iframe>` that follows ` mark="i"`, and removes the mark.
function dom({ op, mark, limit }) {
  const MAX_FRAMES = 20;
  const frames = document.querySelectorAll(op === 'end' ? `iframe[${mark}]` : 'iframe,frame');
  if (op === 'end') { for (const frame of frames) frame.removeAttribute(mark); return []; }
  const found = [];
  for (const frame of [...frames].slice(0, 200)) {
    let body = null;
    try { body = frame.contentDocument?.body; } catch {}
    if (!body || !body.textContent.trim() || !frame.checkVisibility({ visibilityProperty: true })) continue;
    const html = body.getHTML();
    if ((limit -= html.length) < 0 || found.length >= MAX_FRAMES) break;
    frame.setAttribute(mark, found.length);
    found.push({ url: frame.contentDocument.URL, html });
  }
  return found;
}
