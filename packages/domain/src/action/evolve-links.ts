// What ties an action to others, and the incidents that are open on it.
import { watchOf } from './evolve-ending.ts';
import { type ActionEvent } from './event.ts';
import { type Action, type Incident } from './state.ts';

export function incidents(
  action: Action,
  event: Extract<
    ActionEvent,
    { type: 'DuplicateEffectDetected' | 'IncidentOpened' | 'IncidentClosed' }
  >,
  revision: number,
): Action {
  switch (event.type) {
    case 'IncidentClosed': {
      const open = action.incidents.filter(({ incident }) => incident !== event.data.incident);
      return { ...action, incidents: open };
    }
    case 'IncidentOpened': {
      const { incident, reason } = event.data;
      return opened(action, { incident, reason, ...watchOf(event.data) });
    }
    case 'DuplicateEffectDetected': {
      const { externalIds, other, proposal } = event.data;
      const found = other === undefined ? { externalIds } : { externalIds, other };
      const next: Action = { ...action, duplicates: [...action.duplicates, found] };
      const incident = `duplicate-${revision}`;
      return opened(next, { incident, reason: proposal, ...watchOf(event.data) });
    }
  }
}

function opened(action: Action, incident: Incident): Action {
  return { ...action, incidents: [...action.incidents, incident] };
}

export function links(
  action: Action,
  event: Extract<
    ActionEvent,
    {
      type:
        | 'ActionUndone'
        | 'ActionSuperseded'
        | 'CompensationPlanned'
        | 'ActionCompensated'
        | 'CompensationFailed';
    }
  >,
  at: number,
): Action {
  const { by } = event.data;
  switch (event.type) {
    case 'ActionUndone':
      return { ...action, undoneBy: by, undoneAt: at };
    case 'ActionSuperseded':
      return { ...unwatched(action), status: 'superseded', supersededBy: by };
    case 'CompensationPlanned':
      return { ...unwatched(action), status: 'compensating', compensatedBy: by };
    case 'ActionCompensated':
      return { ...unwatched(action), status: 'compensated', undoneAt: at };
    case 'CompensationFailed':
      return { ...action, status: 'compensation_failed', watch: watchOf(event.data) };
  }
}

function unwatched(action: Action): Action {
  const { watch: _watch, unknownSince: _since, ...rest } = action;
  return rest;
}
