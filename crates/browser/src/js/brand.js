// Reads the brand of a page from computed styles. Runs in an isolated world. The result has the keys of the format
// `branding`, without those that the page does not show.
function brand() {
  const MAX_ELEMENTS = 3000, MAX_FONTS = 8;
  const one = selector => [...document.querySelectorAll(selector)].slice(0, 50).find(e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length);
  // A canvas converts every notation to sRGB.
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = text => {
    context.clearRect(0, 0, 1, 1); context.fillStyle = '#000'; context.fillStyle = text; context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const hex = text => {
    const [r, g, b, a] = text ? rgba(text) : [0, 0, 0, 0];
    return a < 128 ? undefined : '#' + [r, g, b].map(v => v.toString(16).padStart(2, '0')).join('');
  };
  const dull = color => { const [r, g, b] = rgba(color); return Math.max(r, g, b) - Math.min(r, g, b) < 40; };
  const meta = name => document.querySelector(`meta[name="${name}"],meta[property="${name}"]`)?.content || undefined;
  const web = address => { try { const url = new URL(address, document.baseURI); return /^https?:$/.test(url.protocol) && url.href.length <= 4096 ? url.href : undefined; } catch { return undefined; } };
  const family = list => {
    const first = (list || '').split(',')[0].trim().replace(/^["']|["']$/g, '');
    return first && first.isWellFormed() && first.length <= 80 && !/^(inherit|initial|serif|sans-serif|monospace|system-ui|ui-.*|cursive|-apple-system|BlinkMacSystemFont)$/i.test(first) ? first : undefined;
  };
  const top = counts => [...counts].sort((a, b) => b[1] - a[1]);
  const clean = object => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

  const fonts = new Map(), fills = new Map(), lengths = [], radii = new Map();
  const body = document.body ?? document.documentElement, page = getComputedStyle(body), root = getComputedStyle(document.documentElement);
  for (const element of [...body.querySelectorAll('*')].slice(0, MAX_ELEMENTS)) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    let letters = 0;
    for (const node of element.childNodes) if (node.nodeType === 3) letters += node.data.trim().length;
    const name = letters && family(style.fontFamily);
    if (name) fonts.set(name, (fonts.get(name) || 0) + 1);
    const fill = hex(style.backgroundColor);
    if (fill && !dull(fill)) {
      const box = element.getBoundingClientRect();
      fills.set(fill, (fills.get(fill) || 0) + Math.min(box.width * box.height, innerWidth * innerHeight / 4));
    }
    for (const side of ['paddingTop', 'paddingLeft', 'marginBottom']) { const value = parseFloat(style[side]); if (value >= 2 && value < 200) lengths.push(value); }
    if (/^[1-9]/.test(style.borderTopLeftRadius)) radii.set(style.borderTopLeftRadius, (radii.get(style.borderTopLeftRadius) || 0) + 1);
  }

  const buttons = [...document.querySelectorAll('button,[role=button],input[type=submit],a[class*=btn i],a[class*=button i]')].slice(0, 200)
    .filter(e => e.checkVisibility({ visibilityProperty: true })).map(e => ({ style: getComputedStyle(e), at: e.getBoundingClientRect() }))
    .filter(({ style, at }) => at.width > 40 && at.height > 16 && (hex(style.backgroundColor) || parseFloat(style.borderTopWidth) > 0));
  const solid = buttons.find(({ style }) => hex(style.backgroundColor) && !dull(style.backgroundColor));
  const plain = buttons.find(({ style }) => style !== solid?.style && hex(style.backgroundColor) !== hex(solid?.style.backgroundColor));
  const button = found => found && clean({ background: hex(found.style.backgroundColor), textColor: hex(found.style.color), borderRadius: found.style.borderTopLeftRadius });
  const variable = (...words) => {
    for (const word of words) for (const name of [`--${word}`, `--color-${word}`, `--${word}-color`, `--bs-${word}`]) {
      const value = root.getPropertyValue(name).trim();
      // Some variables are three numbers for use in rgb(...), which are no color.
      if (value && CSS.supports('color', value)) return hex(value);
    }
  };

  const link = one('main a[href],article a[href],p a[href]') ?? one('a[href]');
  const background = hex(page.backgroundColor) ?? hex(root.backgroundColor) ?? (/dark/.test(root.colorScheme) && !/light/.test(root.colorScheme) ? '#121212' : '#ffffff');
  const [r, g, b] = rgba(background);
  const size = selector => { const e = one(selector); return e && getComputedStyle(e).fontSize; };
  const of = (selector, property) => { const e = one(selector); return e && getComputedStyle(e)[property]; };
  const multiples = unit => lengths.filter(length => length % unit < 0.01).length;
  const favicon = web(document.querySelector('link[rel~="icon" i],link[rel="apple-touch-icon" i]')?.getAttribute('href') ?? '/favicon.ico');
  const logo = logoOf();
  return {
    colorScheme: 0.299 * r + 0.587 * g + 0.114 * b < 128 ? 'dark' : 'light',
    ...clean({ logo }),
    colors: clean({
      primary: variable('primary', 'brand') ?? (solid && hex(solid.style.backgroundColor)) ?? (meta('theme-color') && CSS.supports('color', meta('theme-color')) ? hex(meta('theme-color')) : undefined) ?? top(fills)[0]?.[0],
      secondary: variable('secondary') ?? top(fills)[1]?.[0], accent: variable('accent', 'highlight') ?? top(fills)[2]?.[0],
      background, textPrimary: hex(of('main p,article p,p', 'color') ?? page.color), textSecondary: variable('text-secondary', 'text-muted', 'muted'),
      link: link && hex(getComputedStyle(link).color),
    }),
    fonts: top(fonts).slice(0, MAX_FONTS).map(([family, count]) => ({ family, count })),
    typography: {
      fontFamilies: clean({ primary: family(of('main p,article p,p', 'fontFamily') ?? page.fontFamily), heading: family(of('h1,h2', 'fontFamily')), code: family(of('code,pre', 'fontFamily')) }),
      fontSizes: clean({ body: size('main p,article p,p') ?? page.fontSize, h1: size('h1'), h2: size('h2'), h3: size('h3') }),
    },
    spacing: clean({ baseUnit: lengths.length >= 4 ? [8, 5, 4].find(unit => multiples(unit) * 10 >= lengths.length * 6) ?? 4 : undefined, borderRadius: top(radii)[0]?.[0] }),
    components: clean({ buttonPrimary: button(solid ?? buttons[0]), buttonSecondary: button(plain) }),
    images: clean({ logo, favicon, ogImage: meta('og:image') && web(meta('og:image')) }),
  };

  function logoOf() {
    let best, most = 0;
    for (const image of [...document.querySelectorAll('img,svg')].slice(0, 300)) {
      const box = image.getBoundingClientRect();
      if (!image.checkVisibility({ visibilityProperty: true }) || box.width < 16 || box.height < 10 || box.top + scrollY > 400 || box.width > innerWidth * 0.7) continue;
      const home = image.closest('a[href]'), isHome = home && home.pathname?.length <= 4 && home.host === location.host;
      const near = [image, image.parentElement, image.parentElement?.parentElement].filter(Boolean);
      const named = near.some(e => /logo|brand/i.test(`${e.id} ${e.getAttribute('class') || ''} ${e.getAttribute('alt') || ''} ${e.getAttribute('aria-label') || ''} ${(e.getAttribute('src') || '').slice(0, 300)}`));
      const rank = (named ? 3 : 0) + (isHome ? 2 : 0) + (image.closest('header,nav,[role=banner]') ? 1 : 0);
      if (rank < 3 || rank <= most) continue;
      // An inline drawing has no address, so a small one becomes a `data:` URI.
      const text = image.localName === 'svg' ? new XMLSerializer().serializeToString(image).toWellFormed() : '';
      const address = image.localName === 'svg' ? (text.length < 20000 && !/<use[\s>]/.test(text) ? `data:image/svg+xml,${encodeURIComponent(text)}` : undefined) : web(image.currentSrc || image.src);
      if (address) { best = address; most = rank; }
    }
    return best;
  }
}
