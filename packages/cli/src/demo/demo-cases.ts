// The cases in the order they are shown.
import { approvals } from './cases/approvals.ts';
import { changes } from './cases/changes.ts';
import { crashes } from './cases/crashes.ts';
import { doubts } from './cases/doubts.ts';
import { repeats } from './cases/repeats.ts';
import { type DemoCase } from './demo-case.ts';

export const demoCases: readonly DemoCase[] = [
  repeats.laterTurn,
  repeats.redelivered,
  repeats.race,
  repeats.otherArguments,
  doubts.lostResponse,
  doubts.lostRequest,
  doubts.lateArrival,
  doubts.errorAfter,
  crashes.beforeEffect,
  crashes.afterEffect,
  changes.corrected,
  changes.undone,
  changes.setAndSetBack,
  approvals.approvedTwice,
  approvals.rejectedThenApproved,
  doubts.manualUnknown,
];
