// What cannot be read is refused with its reason, and what was written by another version is read.
import { describe, expect, it } from '@jest/globals';
import { newAction } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { releasedSchemas } from '@action-ledger/schemas';
import { readingType, writingType } from './avro-type.ts';
import {
  createDecoders,
  createDecodersBy,
  encodeProposal,
  encodersAsAvro,
  type SchemaSource,
} from './index.ts';
import { frame } from './wire.ts';

const recorded: RecordedEvent = {
  id: 'e-1',
  stream: 'action-a.0',
  revision: 3,
  position: 12,
  type: 'ActionFailed',
  data: '{"reason":"no money"}',
  metadata: `{"at":1780000000000,"format":2,"hash":"${'h'.repeat(43)}"}`,
};
const bytes = encodersAsAvro().event(recorded, 'acme');
const decode = createDecoders();

const schemaOf = (file: 'action.events' | 'action.state'): string =>
  releasedSchemas.find(({ subject }) => subject.startsWith(file))?.schema ?? '';

interface Field {
  readonly name: string;
  readonly [more: string]: unknown;
}
interface Schema {
  readonly fields: readonly Field[];
}

/** As a later release may be: a member more, one with a default less, a symbol more. */
function nextOf(schema: string, without: string): string {
  const known = JSON.parse(schema) as Schema;
  const fields = known.fields
    .filter(({ name }) => name !== without)
    .map((field) =>
      field.name === 'status'
        ? { ...field, type: withSymbol(field['type'] as { readonly symbols: string[] }) }
        : field,
    );
  const more = { name: 'region', type: 'string', default: 'everywhere' };
  return JSON.stringify({ ...known, fields: [more, ...fields] });
}

const withSymbol = (type: { readonly symbols: readonly string[] }): object => ({
  ...type,
  symbols: ['hibernating', ...type.symbols],
});

describe('the wire format', () => {
  it('is a zero byte, the id of the schema in four, and the body', () => {
    expect([...bytes.subarray(0, 5)]).toEqual([0, 0, 0, 0, 1]);
    const ids = { event: 0x01020304, state: 2, proposal: 3 };
    expect([...encodersAsAvro(ids).event(recorded).subarray(0, 5)]).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    ['nothing', new Uint8Array(), 'avro.truncated'],
    ['a head that is cut', bytes.subarray(0, 4), 'avro.truncated'],
    ['a body that is cut', bytes.subarray(0, bytes.length - 1), 'avro.truncated'],
    ['a body that is missing', bytes.subarray(0, 5), 'avro.truncated'],
    ['JSON', Buffer.from('{"data":{}}'), 'avro.magic-byte'],
    [
      'another id',
      Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), bytes.subarray(5)]),
      'avro.unknown-schema',
    ],
    [
      'a state',
      Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), bytes.subarray(5)]),
      'avro.incompatible',
    ],
    ['bytes after the end', Buffer.concat([bytes, Buffer.from([0])]), 'avro.malformed'],
  ])('refuses as an event: %s', (_what, value, code) => {
    expect(() => decode.event(value)).toThrow(expect.objectContaining({ code, retry: 'never' }));
  });

  it('refuses a text that is not UTF-8, and takes the sign that stands for one', () => {
    const asked = encodersAsAvro().event({ ...recorded, type: 'T\ufffdT' });
    expect(decode.event(asked).type).toBe('T\ufffdT');
    const broken = Buffer.from(bytes);
    broken[broken.indexOf('ActionFailed')] = 0xff;
    expect(() => decode.event(broken)).toThrow(expect.objectContaining({ code: 'avro.malformed' }));
  });

  it('reads a record that lies within a larger buffer', () => {
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    expect(decode.event(larger.subarray(6, 6 + bytes.length))).toEqual(decode.event(bytes));
  });
});

describe('another version', () => {
  const next = nextOf(schemaOf('action.events'), 'metadata');
  const source: SchemaSource = { schemaOf: async (id) => (id === 77 ? next : undefined) };

  it('a newer record is read by this program: it loses what is not known here', async () => {
    const { metadata: _gone, ...fields } = writingType(schemaOf('action.events')).fromBuffer(
      Buffer.from(bytes).subarray(5),
    ) as { readonly metadata: string };
    const newer = frame(77, writingType(next).toBuffer({ ...fields, region: 'north' }));
    const read = await createDecodersBy(source).event(newer);
    const { metadata: _known, ...rest } = decode.event(bytes);
    expect(read).toEqual(rest);
  });

  it('an older record is read by a newer program: it gets the defaults of what is new', () => {
    const [newer, older] = [readingType(next), readingType(schemaOf('action.events'))];
    const body = Buffer.from(bytes).subarray(5);
    const read: unknown = newer.fromBuffer(body, newer.createResolver(older));
    expect(read).toMatchObject({ region: 'everywhere', eventId: 'e-1', payload: recorded.data });
  });

  it('a status that is new is another one to an older program, which still has the state', async () => {
    const nextState = nextOf(schemaOf('action.state'), 'code');
    const known = Buffer.from(encodersAsAvro().state(newAction('a.0'))).subarray(5);
    const fields = writingType(schemaOf('action.state')).fromBuffer(known) as object;
    const value = frame(5, writingType(nextState).toBuffer({ ...fields, status: 'hibernating' }));
    const read = await createDecodersBy({ schemaOf: async () => nextState }).state(value);
    expect(read.status).toBe('other');
  });

  it('is not asked for by an id that none can be', async () => {
    const asked: number[] = [];
    const from = createDecodersBy({
      schemaOf: async (id) => {
        asked.push(id);
        throw Object.assign(new Error('away'), { retry: 'safe' });
      },
    });
    const read = await from.proposal(Buffer.from([0, 0x80, 0, 0, 0]));
    expect(read).toMatchObject({ kind: 'unreadable', code: 'avro.unknown-schema' });
    await expect(from.proposal(Buffer.from([0, 0x7f, 255, 255, 255]))).rejects.toThrow('away');
    expect(asked).toEqual([2 ** 31 - 1]);
  });

  it('is asked for once, and what its source throws is passed on', async () => {
    const asked: number[] = [];
    const from = createDecodersBy({
      schemaOf: async (id) => {
        asked.push(id);
        if (asked.length === 1) throw new Error('away');
        return schemaOf('action.events');
      },
    });
    await expect(from.event(bytes)).rejects.toThrow('away');
    await from.event(bytes);
    await from.event(bytes);
    expect(asked).toEqual([1, 1]);
    const proposal = { proposalId: 'p', tenant: 'acme', tool: 'pay', arguments: {} };
    const away = createDecodersBy({ schemaOf: () => Promise.reject(new Error('away')) });
    await expect(away.proposal(encodeProposal(proposal))).rejects.toThrow('away');
    await expect(createDecodersBy(source).event(bytes)).rejects.toMatchObject({
      code: 'avro.unknown-schema',
    });
  });
});
