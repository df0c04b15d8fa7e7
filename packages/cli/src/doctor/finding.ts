// One thing that the doctor has looked at.
export type State = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly says: string;
  /** What to do about it, where something is. */
  readonly fix?: string;
}

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says };
}

export function warn(check: string, says: string, fix: string): Finding {
  return { check, state: 'warn', says, fix };
}

export function fail(check: string, says: string, fix: string): Finding {
  return { check, state: 'fail', says, fix };
}
