// hit(x, y): the element of the main frame at a point of the window. {state, by}
//   "ready": it is a frame; "outside": the point is not in the window; "covered": it is another element, `by`.
function hit(x, y) {
  let element = document.elementFromPoint(x, y);
  while (element && element.shadowRoot) {
    const deeper = element.shadowRoot.elementFromPoint(x, y);
    if (!deeper || deeper === element) break;
    element = deeper;
  }
  if (!element) return { state: 'outside' };
  if (/^(i?frame|object|embed)$/.test(element.localName)) return { state: 'ready' };
  const part = name => element.getAttribute(name) ? ` ${name}="${element.getAttribute(name).slice(0, 60)}"` : '';
  return { state: 'covered', by: `<${element.localName.slice(0, 60)}${part('id')}${part('class')}>`.toWellFormed() };
}
