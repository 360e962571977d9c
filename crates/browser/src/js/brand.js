// Reads the brand of a page from computed styles. Runs in an isolated world. The result has the keys of the
// format `branding`, without those that the page does not show.
function brand() {
  const MAX_ELEMENTS = 3000, MAX_FONTS = 8;
  const GENERIC = new RegExp([
    'inherit', 'initial', 'serif', 'sans-serif', 'monospace', 'system-ui', 'ui-.*', 'cursive',
    '-apple-system', 'BlinkMacSystemFont',
  ].map(name => `^${name}$`).join('|'), 'i');
  const isVisible = element => own(element).checkVisibility({ visibilityProperty: true });
  const one = selector => [...own(document).querySelectorAll(selector)].slice(0, 50)
    .find(e => isVisible(e) && own(e).getClientRects().length);
  // A canvas converts every notation to sRGB.
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = text => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = '#000';
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const hex = text => {
    const [r, g, b, a] = text ? rgba(text) : [0, 0, 0, 0];
    return a < 128 ? undefined : '#' + [r, g, b].map(v => v.toString(16).padStart(2, '0')).join('');
  };
  const dull = color => {
    const [r, g, b] = rgba(color);
    return Math.max(r, g, b) - Math.min(r, g, b) < 40;
  };
  const meta = name => {
    const element = own(document).querySelector(`meta[name="${name}"],meta[property="${name}"]`);
    return element?.content || undefined;
  };
  const web = address => {
    try {
      const url = new URL(address, own(document).baseURI);
      return /^https?:$/.test(url.protocol) && url.href.length <= 4096 ? url.href : undefined;
    } catch {
      return undefined;
    }
  };
  const family = list => {
    const first = (list || '').split(',')[0].trim().replace(/^["']|["']$/g, '');
    const isName = first && first.isWellFormed() && first.length <= 80 && !GENERIC.test(first);
    return isName ? first : undefined;
  };
  const top = counts => [...counts].sort((a, b) => b[1] - a[1]);
  const clean = object => {
    const shown = Object.entries(object).filter(([, value]) => value !== undefined);
    return Object.fromEntries(shown);
  };
  const add = (counts, key, number) => counts.set(key, (counts.get(key) || 0) + number);

  const fonts = new Map(), fills = new Map(), lengths = [], radii = new Map();
  const body = own(document).body ?? own(document).documentElement;
  const page = getComputedStyle(body), root = getComputedStyle(own(document).documentElement);
  for (const element of [...body.querySelectorAll('*')].slice(0, MAX_ELEMENTS)) {
    if (!isVisible(element)) continue;
    const style = getComputedStyle(element);
    let letters = 0;
    for (const node of own(element).childNodes) {
      if (own(node).nodeType === 3) letters += node.data.trim().length;
    }
    const name = letters && family(style.fontFamily);
    if (name) add(fonts, name, 1);
    const fill = hex(style.backgroundColor);
    if (fill && !dull(fill)) {
      const box = own(element).getBoundingClientRect();
      add(fills, fill, Math.min(box.width * box.height, innerWidth * innerHeight / 4));
    }
    for (const side of ['paddingTop', 'paddingLeft', 'marginBottom']) {
      const value = parseFloat(style[side]);
      if (value >= 2 && value < 200) lengths.push(value);
    }
    const radius = style.borderTopLeftRadius;
    if (/^[1-9]/.test(radius)) add(radii, radius, 1);
  }

  const pressed = 'button,[role=button],input[type=submit],a[class*=btn i],a[class*=button i]';
  const buttons = [...own(document).querySelectorAll(pressed)].slice(0, 200)
    .filter(isVisible)
    .map(e => ({ style: getComputedStyle(e), at: e.getBoundingClientRect() }))
    .filter(({ at }) => at.width > 40 && at.height > 16)
    .map(({ style }) => style)
    .filter(style => hex(style.backgroundColor) || parseFloat(style.borderTopWidth) > 0);
  const solid = buttons.find(style => hex(style.backgroundColor) && !dull(style.backgroundColor));
  const plain = buttons.find(style => {
    return style !== solid && hex(style.backgroundColor) !== hex(solid?.backgroundColor);
  });
  const button = style => style && clean({
    background: hex(style.backgroundColor),
    textColor: hex(style.color),
    borderRadius: style.borderTopLeftRadius,
  });
  const variable = (...words) => {
    const names = words.flatMap(word => [`--${word}`, `--color-${word}`, `--${word}-color`, `--bs-${word}`]);
    for (const name of names) {
      const value = root.getPropertyValue(name).trim();
      // Some variables are three numbers for use in rgb(...), which are no color.
      if (value && CSS.supports('color', value)) return hex(value);
    }
  };

  const link = one('main a[href],article a[href],p a[href]') ?? one('a[href]');
  const isDark = /dark/.test(root.colorScheme) && !/light/.test(root.colorScheme);
  const background =
    hex(page.backgroundColor) ?? hex(root.backgroundColor) ?? (isDark ? '#121212' : '#ffffff');
  const [r, g, b] = rgba(background);
  const of = (selector, property) => {
    const element = one(selector);
    return element && getComputedStyle(element)[property];
  };
  const text = 'main p,article p,p';
  const theme = meta('theme-color');
  const isMostly = unit => lengths.filter(length => length % unit < 0.01).length * 10 >= lengths.length * 6;
  const icon = own(document).querySelector('link[rel~="icon" i],link[rel="apple-touch-icon" i]');
  const favicon = web(icon?.getAttribute('href') ?? '/favicon.ico');
  const logo = logoOf();
  return {
    colorScheme: 0.299 * r + 0.587 * g + 0.114 * b < 128 ? 'dark' : 'light',
    ...clean({ logo }),
    colors: clean({
      primary: variable('primary', 'brand')
        ?? (solid && hex(solid.backgroundColor))
        ?? (theme && CSS.supports('color', theme) ? hex(theme) : undefined)
        ?? top(fills)[0]?.[0],
      secondary: variable('secondary') ?? top(fills)[1]?.[0],
      accent: variable('accent', 'highlight') ?? top(fills)[2]?.[0],
      background,
      textPrimary: hex(of(text, 'color') ?? page.color),
      textSecondary: variable('text-secondary', 'text-muted', 'muted'),
      link: link && hex(getComputedStyle(link).color),
    }),
    fonts: top(fonts).slice(0, MAX_FONTS).map(([family, count]) => ({ family, count })),
    typography: {
      fontFamilies: clean({
        primary: family(of(text, 'fontFamily') ?? page.fontFamily),
        heading: family(of('h1,h2', 'fontFamily')),
        code: family(of('code,pre', 'fontFamily')),
      }),
      fontSizes: clean({
        body: of(text, 'fontSize') ?? page.fontSize,
        h1: of('h1', 'fontSize'),
        h2: of('h2', 'fontSize'),
        h3: of('h3', 'fontSize'),
      }),
    },
    spacing: clean({
      baseUnit: lengths.length >= 4 ? [8, 5, 4].find(isMostly) ?? 4 : undefined,
      borderRadius: top(radii)[0]?.[0],
    }),
    components: clean({ buttonPrimary: button(solid ?? buttons[0]), buttonSecondary: button(plain) }),
    images: clean({ logo, favicon, ogImage: meta('og:image') && web(meta('og:image')) }),
  };

  function logoOf() {
    let best, most = 0;
    for (const image of [...own(document).querySelectorAll('img,svg')].slice(0, 300)) {
      const box = image.getBoundingClientRect();
      if (!isVisible(image) || box.width < 16 || box.height < 10) continue;
      if (box.top + scrollY > 400 || box.width > innerWidth * 0.7) continue;
      const home = image.closest('a[href]');
      const isHome = home && home.pathname?.length <= 4 && home.host === location.host;
      const parent = own(image.parentElement);
      const near = [image, parent, own(parent?.parentElement)].filter(Boolean);
      const isNamed = near.some(namesLogo);
      const inHeader = image.closest('header,nav,[role=banner]');
      const rank = (isNamed ? 3 : 0) + (isHome ? 2 : 0) + (inHeader ? 1 : 0);
      if (rank < 3 || rank <= most) continue;
      const address = image.localName === 'svg' ? drawing(image) : web(image.currentSrc || image.src);
      if (!address) continue;
      best = address;
      most = rank;
    }
    return best;
  }

  function namesLogo(element) {
    const [kind, alt, label, source] =
      ['class', 'alt', 'aria-label', 'src'].map(name => element.getAttribute(name) || '');
    return /logo|brand/i.test(`${element.id} ${kind} ${alt} ${label} ${source.slice(0, 300)}`);
  }

  // An inline drawing has no address, so a small one becomes a `data:` URI.
  function drawing(svg) {
    const text = new XMLSerializer().serializeToString(svg).toWellFormed();
    const isSmall = text.length < 20000 && !/<use[\s>]/.test(text);
    return isSmall ? `data:image/svg+xml,${encodeURIComponent(text)}` : undefined;
  }
}
