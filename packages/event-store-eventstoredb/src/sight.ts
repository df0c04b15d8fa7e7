// How far the log of the server has been seen. What an append has stored lies above all that was seen
// before it; a repeat does not.

export interface Sight {
  head(): number;
  see(position: number): void;
}

export function createSight(from: number): Sight {
  let head = from;
  return {
    head: () => head,
    see: (position) => {
      head = Math.max(head, position);
    },
  };
}
