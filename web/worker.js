// Loads the engine's worker (web/src/bin/worker.rs). Nobody outside a worker hears of a promise that was broken in it; the page
// hears of an error.
importScripts('./worker.js');
wasm_bindgen({ module_or_path: './worker_bg.wasm' }).catch((error) => { setTimeout(() => { throw error; }); });
