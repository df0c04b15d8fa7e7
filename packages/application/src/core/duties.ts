// What a core does by itself, beyond recording what it is told: three duties, each of which can be taken
// up and laid down while it runs. A core without any only records, and others do the rest.

export const allDuties = [
  /** Claims and dispatches what is ready. */
  'send',
  /** Settles unknowns, by sending again too; ended leases, expiries, and what was told only half. */
  'reconcile',
  /** Drives workflows: settles their steps, and undoes them. */
  'compensate',
] as const;

export type Duty = (typeof allDuties)[number];

export interface Duties {
  readonly has: (duty: Duty) => boolean;
  /** It has one at least. */
  any(): boolean;
}

export interface ChangingDuties extends Duties {
  add(duty: Duty): void;
  delete(duty: Duty): void;
}

export function createDuties(initial: readonly Duty[]): ChangingDuties {
  const held = new Set<Duty>(initial);
  return {
    has: (duty) => held.has(duty),
    any: () => held.size > 0,
    add: (duty) => {
      held.add(duty);
    },
    delete: (duty) => {
      held.delete(duty);
    },
  };
}
