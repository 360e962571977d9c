// Hides cookie dialogs by their words and their position. Runs in an isolated world, when the page is ready,
// before its HTML and its pictures are taken. It clicks nothing, because a click could consent for the
// visitor. The attribute `hidden` shows the transformer what is hidden. Returns the number of hidden
// elements.
//
// A dialog is a box over the page: fixed, sticky, in the top layer, or absolute with a high z-index. Its text
// mentions cookies or privacy, and it has a button that answers, or its name says what it is. A box with a
// large part of the page's words is content.
//
// There is no list of sites. The names in `NAMED` are words, and products that many sites use: onetrust,
// cybotcookiebot, didomi, truste, cmpbox, cc-window, cc-banner and qc-cmp2. `ad_block.rs` in
// gleaner-transform has a list of its own. It reads HTML without layout, so its names are whole words and
// prefixes; here a part of a name is enough, because the position and the text of the box count too.
function consent() {
  const ABOUT = new RegExp([
    'cookie', 'gdpr', 'dsgvo', 'ccpa', 'rgpd', 'lgpd', 'tracking technolog',
    'privacy (choice|prefer|setting)', 'datenschutz', 'privatsphäre', 'confidentialit',
    'privacidad', 'privacidade', 'galleta', 'plików cookie', 'ciasteczk', 'куки', 'файлы cookie',
    'クッキー', '隐私', '쿠키',
  ].join('|'), 'i');
  const ANSWERS = [
    'accept', 'agree', 'allow', 'consent', 'got it', 'ok(ay)?\\b', 'understood', 'reject',
    'decline', 'deny', 'refuse', 'necessary', 'essential', 'manage', 'customi[sz]e', 'preferences',
    'settings', 'save', 'continue without', 'akzept', 'zustimm', 'einverstanden', 'ablehn',
    'verstanden', 'nur notwendig', 'einstellung', 'accepter', 'refuser', 'autoriser', "j'accepte",
    'continuer sans', 'paramétr', 'personnalis', 'acept', 'rechaz', 'configur', 'aceit', 'rejeit',
    'accett', 'rifiut', 'accord', 'toestaan', 'weiger', 'instell', 'godta', 'godkänn', 'acceptera',
    'avvisa', 'tillad', 'zgad', 'akceptuj', 'odrzu', 'принять', 'соглас', 'отклон', '同意', '拒否',
    '接受', '동의',
  ];
  const ASKS = new RegExp(`^(i |yes,? ?i? ?|ich |je |alle[sn]? |tout |all )?(${ANSWERS.join('|')})`, 'i');
  const NAMED = new RegExp([
    'cookie', 'consent', 'gdpr', 'ccpa', 'cmp(box|wrapper|-|_|$)', 'onetrust', 'cybotcookiebot',
    'didomi', 'truste', 'cc-window', 'cc-banner', 'qc-cmp2',
  ].join('|'), 'i');
  // Elements of these names are no boxes of dialogs.
  const NO_BOX = /^(script|style|link|meta|p|span|li|a|br|td|tr|path|img|option|html|body|main|article)$/;
  const MAX_ELEMENTS = 20000, MAX_TEXT = 4000;
  const body = own(document).body;
  let hidden = 0;
  if (!body) return hidden;
  const words = body.textContent.length, screen = innerWidth * innerHeight;
  const roots = [document], candidates = new Set();
  let count = 0;
  for (let i = 0; i < roots.length && i < 200; i++) {
    for (const element of own(roots[i]).querySelectorAll('*')) {
      if (++count > MAX_ELEMENTS) break;
      const { shadowRoot, localName } = own(element);
      if (shadowRoot) roots.push(shadowRoot);
      if (!NO_BOX.test(localName) && over(element)) candidates.add(element);
    }
  }
  for (const element of candidates) {
    const { isConnected } = own(element);
    if (isConnected && own(element).checkVisibility() && isDialog(element)) hide(element);
  }
  // The backdrop of a dialog has no words.
  if (hidden) {
    for (const node of candidates) {
      const element = own(node), box = element.getBoundingClientRect();
      if (element.textContent.trim() || element.querySelector('img,video,canvas,iframe,input')) continue;
      if (box.width * box.height <= screen * 0.9 || !element.checkVisibility()) continue;
      if (Number(getComputedStyle(node).opacity) > 0) hide(node);
    }
  }
  if (hidden) {
    // A dialog locks scrolling, blurs the page, or makes it inert.
    for (const element of [own(document).documentElement, body]) {
      const style = getComputedStyle(element);
      if (/hidden|clip/.test(style.overflowY)) element.style.setProperty('overflow-y', 'auto', 'important');
      if (element === body && style.position === 'fixed') {
        element.style.setProperty('position', 'static', 'important');
      }
      if (/blur/.test(style.filter)) element.style.setProperty('filter', 'none', 'important');
    }
    for (const node of [...body.children].slice(0, 200)) {
      const child = own(node);
      if (/blur/.test(getComputedStyle(node).filter)) child.style.setProperty('filter', 'none', 'important');
      if (child.inert) child.inert = false;
    }
  }
  return hidden;

  function over(node) {
    const element = own(node), style = getComputedStyle(node);
    if (style.display === 'none') return false;
    if (style.position === 'fixed' || style.position === 'sticky') return true;
    if (element.localName === 'dialog' && element.open || element.matches(':popover-open')) return true;
    if (style.position === 'absolute' && Number(style.zIndex) >= 100) return true;
    // In the flow of the page, only its name tells a dialog.
    return NAMED.test(name(element)) && element.parentElement === body;
  }

  function isDialog(node) {
    const element = own(node), text = textOf(element);
    const isNamed = NAMED.test(name(element));
    if (text.length > MAX_TEXT) return false;
    if (text.length * 3 > words + text.length && text.length > 600 && !isNamed) return false;
    if (!ABOUT.test(text)) {
      // The dialog may be in a frame of another site.
      return isNamed && !!element.querySelector('iframe') && text.length < 40;
    }
    // Headers that link to a policy and forms to sign in are not cookie dialogs.
    if (element.matches('header,nav,footer,[role=banner],[role=navigation]')) return false;
    if (element.querySelector('input[type=password],input[type=search],nav,h1 a[href="/"]')) return false;
    let buttons = 0, asks = 0;
    const inside = [element];
    for (const scope of element.querySelectorAll('*')) {
      const { shadowRoot } = own(scope);
      if (shadowRoot && inside.length < 20) inside.push(shadowRoot);
    }
    if (element.shadowRoot) inside.push(element.shadowRoot);
    const pressed = 'button,a,[role=button],input[type=button],input[type=submit]';
    for (const scope of inside) {
      for (const button of [...scope.querySelectorAll(pressed)].slice(0, 60)) {
        const label = button.textContent || button.value || button.getAttribute('aria-label') || '';
        buttons++;
        if (ASKS.test(label.trim().slice(0, 60))) asks++;
      }
    }
    // In the flow of the page, a name is not enough: a shop may sell cookies.
    const placed = getComputedStyle(node).position !== 'static' || element.localName === 'dialog';
    return asks > 0 || placed && isNamed && buttons < 6;
  }

  function textOf(element) {
    let text = element.textContent;
    const inside = [...element.querySelectorAll('*')].slice(0, 500).map(inner => own(inner).shadowRoot);
    for (const root of [element.shadowRoot, ...inside]) if (root) text += ' ' + root.textContent;
    return text.replace(/\s+/g, ' ').trim();
  }

  function name(element) {
    const [kind, label, test] =
      ['class', 'aria-label', 'data-testid'].map(name => element.getAttribute(name) || '');
    return `${element.id} ${kind} ${label} ${test} ${element.localName}`;
  }

  function hide(node) {
    const element = own(node);
    if (element.localName === 'dialog' && element.open) element.close();
    element.style.setProperty('display', 'none', 'important');
    element.setAttribute('hidden', '');
    hidden++;
  }
}
