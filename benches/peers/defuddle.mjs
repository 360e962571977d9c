// A peer of `evaluate structure`: the Markdown of defuddle.
//
// Argument: a folder of node modules with `defuddle` and `linkedom`. Reads pages as lines of JSON (`{"html",
// "url"}`) and answers each with one (`{"markdown"}` or `{"error"}`). It requests nothing from the network.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const { Defuddle } = await import(pathToFileURL(`${folder}/defuddle/dist/node.js`));
// Messages of the library must not mix with the answers.
console.log = console.warn = console.info = console.debug = () => {};

for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  let answer;
  try {
    const { content } = await Defuddle(html, url, { markdown: true, useAsync: false });
    answer = { markdown: content };
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
