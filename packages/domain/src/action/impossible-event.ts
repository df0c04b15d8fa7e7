// Thrown while folding: the stream holds an event that cannot follow what came before it. It is
// damaged, or was written by a bug, or by a newer version that knows more events.
import { type Action } from './state.ts';

export class ImpossibleEvent extends Error {
  constructor(action: Action, event: { readonly type: string }) {
    super(
      `${event.type} cannot follow in status ${action.status} (${action.id}, revision ${action.revision})`,
    );
    this.name = 'ImpossibleEvent';
  }
}
