// own(node): the node as its interface defines it. Fields of a form, and named elements of a document, hide
// properties and methods of theirs: `form.textContent` may be a field. Other nodes are returned as they are.
// Each script that reads nodes of a page begins with this function.
function own(node) {
  const kind = Object.prototype.toString.call(node);
  const { prototype } = kind === '[object HTMLFormElement]' ? HTMLFormElement : Document;
  if (prototype === Document.prototype && !/Document\]$/.test(kind)) return node;
  return new Proxy(node, {
    get(_, name) {
      const value = Reflect.get(prototype, name, node);
      return typeof value === 'function' ? value.bind(node) : value;
    },
    set(_, name, value) {
      return Reflect.set(prototype, name, value, node);
    },
  });
}
