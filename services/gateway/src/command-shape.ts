// The head that the routes of commands share: what they are aimed at, and what they can be answered with.
import { commandDone, commandProblems, ifMatch, ofAction } from './forms/command-forms.ts';
import { proposalAnswers } from './routes/proposal-answers.ts';

/** Answered with the action as it now is. */
export const commandsAction = {
  method: 'POST',
  tag: 'people',
  params: ofAction,
  headers: ifMatch,
  answers: { 200: commandDone },
  problems: commandProblems,
} as const;

/** Answered as the proposal of the action that it brings about. */
export const bringsAbout = {
  ...commandsAction,
  answers: proposalAnswers,
  problems: [...commandProblems, 422],
} as const;
