// GET /v1/actions/{id}/events: the stream of an action, with the state after each event where asked.
import { z } from 'zod';
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  evolve,
  type JsonObject,
  newAction,
  streamOfAction,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { viewOf } from '../answers/action-view.ts';
import { shownData } from '../answers/shown-data.ts';
import { eventForm } from '../forms/action-forms.ts';
import { ofAction } from '../forms/command-forms.ts';
import { actionId, count, flag, position } from '../forms/json.ts';
import { ownAction } from '../own-action.ts';
import { route } from '../route.ts';

const history = z
  .strictObject({
    action: actionId,
    events: z.array(eventForm),
    next: z.number().int().optional().meta({ description: '`from` of the next page, if any.' }),
  })
  .meta({ id: 'History' });

export const getEvents = route({
  name: 'getEvents',
  method: 'GET',
  path: '/v1/actions/{id}/events',
  tag: 'reading',
  summary: 'The events of an action',
  description: 'Reading history has no effect.',
  params: ofAction,
  query: z.strictObject({
    state: flag.meta({ description: 'With the state after each event.' }),
    from: position().meta({ description: 'The first revision wanted.' }),
    limit: count(1_000, 200),
  }),
  answers: { 200: { description: 'Its events, oldest first.', schema: history } },
  problems: [404],
  handle: async (door, { principal, params, query }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const recorded = await door.feed.readStream(streamOfAction(params.id));
    const from = query.from ?? 0;
    // Of an archived action the first ones are gone.
    const told = eventsTold(params.id, recorded, query.state).filter(
      ({ revision }) => revision >= from,
    );
    const page = told.slice(0, query.limit);
    const next = told[query.limit]?.revision;
    return {
      status: 200,
      body: {
        action: params.id,
        events: page,
        ...(next === undefined ? {} : { next }),
      },
    };
  },
});

function eventsTold(
  id: string,
  recorded: readonly RecordedEvent[],
  withState: boolean,
): readonly (object & { readonly revision: number })[] {
  let action: Action = newAction(id);
  return recorded.map((each) => {
    const { event, metadata, revision, position: at } = unsealActionEvent(each);
    action = evolve(action, event, { revision, at: metadata.at });
    return {
      revision,
      position: at,
      type: event.type,
      at: metadata.at,
      ...(metadata.by === undefined ? {} : { by: metadata.by }),
      data: shownData(event.type, event.data as unknown as JsonObject),
      ...(withState ? { state: viewOf(action) } : {}),
    };
  });
}
