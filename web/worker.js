// Loads the engine's worker (web/src/bin/worker.rs). The page is not notified of a rejected promise in a worker, but
// it is notified of an error.
importScripts('./worker.js');
wasm_bindgen({ module_or_path: './worker_bg.wasm' }).catch((error) => { setTimeout(() => { throw error; }); });
