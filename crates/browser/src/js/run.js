// run(source, limit): runs a script of the user in the page's own world, and gives its value as bounded JSON
// text: {type, json} or {error}. `limit` bounds the characters of the text and the parts of the value. A page
// that has replaced `JSON` or `eval` can change only this answer, which the caller checks again.
//
// `Runtime.evaluate` calls it, with `allowUnsafeEvalBlockedByCSP`: `Runtime.callFunctionOn` obeys the page's
// content security policy.
async function run(source, limit) {
  // An indirect call: the script sees the page's globals, and nothing of this function.
  const evaluate = /^function eval\(\) \{\s*\[native code\]/.test(String(eval)) ? eval : asFunction;
  let value;
  try {
    try {
      value = evaluate(source);
    } catch (error) {
      // These are faults of syntax, so nothing of it has run. It may be one expression with `await`, or the
      // body of a function.
      if (!/Illegal return statement|await is only valid/.test(error && error.message)) throw error;
      try {
        value = evaluate(`(async () => (${source.replace(/;\s*$/, '')}\n))()`);
      } catch {
        value = evaluate(`(async () => {${source}\n})()`);
      }
    }
    value = await value;
  } catch (error) {
    const text = error && error.message ? `${error.name || 'Error'}: ${error.message}` : String(error);
    return { error: text.slice(0, 500).toWellFormed() };
  }
  const type = typeof value, above = [];
  // Old libraries add `toJSON` to every array or text, which would be written as text then.
  const added = [Array, Object, String, Number, Boolean].map(({ prototype }) => [
    prototype, Object.getOwnPropertyDescriptor(prototype, 'toJSON'),
  ]).filter(([, own]) => own?.configurable);
  let nodes = 0, json;
  try {
    for (const [prototype] of added) delete prototype.toJSON;
    json = JSON.stringify(value, function (key, item) {
      // `this` contains the item. Only what is above it in the path stays in `above`.
      while (above.length && above[above.length - 1] !== this) above.pop();
      if (++nodes > limit) throw new RangeError(`the result has more than ${limit} parts`);
      if (typeof item === 'bigint') return String(item);
      // Half of a surrogate pair is no text for the caller.
      if (typeof item === 'string') return item.toWellFormed();
      if (typeof item !== 'object' || item === null) return item;
      if (above.includes(item)) return '[Circular]';
      if (above.length > 100) return '[Deep]';
      above.push(item);
      return item;
    });
  } catch (error) {
    return { error: `the result cannot be written as JSON: ${String(error).slice(0, 300).toWellFormed()}` };
  } finally {
    for (const [prototype, own] of added) Object.defineProperty(prototype, 'toJSON', own);
  }
  if (json === undefined) return { type, json: 'null' };
  if (json.length > limit) {
    return { error: `the result has ${json.length} characters as JSON, more than ${limit}` };
  }
  return { type, json };

  // Some pages replace `eval`, so that nobody is talked into running code there. A script of statements gives
  // its value with `return` then.
  function asFunction(source) {
    const Body = (async () => {}).constructor;
    let body;
    try {
      body = new Body(`return (${source.replace(/;\s*$/, '')}\n)`);
    } catch {
      body = new Body(source);
    }
    return body();
  }
}
