// The text of a PDF that Chromium printed, and its number of pages.
//
// Chromium writes glyph numbers, and for every font a table from those to letters. This reads both; it does not
// support PDFs from other programs.
import zlib from 'node:zlib';

/** `{ pages, text }` of a file's bytes; white space is removed from the text, since a PDF has none between words. */
export function readPdf(bytes) {
  const file = bytes.toString('latin1');
  const objects = new Map([...file.matchAll(/(\d+) 0 obj\s([\s\S]*?)\sendobj/g)].map(([, id, body]) => [id, body]));
  const letters = new Map();
  const table = (font) => {
    if (!letters.has(font)) {
      const [, id] = objects.get(font)?.match(/\/ToUnicode (\d+) 0 R/) ?? [];
      letters.set(font, id ? readTable(stream(objects.get(id))) : new Map());
    }
    return letters.get(font);
  };
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body));
  const text = pages.map((page) => {
    const resources = page.match(/\/Resources (\d+) 0 R/)?.[1];
    const names = resources ? objects.get(resources) : page;
    const fonts = new Map([...names.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => [name, id]));
    return words(stream(objects.get(page.match(/\/Contents (\d+) 0 R/)[1])), (name) => table(fonts.get(name)));
  });
  return { pages: pages.length, text: text.join('') };
}

function stream(body) {
  const from = body.indexOf('stream') + 'stream'.length;
  const raw = Buffer.from(body.slice(from).replace(/^\r?\n/, ''), 'latin1');
  return (body.includes('/FlateDecode') ? zlib.inflateSync(raw, { finishFlush: zlib.constants.Z_SYNC_FLUSH }) : raw).toString('latin1');
}

/** Glyphs and their letters, as they are in a table: `<0003> <0020>`, or `<0003> <0005> <0020>` for a range. */
function readTable(source) {
  const found = new Map();
  const hex = (digits) => parseInt(digits, 16);
  const letter = (digits) => String.fromCharCode(...digits.match(/.{4}/g).map(hex));
  for (const [, part] of source.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph, to] of part.matchAll(/<(\w+)>\s*<(\w+)>/g)) found.set(hex(glyph), letter(to));
  }
  for (const [, part] of source.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, first, last, to] of part.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      for (let glyph = hex(first); glyph <= hex(last); glyph += 1) found.set(glyph, String.fromCharCode(hex(to) + glyph - hex(first)));
    }
  }
  return found;
}

function words(content, tableOf) {
  let letters = new Map();
  const shown = [];
  for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-fA-F]+)>/g)) {
    if (font) letters = tableOf(font);
    else for (const glyph of glyphs.match(/.{4}/g) ?? []) shown.push(letters.get(parseInt(glyph, 16)) ?? '');
  }
  return shown.join('').normalize('NFKC').replace(/\s/g, '');
}
