// The peer of `rendering speed`: Playwright with the same Chromium, one context for each page.
//
// Arguments: a folder of node modules with `playwright-core`, and the program of Chromium. Reads commands as
// lines of JSON, and answers each with one. The first line says which browser runs, or why none does.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, executablePath] = process.argv.slice(-2);
const say = answer => process.stdout.write(JSON.stringify(answer) + '\n');

let launch;
let browser;
try {
  const { chromium } = await import(pathToFileURL(`${folder}/playwright-core/index.mjs`));
  launch = () => chromium.launch({ executablePath, chromiumSandbox: true });
  browser = await launch();
  say({ version: browser.version() });
} catch (error) {
  say({ skipped: String(error.message).split('\n')[0] });
  process.exit(0);
}

// Renders a page, and gives its HTML.
async function render(browser, url, until) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: until });
    return await page.content();
  } finally {
    await context.close();
  }
}

let held = [];

const commands = {
  // Renders pages, some at once, and counts those that have a text.
  async render({ urls, lanes, until, text }) {
    const before = process.cpuUsage();
    const began = performance.now();
    const left = [...urls];
    let complete = 0;
    const lane = async () => {
      for (let url = left.pop(); url; url = left.pop()) {
        const html = await render(browser, url, until);
        complete += html.includes(text);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - began) / 1000, complete, cpu_seconds: (user + system) / 1e6 };
  },

  // The time until a new browser has rendered its first page.
  async cold({ url }) {
    const began = performance.now();
    const another = await launch();
    await render(another, url, 'load');
    const seconds = (performance.now() - began) / 1000;
    await another.close();
    return { seconds };
  },

  // Opens pages and keeps them.
  async hold({ urls }) {
    for (const url of urls) {
      const context = await browser.newContext();
      held.push(context);
      await (await context.newPage()).goto(url);
    }
    return { held: held.length };
  },

  async release() {
    await Promise.all(held.map(context => context.close()));
    held = [];
    return { held: 0 };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  try {
    say(await commands[command.do](command));
  } catch (error) {
    say({ failed: String(error.message).split('\n')[0] });
  }
}
await browser.close();
