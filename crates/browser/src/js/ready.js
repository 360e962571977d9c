// One observation of a page that is loading. The host calls it in an isolated world every 50 to 100 ms and
// decides; the script itself never waits, because a page can clear timers by number, ours included.
//
// Result: {timers, frames, idles, length, hash, state, scripts, shell, thin, ms}
//   timers, frames, idles  how many the page has begun since the document was made
//   length, hash           of the visible text, digits folded so that clocks and counters do not count
//   shell                  why this is not the page yet, or "": "empty", "words", "busy", "mount"
//
// The lists differ from those of `shell_vocabulary.rs` in gleaner-transform, which decide by the HTML alone
// whether a page needs a browser. These decide how long to wait for a page. A wrong match costs each such
// page seconds, so phrases must be whole words, and there are few ids.
function observe() {
  const MAX_NODES = 20000, MAX_CHARS = 200000, SHELL_CHARS = 400, MAX_BUSY = 60;
  // What a short text says while a page loads, in the most frequent languages of pages.
  const LOADING = [
    'loading', 'please wait', 'one moment', 'just a moment', 'initiali[sz]ing', 'fetching',
    'l[äa]dt', 'wird geladen', 'bitte warten', 'chargement', 'patientez', 'cargando', 'espere',
    'carregando', 'aguarde', 'caricamento', 'attendere', 'laden', 'even geduld', 'загрузка',
    'подождите', 'ładowanie', 'yükleniyor', '読み込み中', '加载中', '載入中', '正在加载', '로딩',
  ];
  const WORDS = new RegExp(`(^|[^\\p{L}])(${LOADING.join('|')})(?!\\p{L})`, 'iu');
  const BUSY = '[aria-busy=true],[role=progressbar]:not([aria-valuenow]),progress:not([value]),' +
    ['skeleton', 'shimmer', 'spinner', 'preloader', 'loading', 'loader', 'placeholder-glow']
      .map(word => `[class*="${word}" i],[id*="${word}" i]`).join(',');
  const MOUNTS = ['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte', 'app-root', 'react-root', 'main']
    .map(id => `#${id}`).join(',') + ',main,[role=main],app-root,app-shell';
  const started = performance.now();
  const self = globalThis.gleanerReady ??= { own: 0, dirty: true, roots: new WeakSet(), text: null };

  // Worlds of a document share these counters, so a handle taken here tells how many the page took. Nothing
  // of the page is wrapped, so nothing can be noticed or overridden.
  const timer = setTimeout(() => {}, 0);
  const frame = requestAnimationFrame(() => {});
  const idle = requestIdleCallback(() => {});
  clearTimeout(timer);
  cancelAnimationFrame(frame);
  cancelIdleCallback(idle);
  const taken = ++self.own;

  self.observer ??= new MutationObserver(() => { self.dirty = true; });
  const watch = root => {
    if (self.roots.has(root)) return;
    self.roots.add(root);
    self.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  watch(document);
  if (self.observer.takeRecords().length) self.dirty = true;

  if (self.dirty || !self.text) {
    self.text = read();
    self.dirty = false;
  }
  const { length, hash, shell } = self.text;
  return {
    timers: timer - taken, frames: frame - taken, idles: idle - taken,
    length, hash, shell, thin: length < 200, state: own(document).readyState,
    scripts: own(document).scripts.length, ms: performance.now() - started,
  };

  function read() {
    const parts = [];
    let nodes = 0, chars = 0, hash = 0, letters = 0;
    const seen = new Map();
    const visible = element => {
      let shown = seen.get(element);
      if (shown === undefined) {
        shown = own(element).checkVisibility({ visibilityProperty: true });
        seen.set(element, shown);
      }
      return shown;
    };
    const { body } = own(document), stack = body ? [body] : [];
    // Iterative: a hostile tree is deeper than the call stack.
    while (stack.length && nodes < MAX_NODES && chars < MAX_CHARS) {
      const next = stack.pop(), node = own(next);
      nodes++;
      if (node.nodeType === 3) {
        const text = node.data;
        if (!text.trim() || (node.parentElement && !visible(node.parentElement))) continue;
        const part = text.slice(0, MAX_CHARS - chars);
        chars += part.length;
        for (let i = 0, digit = false; i < part.length; i++) {
          let c = part.charCodeAt(i);
          if (c <= 32) continue;
          const isDigit = c >= 48 && c <= 57;
          if (isDigit && digit) continue;
          digit = isDigit;
          if (isDigit) c = 48; else letters++;
          hash = Math.imul(hash ^ c, 16777619);
        }
        if (letters <= SHELL_CHARS) parts.push(part);
        continue;
      }
      if (node.nodeType === 1) {
        if (/^(script|style|noscript|template|head|iframe|svg)$/i.test(node.localName)) continue;
        if (node.shadowRoot) {
          watch(node.shadowRoot);
          push(node.shadowRoot);
          if (!node.shadowRoot.querySelector('slot')) continue;
        }
      }
      push(node);
    }
    return { length: letters, hash, shell: whyShell(letters, parts.join(' ').replace(/\s+/g, ' ').trim()) };

    function push(node) {
      for (let child = node.lastChild; child; child = own(child).previousSibling) {
        if (stack.length > MAX_NODES) return;
        stack.push(child);
      }
    }
  }

  function whyShell(letters, text) {
    const { body, scripts } = own(document);
    if (!body) return 'empty';
    const scripted = scripts.length > 0;
    // A page of pictures, or a drawing, is a page without words.
    const pictures = [...own(document).querySelectorAll('img,canvas,video,svg,object,embed,iframe')]
      .slice(0, MAX_BUSY)
      .some(picture => area(picture) > 10000);
    if (letters === 0 && scripted && !pictures) return 'empty';
    if (letters < SHELL_CHARS && WORDS.test(text)) return 'words';
    if (!scripted) return '';
    let busy = 0, count = 0;
    const screen = Math.max(1, innerWidth * innerHeight);
    for (const element of [...own(document).querySelectorAll(BUSY)].slice(0, MAX_BUSY)) {
      // Text in it: the name tells of a state that has passed, or of a box that holds what was loaded.
      if (own(element).textContent.trim().length > 40) continue;
      const size = area(element);
      if (size > 0) {
        busy += size;
        count++;
      }
    }
    if (count && (letters < SHELL_CHARS || busy > screen / 5)) return 'busy';
    if (letters < SHELL_CHARS) {
      for (const root of own(document).querySelectorAll(MOUNTS)) {
        if (root.shadowRoot || root.textContent.trim()) continue;
        if (!root.querySelector('img,canvas,video,svg,input')) return 'mount';
      }
    }
    return '';
  }

  function area(node) {
    const element = own(node);
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return 0;
    const box = element.getBoundingClientRect();
    return box.top < innerHeight * 2 ? box.width * box.height : 0;
  }
}
