// The page's side of a full-page picture. The host calls it in an isolated world:
//   {op: "begin"}        remembers the place, hides the caret: {y, step, height}
//   {op: "scroll", y}    goes there, so that lazy pictures load and what is revealed on sight is: {y, height, pending}
//   {op: "settle"}       back at the top: ends animations that end: {pending}; the host repeats it until 0
//   {op: "end"}          everything as it was
function shot({ op, y }) {
  const MAX_NODES = 2000;
  const self = globalThis.gleanerShot ??= {};
  const page = document.scrollingElement ?? document.documentElement;
  const go = top => page.scrollTo({ top, left: 0, behavior: 'instant' });
  // Pictures in view, or in what the picture will show: those far away that have not begun would never end.
  const pending = () => {
    let count = document.fonts.status === 'loading' ? 1 : 0;
    for (const image of [...document.images].slice(0, MAX_NODES)) {
      if (!image.complete && image.currentSrc + image.src && image.getClientRects().length) count++;
    }
    return count;
  };
  if (op === 'begin') {
    self.x = page.scrollLeft; self.y = page.scrollTop;
    // Constructed, so that the document's HTML is not changed.
    self.sheet = new CSSStyleSheet();
    self.sheet.replaceSync('*,*::before,*::after{caret-color:transparent!important}');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, self.sheet];
    return { y: self.y, step: innerHeight, height: page.scrollHeight };
  }
  if (op === 'scroll') {
    go(y);
    return { y: page.scrollTop, height: page.scrollHeight, pending: pending() };
  }
  if (op === 'settle') {
    if (y !== undefined) go(y);
    for (const animation of document.getAnimations().slice(0, MAX_NODES)) {
      // Endless ones have no end to go to; those bound to scrolling follow the place.
      const end = animation.effect?.getComputedTiming().endTime;
      if (animation.playState === 'running' && animation.timeline === document.timeline && typeof end === 'number' && end < 1e5) {
        try { animation.finish(); } catch {}
      }
    }
    return { pending: pending() };
  }
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter(sheet => sheet !== self.sheet);
  page.scrollTo({ top: self.y, left: self.x, behavior: 'instant' });
  return {};
}
