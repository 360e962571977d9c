// The page's side of a picture. Runs in an isolated world.
//   {op: "begin"}               Stores the scroll position and hides the caret: {step, height}.
//   {op: "inner", bottom}       Returns how many pixels of its content the box hides that fills much of a
//                               window of the height `bottom` and scrolls in place of the page; 0 if there is
//                               none.
//   {op: "scroll", y}           Scrolls to `y`, so that lazy pictures load and content that is revealed on
//                               sight appears: {height}.
//   {op: "settle", y, bottom}   Scrolls to `y` if it is given, and ends animations that have an end. Returns
//                               the number of pictures and fonts that are still loading: above `bottom` in
//                               the document, or in the window if `bottom` is not given. The host repeats it
//                               until the number is 0.
//   {op: "end"}                 Restores the caret and the scroll position.
function shot({ op, y, bottom }) {
  const MAX_NODES = 2000;
  const self = globalThis.gleanerShot ??= {};
  const page = own(document).scrollingElement ?? own(document).documentElement;
  const scrollTo = (left, top) => page.scrollTo({ top, left, behavior: 'instant' });
  const showCaret = () => {
    own(document).adoptedStyleSheets = own(document).adoptedStyleSheets.filter(sheet => sheet !== self.sheet);
    self.sheet = undefined;
  };
  if (op === 'begin') {
    if (self.sheet) showCaret();
    self.x = page.scrollLeft;
    self.y = page.scrollTop;
    // A constructed style sheet does not appear in the document's HTML.
    self.sheet = new CSSStyleSheet();
    self.sheet.replaceSync('*,*::before,*::after{caret-color:transparent!important}');
    own(document).adoptedStyleSheets = [...own(document).adoptedStyleSheets, self.sheet];
    return { step: innerHeight, height: page.scrollHeight };
  }
  if (op === 'inner') return hiddenHeight();
  if (op === 'scroll') {
    scrollTo(0, y);
    return { height: page.scrollHeight };
  }
  if (op === 'settle') {
    if (typeof y === 'number') scrollTo(0, y);
    for (const animation of own(document).getAnimations().slice(0, MAX_NODES)) {
      // Endless animations have no end to go to. Those bound to scrolling follow the scroll position.
      const end = animation.effect?.getComputedTiming().endTime;
      const isTimed = animation.playState === 'running' && animation.timeline === own(document).timeline;
      if (isTimed && typeof end === 'number' && end < 1e5) {
        try { animation.finish(); } catch {}
      }
    }
    return pending();
  }
  if (self.sheet) showCaret();
  if (self.y !== undefined) scrollTo(self.x, self.y);
  return null;

  function hiddenHeight() {
    if (page.scrollHeight > innerHeight + 1) return 0;
    let most = 0;
    for (const part of [0.3, 0.5, 0.7]) {
      let box = own(document).elementFromPoint(innerWidth * part, bottom / 2);
      for (let node = box && own(box); node; node = own(box)) {
        const { clientWidth, clientHeight, scrollHeight } = node;
        const isLarge = clientWidth * clientHeight >= innerWidth * bottom / 3;
        const scrolls = /auto|scroll|overlay/.test(getComputedStyle(box).overflowY);
        if (isLarge && scrolls && box !== page) most = Math.max(most, scrollHeight - clientHeight);
        box = node.parentElement ?? node.getRootNode().host;
      }
    }
    return Math.min(Math.ceil(most), 1e6);
  }

  function pending() {
    let count = own(document).fonts.status === 'loading' ? 1 : 0;
    const last = typeof bottom === 'number' ? bottom - page.scrollTop : innerHeight;
    const first = typeof bottom === 'number' ? -page.scrollTop : 0;
    for (const image of [...own(document).images].slice(0, MAX_NODES)) {
      if (image.complete || !image.currentSrc && !image.src) continue;
      // A lazy picture that is out of sight does not load.
      const box = image.getBoundingClientRect();
      const isShown = box.bottom > first && box.top < last && box.right > 0 && box.left < innerWidth;
      if (isShown && image.getClientRects().length) count++;
    }
    return count;
  }
}
