// act(op, selector, index, argument): the page's side of the actions.
//
// Each call answers at once and waits for nothing, because pages can clear the timers of all worlds. It is
// called in an isolated world, again every 40 ms until `state` is "ready" or the time is up. The browser then
// sends real input to `x`, `y`.
//
// Selectors: CSS; `xpath=...` or `//...`; `text=...` (the smallest elements that contain the words, in any
// case); CSS with `:has-text("...")`, `:contains("...")` or `:text("...")` at its end; `a >>> b` (b inside a,
// in its shadow root or frame). `css=...` is always CSS.
//
// Operations:
//   "probe"   whether match number `index` can be clicked: {count, state, what, by, x, y, kind}
//             state: ready, missing, selector (it cannot be read), hidden, disabled, moving, outside,
//             covered, gone
//   "list"    keeps all matches for a "probe" with a null selector, so that clicks cannot change the list:
//             {count}
//   "wait"    whether a match is visible: {count, state, what}
//   "focus"   focuses the match, or takes what is focused if there is no selector; puts the caret at its end:
//             {state, what, kind}. kind: text (type into it), value (use "set"), none
//   "set"     sets a value that is not typed, such as a date or the option of a list. A null argument selects
//             the option that matches: {state, what}
//   "scroll"  argument {direction}: {state, moved, top, height}
//   "point"   argument {x, y}: whether a frame is seen at this point of the window: {state, by}
//             state: ready, outside (of the window), covered (it is another element, `by`)
function act(op, selector, index, argument) {
  const MAX_ROOTS = 500, MAX_MATCHES = 1000, MAX_TEXT = 80;
  const self = globalThis.gleanerAct ??= { list: [], last: null, tries: 0 };
  try {
    if (op === 'point') return point(argument);
    if (op === 'list') {
      self.list = find(selector);
      return { count: self.list.length };
    }
    const listed = op === 'probe' || op === 'set' && argument === null;
    const found = selector === null ? (listed ? self.list : [active()]) : find(selector);
    const element = found[index || 0];
    if (op === 'scroll') return scroll(selector === null ? null : element, argument);
    const answer = { count: found.length, ...look(element) };
    if (op === 'wait') {
      // Any visible match counts: the first one is often a hidden template.
      const shown = found.find(visible);
      return shown ? { count: found.length, state: 'ready', what: describe(shown) } : answer;
    }
    return answer;
  } catch (error) {
    return { count: 0, state: 'selector', what: String(error && error.message).slice(0, 200).toWellFormed() };
  }

  function look(element) {
    if (!element) return { state: 'missing' };
    const what = describe(element);
    if (!own(element).isConnected) return { state: 'gone', what };
    if (op === 'focus') return focus(element, what);
    if (op === 'set') return set(element, what);
    if (op === 'wait') return { state: visible(element) ? 'ready' : 'hidden', what };
    // The system draws the list of options, so an option has no box in the page.
    if (own(element).localName === 'option' && element.closest('select')) {
      return { state: 'ready', kind: 'option', what };
    }
    const box = boxOf(element);
    if (!box || !visible(element)) return { state: 'hidden', what };
    if (disabled(element)) return { state: 'disabled', what };
    const view = viewOf(element);
    let x = box.left + box.width / 2, y = box.top + box.height / 2;
    const inside = x >= 0 && y >= 0 && x < view.innerWidth && y < view.innerHeight;
    const key = [box.left, box.top, box.width, box.height].join();
    const now = performance.now(), last = self.last;
    const same = last && last.element === element;
    self.last = { element, key, at: same && last.key === key ? last.at : now, tries: same ? last.tries : 0 };
    if (!inside) return toView(element, what, inside);
    // Unchanged over two frames at 60 frames a second, with a margin.
    if (!same || last.key !== key || now - self.last.at < 36) return { state: 'moving', what };
    const hit = hitAt(own(element).ownerDocument, x, y);
    if (!receives(element, hit)) {
      if (self.last.tries < 3) return toView(element, what, true, hit);
      return { state: 'covered', what, by: hit ? describe(hit) : 'nothing' };
    }
    // The point in the page, and whether the frame is what is seen there.
    for (let frame = view.frameElement; frame; frame = viewOf(frame).frameElement) {
      const outer = frame.getBoundingClientRect();
      const style = viewOf(frame).getComputedStyle(frame);
      x += outer.left + frame.clientLeft + parseFloat(style.paddingLeft);
      y += outer.top + frame.clientTop + parseFloat(style.paddingTop);
      const over = hitAt(frame.ownerDocument, x, y);
      if (over !== frame) return { state: 'covered', what, by: over ? describe(over) : 'nothing' };
    }
    return { state: 'ready', kind: kindOf(element), what, x, y };
  }

  function toView(element, what, inside, hit) {
    // A fixed bar covers what is scrolled under it, so each try scrolls the element to another position.
    const block = ['center', 'end', 'start', 'nearest'][self.last.tries++ % 4];
    own(element).scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    self.last.at = performance.now();
    if (self.last.tries > 4 && !inside) return { state: 'outside', what };
    return { state: inside ? 'covered' : 'outside', what, by: hit ? describe(hit) : '' };
  }

  function viewOf(element) {
    return own(own(element).ownerDocument).defaultView;
  }

  function find(text) {
    const steps = text.split(/\s*>>>?\s*/).filter(Boolean);
    let scopes = [document], matches = [];
    for (const [i, step] of steps.entries()) {
      matches = [];
      for (const scope of scopes) {
        for (const match of findIn(scope, step, i > 0)) {
          if (!matches.includes(match)) matches.push(match);
          if (matches.length >= MAX_MATCHES) break;
        }
      }
      scopes = matches;
    }
    return matches;
  }

  function findIn(scope, step, deep) {
    const start = deep && own(scope).shadowRoot || deep && inner(scope) || scope;
    let query;
    const named = /^(text|xpath|css)=([^]*)$/.exec(step);
    const filter = /^([^]*):(?:has-text|contains|text)\(\s*(["'])([^]*)\2\s*\)$/.exec(step);
    if (named?.[1] === 'text') {
      const wanted = named[2].trim().replace(/^(["'])(.*)\1$/, '$2');
      query = root => smallest([...own(root).querySelectorAll('*')].filter(e => has(e, wanted)));
    } else if (named?.[1] === 'xpath' || /^\(*\/\//.test(step)) {
      const path = named ? named[2] : step;
      query = root => {
        const type = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
        const result = own(own(root).ownerDocument ?? root).evaluate(path, root, null, type, null);
        const length = Math.min(result.snapshotLength, MAX_MATCHES);
        return Array.from({ length }, (_, i) => result.snapshotItem(i)).filter(node => node.nodeType === 1);
      };
    } else if (filter) {
      const list = filter[1] || '*';
      query = root => smallest([...own(root).querySelectorAll(list)].filter(e => has(e, filter[3])));
    } else {
      const css = named ? named[2] : step;
      query = root => [...own(root).querySelectorAll(css)].slice(0, MAX_MATCHES);
    }
    // Matches in the document itself come first. Without any, its shadow roots and frames are searched.
    let matches = query(start);
    if (matches.length) return matches;
    const roots = [start];
    for (let i = 0; i < roots.length && roots.length < MAX_ROOTS; i++) {
      for (const element of own(roots[i]).querySelectorAll('*')) {
        const next = own(element).shadowRoot ?? inner(element);
        if (!next) continue;
        roots.push(next);
        matches = matches.concat(query(next));
      }
    }
    return matches.slice(0, MAX_MATCHES);
  }

  // Leaves out elements that contain another match.
  function smallest(list) {
    const all = new Set(list);
    for (const element of list) {
      let up = own(element).parentElement;
      while (up && all.delete(up)) up = own(up).parentElement;
    }
    return [...all];
  }

  function has(node, wanted) {
    const element = own(node);
    if (/^(script|style|head|title|noscript|template)$/.test(element.localName)) return false;
    const isButton = element.localName === 'input' && /^(button|submit|reset)$/.test(element.type);
    const text = isButton ? element.value : element.textContent;
    if (text.length >= 1e5 || !fold(text).includes(fold(wanted))) return false;
    // The words may be those of a script in it.
    return !element.querySelector('script,style,noscript,template')
      || fold(element.innerText ?? '').includes(fold(wanted));
  }

  function fold(text) {
    return text.replace(/\s+/g, ' ').trim().toLowerCase();
  }

  function inner(element) {
    if (!/^i?frame$/.test(own(element).localName || '')) return null;
    try { return element.contentDocument; } catch { return null; }
  }

  function visible(node) {
    const element = own(node);
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    // An element without a box of its own shows its children.
    return !!boxOf(node) || element.getClientRects().length === 0 && element.localName === 'option';
  }

  function boxOf(node) {
    const element = own(node);
    // The middle of a link over two lines is between them, so the box is that of its first line.
    for (const box of element.getClientRects()) if (box.width >= 1 && box.height >= 1) return box;
    for (const child of [...element.children].slice(0, 50)) {
      for (const box of own(child).getClientRects()) if (box.width >= 1 && box.height >= 1) return box;
    }
    return null;
  }

  function disabled(element) {
    const fields = 'button,input,select,textarea,option,optgroup,fieldset';
    const control = own(element).closest(fields) ?? element;
    return own(control).matches(':disabled') || !!own(element).closest('[aria-disabled="true"],[inert]');
  }

  function hitAt(root, x, y) {
    let hit = own(root).elementFromPoint(x, y);
    while (hit && own(hit).shadowRoot) {
      const deeper = own(hit).shadowRoot.elementFromPoint(x, y);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    return hit;
  }

  function receives(element, hit) {
    for (let node = hit; node; node = own(node).assignedSlot ?? own(node).parentNode ?? node.host) {
      if (node === element) return true;
      // A click on a label reaches its control.
      if (own(node).localName === 'label' && node.control === element) return true;
    }
    return false;
  }

  function kindOf(element) {
    const { localName } = own(element);
    if (localName === 'option' || localName === 'select') return localName;
    if (localName === 'input' && element.type === 'file') return 'file';
    return '';
  }

  function describe(node) {
    const element = own(node);
    const part = name => {
      const value = element.getAttribute(name);
      return value ? ` ${name}="${value.slice(0, 60)}"` : '';
    };
    // What a visitor has typed may be a secret.
    const content = element.isContentEditable ? '' : (element.textContent || '').slice(0, 500);
    const text = fold(content).slice(0, MAX_TEXT);
    const tag = `<${element.localName.slice(0, 60)}${part('id')}${part('class')}${part('role')}>`;
    // Half of a surrogate pair is no text for the caller.
    return (text ? `${tag} "${text}"` : tag).toWellFormed();
  }

  function point({ x, y }) {
    const hit = hitAt(document, x, y);
    if (!hit) return { state: 'outside' };
    if (/^(i?frame|object|embed)$/.test(own(hit).localName)) return { state: 'ready' };
    return { state: 'covered', by: describe(hit) };
  }

  function active() {
    let element = own(document).activeElement;
    for (let next = element; next;
      next = own(next).shadowRoot?.activeElement ?? own(inner(next))?.activeElement) {
      element = next;
    }
    return element;
  }

  function fieldOf(node) {
    const fields = 'input:not([type=hidden]),textarea,select,[contenteditable]', element = own(node);
    if (element.matches(fields)) return node;
    if (element.isContentEditable) return element.closest('[contenteditable]') ?? node;
    return element.control ?? element.querySelector(fields) ?? node;
  }

  function focus(element, what) {
    const field = selector === null ? element : fieldOf(element);
    if (selector !== null && (disabled(field) || field.readOnly)) return { state: 'disabled', what };
    if (selector !== null && !visible(field)) return { state: 'hidden', what };
    if (field !== active()) own(field).focus();
    const pressed = /^(checkbox|radio|button|submit|reset|file|image|hidden)$/;
    const chosen = /^(range|color|date|time|datetime-local|month|week)$/;
    const { localName, isContentEditable } = own(field);
    const typed = localName === 'textarea' || isContentEditable ||
      localName === 'input' && !pressed.test(field.type) && !chosen.test(field.type);
    const kind = typed ? 'text' : /^(select|input)$/.test(localName) ? 'value' : 'none';
    if (typed && field.setSelectionRange && selector !== null) {
      // Some types have no selection, such as email and number.
      try { field.setSelectionRange(field.value.length, field.value.length); } catch {}
    } else if (isContentEditable && selector !== null) {
      const range = own(document).createRange();
      range.selectNodeContents(field);
      range.collapse(false);
      const selection = own(own(field).ownerDocument).getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    return { state: kind === 'none' || active() === field ? 'ready' : 'unfocused', what, kind };
  }

  function set(element, what) {
    const option = own(element).localName === 'option' ? element : null;
    const field = option ? option.closest('select') : fieldOf(element);
    if (disabled(field)) return { state: 'disabled', what };
    if (field.localName === 'select') {
      const labels = o => [fold(o.label), fold(o.textContent)];
      const wanted = option ?? [...field.options].find(o => o.value === argument)
        ?? [...field.options].find(o => labels(o).includes(fold(argument)));
      if (!wanted) return { state: 'missing', what: `option with this value or label in ${what}` };
      if (field.multiple) {
        wanted.selected = !option || !wanted.selected;
      } else {
        field.value = wanted.value;
        wanted.selected = true;
      }
    } else if (/^(checkbox|radio|file|image)$/.test(field.type)) {
      return { state: 'none', what };
    } else {
      field.value = argument;
      if (field.value !== argument && field.type !== 'range') return { state: 'value', what };
    }
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
    return { state: 'ready', what };
  }

  function scroll(element, { direction }) {
    if (selector !== null && !element) return { state: 'missing' };
    const page = own(document).scrollingElement ?? own(document).documentElement;
    const isVertical = direction === 'up' || direction === 'down';
    const sign = direction === 'up' || direction === 'left' ? -1 : 1;
    const fits = box => isVertical
      ? own(box).scrollHeight > own(box).clientHeight + 1
      : own(box).scrollWidth > own(box).clientWidth + 1;
    const scrolls = box => {
      if (!fits(box)) return false;
      if (box === page) return true;
      const style = getComputedStyle(box);
      return /auto|scroll/.test(isVertical ? style.overflowY : style.overflowX);
    };
    // The box itself or the nearest one around it that scrolls.
    const scrolling = box => {
      for (; box; box = own(box).parentElement ?? own(box).getRootNode().host) if (scrolls(box)) return box;
      return null;
    };
    let box = element ? own(inner(element))?.scrollingElement ?? element : page;
    if (element) {
      // The selector often names the list, and the box around it scrolls.
      box = scrolling(box) ?? box;
    } else if (!fits(page)) {
      // The page of an application has the height of the window, and a box in it scrolls.
      box = scrolling(hitAt(document, innerWidth / 2, innerHeight / 2)) ?? box;
    }
    const scrolled = own(box), { scrollLeft, scrollTop } = scrolled;
    const width = box === page ? innerWidth : scrolled.clientWidth;
    const height = box === page ? innerHeight : scrolled.clientHeight;
    scrolled.scrollBy({
      left: isVertical ? 0 : sign * width,
      top: isVertical ? sign * height : 0,
      behavior: 'instant',
    });
    const moved = scrolled.scrollLeft !== scrollLeft || scrolled.scrollTop !== scrollTop;
    return { state: 'ready', moved, top: scrolled.scrollTop, height: scrolled.scrollHeight };
  }
}
