import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { catalogueFolderBeside, readCatalogue } from './catalogue.ts';

const root = mkdtempSync(join(tmpdir(), 'action-ledger-catalogue-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

let folders = 0;

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = join(root, String((folders += 1)));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const pay = {
  name: 'pay',
  kind: 'write',
  parameters: { type: 'object', properties: {} },
  judgement: { effect: 'additive', note: 'passed over' },
};

describe('readCatalogue', () => {
  it('looks for the catalogue beside the trace', () => {
    expect(catalogueFolderBeside('/data/shop.ndjson.gz')).toBe('/data/catalog');
  });

  it('gives the tools of every domain by name', async () => {
    const catalogue = await readCatalogue(
      folderOf({
        'shop.json': { domain: 'shop', tools: [pay, { ...pay, name: 'see', kind: 'read' }] },
        'bank.json': { domain: 'bank', tools: [pay] },
        'notes.txt': 'not a catalogue',
      }),
    );
    expect([...catalogue.keys()]).toEqual(['bank', 'shop']);
    expect([...(catalogue.get('shop')?.keys() ?? [])]).toEqual(['pay', 'see']);
    expect(catalogue.get('bank')?.get('pay')).toMatchObject({
      kind: 'write',
      judgement: { effect: 'additive' },
    });
  });

  it('says what to do when there is none', async () => {
    await expect(readCatalogue(join(root, 'none'))).rejects.toThrow(/put catalog\/<domain>.json/);
  });

  it.each([
    ['no JSON', { 'shop.json': '{' }, /shop\.json/],
    [
      'a write that nobody judged',
      { 'shop.json': { domain: 'shop', tools: [{ ...pay, judgement: undefined }] } },
      /the tool pay is a write without a judgement: what/,
    ],
    [
      'an unknown effect',
      { 'shop.json': { domain: 'shop', tools: [{ ...pay, judgement: { effect: 'magic' } }] } },
      /the tool pay: judgement\.effect is/,
    ],
    ['a file without tools', { 'shop.json': { domain: 'shop' } }, /the file: tools is missing/],
    ['two tools of one name', { 'shop.json': { domain: 'shop', tools: [pay, pay] } }, /one name/],
    [
      'a domain twice',
      { 'a.json': { domain: 'shop', tools: [] }, 'b.json': { domain: 'shop', tools: [] } },
      /twice/,
    ],
  ])('refuses %s', async (_, files, message) => {
    await expect(readCatalogue(folderOf(files))).rejects.toThrow(message);
  });
});
