// Prepares a document for `DOM.getOuterHTML`, which writes it with open and closed shadow roots, but without
// content of frames and without slots that a script assigned. Runs in an isolated world.
//   {op: "begin", mark, limit}  Sets the attribute `mark` of each visible frame with text to its index in the
//                               frames of the result: {charset, frames: [{url, html, isFrameset}],
//                               isChanged: whether "end" is to be called}. The HTML has at most `limit`
//                               characters in all, and its addresses are absolute. Frames and shadow roots in
//                               a frame are in its HTML. A link stands for a large frame of another origin.
//                               Slots that a script assigned get a name, and texts for readers without
//                               scripts are hidden, also notices that a style sheet hides.
//   {op: "end"}                 Removes what was set.
function dom({ op, mark, limit }) {
  const MAX_FRAMES = 20, MAX_EXAMINED = 200, MAX_DEPTH = 10, MAX_SLOTS = 1000;
  // Frequent elements that cannot have a shadow root.
  const NO_HOSTS = 'a,b,br,code,dd,dt,em,i,img,input,li,ol,option,path,script,strong,tbody,td,th,tr,ul';
  // Smaller frames are buttons and counters. In square pixels.
  const MIN_LINKED = 30000;
  const ADS = /(^|[\s_-])(ads?|advert\w*|adsense|aswift|google_ads\w*)([\s_-]|$)/i;
  const MAX_TEXTS = 200000, MAX_NOTICE = 400;
  const NOTICE = new RegExp([
    '(enable|activate|allow|turn on|switch on|requires?|needs?|without) java ?script',
    'java ?script (is |must be |has to be |to be )?(enabled|required|needed|disabled|not |turned|switched)',
    'java ?script (aktivieren|einschalten)', 'activ(er|ez|ar|e) (le |el |o )?java ?script',
    'habilit\\w+ (el |o )?java ?script', 'abilita\\w* java ?script', 'включите java ?script',
    '启用 ?java ?script', '啟用 ?java ?script', 'java ?script ?を有効',
  ].join('|'), 'i');
  const self = globalThis.gleanerDom ??= { undo: [] };
  for (const undo of self.undo.splice(0)) undo();
  if (op === 'end') return null;
  // Nodes of this document load nothing and run nothing.
  const inert = own(document).implementation.createHTMLDocument('');
  const result = [];
  let examined = 0, inserted = 0;
  collect(document);
  hideNotices();
  return { charset: own(document).characterSet, frames: result, isChanged: self.undo.length > 0 };

  // Frames in the order of the HTML, in which a shadow root comes before the children of its host.
  function collect(root) {
    for (const element of own(root).querySelectorAll(`:not(${NO_HOSTS})`)) {
      const { shadowRoot } = own(element);
      if (shadowRoot) {
        if (shadowRoot.slotAssignment === 'manual') nameSlots(shadowRoot);
        collect(shadowRoot);
      } else if (isFrame(element)) {
        mention(element);
      } else if (own(element).localName === 'noscript' && element.textContent.trim()) {
        // Its text is not shown where scripts run. Its pictures stand in for those that load on sight.
        if (!/<img/i.test(element.textContent)) set(element, 'hidden', '');
      }
    }
  }

  // The style sheet of a page hides its notice where scripts run. Other text that is not shown may be that of a
  // tab, which a visitor can open.
  function hideNotices() {
    const { body } = own(document);
    if (!body) return;
    const isShown = element => own(element).checkVisibility({ visibilityProperty: true });
    const texts = own(document).createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let i = 0; i < MAX_TEXTS && texts.nextNode(); i++) {
      const text = texts.currentNode;
      if (text.data.length > MAX_NOTICE || !NOTICE.test(text.data)) continue;
      let box = text.parentElement;
      if (/^(script|style|noscript|template|textarea)$/.test(own(box).localName) || isShown(box)) continue;
      for (let up = box; up !== body && !isShown(up); up = own(up).parentElement) {
        if (own(up).textContent.length <= MAX_NOTICE) box = up;
      }
      set(box, 'hidden', '');
    }
  }

  function isFrame(element) {
    return element.localName === 'iframe' || element.localName === 'frame';
  }

  function mention(frame) {
    const content = contentOf(frame, 0) ?? linkTo(frame);
    const html = content?.innerHTML.toWellFormed() ?? '';
    limit -= html.length;
    if (!html || limit < 0) return;
    set(frame, mark, result.length);
    result.push({ url: content.dataset.frameUrl, html, isFrameset: frame.localName === 'frame' });
  }

  // The content of a visible frame with text, as an element of a document that is inert.
  function contentOf(frame, depth) {
    if (++examined > MAX_EXAMINED || inserted >= MAX_FRAMES || limit < 0) return null;
    let inner = null;
    // A frame of another origin gives null, or throws.
    try { inner = own(frame.contentDocument); } catch {}
    const body = inner?.body;
    if (!body || !frame.checkVisibility({ visibilityProperty: true })) return null;
    const content = inert.createElement('div');
    content.dataset.frameUrl = inner.URL.toWellFormed();
    content.append(copyOf(body, inner.baseURI, depth));
    if (!content.textContent.trim() && !content.querySelector('template')) return null;
    inserted++;
    return content;
  }

  // A link in place of the content of a large frame of another origin.
  function linkTo(frame) {
    let inner = null;
    try { inner = frame.contentDocument; } catch {}
    const { width, height } = frame.getBoundingClientRect();
    if (inner || width * height < MIN_LINKED || inserted >= MAX_FRAMES) return null;
    if (!/^https?:/.test(frame.src) || !frame.checkVisibility({ visibilityProperty: true })) return null;
    const address = new URL(frame.src);
    if (ADS.test(`${frame.id} ${frame.name} ${frame.title} ${frame.className}`)) return null;
    const content = inert.createElement('div'), link = inert.createElement('a');
    content.dataset.frameUrl = link.href = address.href;
    link.textContent = frame.title.trim() || frame.getAttribute('aria-label')?.trim() || address.hostname;
    content.appendChild(inert.createElement('p')).append(link);
    inserted++;
    return content;
  }

  // A copy of what is in a node: shadow roots become templates, and the content of frames follows them.
  function copyOf(root, base, depth) {
    const copy = inert.createDocumentFragment();
    if (own(root).textContent.length > limit) return copy;
    for (const child of own(root).childNodes) copy.append(inert.importNode(child, true));
    const copies = [...copy.querySelectorAll('*')];
    makeAbsolute(copy, base);
    for (const [i, element] of [...own(root).querySelectorAll('*')].entries()) {
      const { shadowRoot, localName } = own(element);
      if (localName === 'noscript') copies[i].remove();
      if (depth >= MAX_DEPTH) continue;
      if (shadowRoot) {
        const template = inert.createElement('template');
        template.setAttribute('shadowrootmode', 'open');
        template.content.append(copyOf(shadowRoot, base, depth + 1));
        own(copies[i]).prepend(template);
      } else if (isFrame(element)) {
        const content = contentOf(element, depth + 1) ?? linkTo(element);
        if (content) copies[i].after(content);
      }
    }
    return copy;
  }

  // A script may assign nodes to slots without names.
  function nameSlots(root) {
    for (const [i, slot] of [...root.querySelectorAll('slot')].slice(0, MAX_SLOTS).entries()) {
      const name = `assigned-${i}`;
      set(slot, 'name', name);
      for (const node of slot.assignedNodes()) if (node.nodeType === 1) set(node, 'slot', name);
    }
  }

  function set(element, name, value) {
    const before = own(element).getAttribute(name);
    own(element).setAttribute(name, value);
    self.undo.push(() => {
      if (before === null) own(element).removeAttribute(name);
      else own(element).setAttribute(name, before);
    });
  }

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
