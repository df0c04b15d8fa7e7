// Colour with a meaning: green is settled well, yellow is open or doubtful, red is wrong. Never the
// only carrier of it, and only where a terminal shows it.
import { styleText } from 'node:util';
import type { ActionStatus } from '@action-ledger/domain';

export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly open: Paint;
  readonly bad: Paint;
}

type Format = Parameters<typeof styleText>[0];

export function createStyle(isColoured: boolean): Style {
  const paint =
    (format: Format): Paint =>
    (text) =>
      isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    good: paint('green'),
    open: paint('yellow'),
    bad: paint('red'),
  };
}

export function paintOf(style: Style, status: ActionStatus): Paint {
  switch (status) {
    case 'succeeded':
    case 'compensated':
      return style.good;
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
    case 'compensating':
      return style.open;
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'compensation_failed':
      return style.bad;
    case 'new':
    case 'reserved':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return style.dim;
  }
}
