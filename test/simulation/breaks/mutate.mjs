// Loads the sources with one deliberate break in them (`node --import …/mutate.mjs`), named in
// SIMULATED_BREAK. The files stay as they are: nothing of it is in what is shipped.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const name = process.env.SIMULATED_BREAK;
const breaks = JSON.parse(readFileSync(new URL('./breaks.json', import.meta.url), 'utf8'));
const found = breaks.find((each) => each.name === name);
if (found === undefined) throw new Error(`no break ${name}`);
const pending = new Set(found.edits.map(({ file }) => file));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edits = found.edits.filter(({ file }) => url.endsWith(`/${file}`));
    if (edits.length === 0) return loaded;
    let source = String(loaded.source ?? readFileSync(fileURLToPath(url), 'utf8'));
    for (const { file, find, put } of edits) {
      if (source.split(find).length !== 2) throw new Error(`${name}: not once in ${file}: ${find}`);
      source = source.replace(find, () => put);
      pending.delete(file);
    }
    return { ...loaded, source };
  },
});
process.on('exit', () => {
  if (pending.size > 0) throw new Error(`${name}: never loaded: ${[...pending].join(', ')}`);
});
