// Starts the page from one HTML file, without a server to deliver its parts (web/src/one_file.rs builds the file).
// Fetches of a part are answered from here, and workers start with the parts they need.
const parts = JSON.parse(document.getElementById('parts').textContent);
const start = JSON.parse(document.getElementById('start').textContent);

/** Answers fetches of these parts; returns a function that reads one. Workers contain it as text. */
function serve(parts) {
  const bytes = (name) => Uint8Array.from(atob(parts[name]), (letter) => letter.charCodeAt(0));
  const elsewhere = globalThis.fetch;
  globalThis.fetch = (what, ...rest) => {
    const address = String(what?.url ?? what);
    const name = Object.keys(parts).find((part) => address.endsWith(part));
    return name ? Promise.resolve(new Response(bytes(name))) : elsewhere(what, ...rest);
  };
  return bytes;
}

const bytes = serve(parts);
const text = (name) => new TextDecoder().decode(bytes(name));
const module = (...texts) => URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));

const own = Object.fromEntries([start.trace, start.engine].map((name) => [name, parts[name]]));
const worker = module(
  `const bytes = (${serve})(${JSON.stringify(own)});`, text(start.worker),
  `;wasm_bindgen({ module_or_path: bytes(${JSON.stringify(start.engine)}) }).catch((error) => { setTimeout(() => { throw error; }); });`,
);
globalThis.Worker = class extends Worker {
  constructor() { super(worker); }
};

if (!location.hash) location.hash = start.link;
const page = await import(module(text(start.app)));
await page.default({ module_or_path: bytes(start.page) });
