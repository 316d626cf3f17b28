// What the page shows first, what comes of its first run, and the trace that comes with it, made by the engine that the page runs:
//
//   node web/picture.mjs ENGINE.js TRACE.csv.gz COLUMNS FIRST > PICTURES.json
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [program, file, columns, first] = process.argv.slice(2);
const engine = createRequire(import.meta.url)(path.resolve(program));
const trace = fs.readFileSync(file);
fs.writeFileSync(columns, engine.columns(path.basename(file), trace));
fs.writeFileSync(first, engine.first(path.basename(file), trace));
console.log(JSON.stringify(engine.picture(path.basename(file), trace)));
