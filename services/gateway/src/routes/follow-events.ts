// GET /v1/events: the events of the tenant's actions as they are recorded (server-sent events).
import { z } from 'zod';
import { unauthenticated } from '../admit.ts';
import { problem } from '../answers/http-answer.ts';
import { position } from '../forms/json.ts';
import { route } from '../route.ts';
import { openWire } from '../stream/response-wire.ts';
import { whenOver } from '../when-over.ts';

export const followEvents = route({
  name: 'followEvents',
  method: 'GET',
  path: '/v1/events',
  tag: 'reading',
  summary: "Follow the events of the tenant's actions (server-sent events)",
  description:
    'Each message has the position of its event as `id`; `Last-Event-ID` resumes after it, nothing left out. Without it, only what is recorded from now on. A comment comes every 15 s. A reader that takes nothing for 30 s is dropped, and every stream ends after an hour: connect again. A stream ends when its key is revoked, and when its key or token expires.',
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .regex(/^\d{1,15}$/)
      .optional()
      .meta({ description: 'The position of the last event that was seen.', examples: ['42'] }),
  }),
  query: z.strictObject({
    after: position().meta({ description: 'As `Last-Event-ID`; 0: from the beginning.' }),
  }),
  answers: {
    200: {
      description: 'A stream of messages.',
      mediaTypes: ['text/event-stream'],
      schema: z.string(),
      headers: ['X-Accel-Buffering'],
      example:
        'id: 42\nevent: ActionSucceeded\ndata: {"position":42,"action":"uHG4G5dVNTZhC0pYHw0fW0w3qgS0wPp9bSxq4bJm3hQ.0","revision":3,"type":"ActionSucceeded","at":1780000000000,"data":{"attempt":1,"result":{"refund":"re_1"}}}\n\n',
    },
  },
  handle: async ({ events, feed, runtime }, { principal, query, headers, letOut }) => {
    const [last] = headers('last-event-id');
    if (last !== undefined && !/^\d{1,15}$/.test(last))
      return problem('request.invalid', {
        detail: 'Last-Event-ID must be the position of an event, a whole number.',
      });
    const seen = last === undefined ? query.after : Number(last);
    // Of a store that has gone back in time: what is recorded from now on is new to this reader.
    const head = await feed.head();
    const after = seen === undefined ? undefined : Math.min(seen, head);
    const { tenant } = principal;
    return {
      refused: () => {
        if (letOut.isOut()) return unauthenticated();
        return events.isFull(tenant) ? problem('request.streams-full') : undefined;
      },
      takeOver: (raw) => {
        const wire = openWire(raw, runtime);
        const gone = events.follow(tenant, { after, head }, wire);
        whenOver(raw, gone);
        letOut.onOut(() => {
          wire.end();
          gone();
        });
      },
    };
  },
});
