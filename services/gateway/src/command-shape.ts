// The head that the routes of commands share: what they are aimed at, and what they can be answered with.
import {
  commandDone,
  commandProblems,
  ifMatch,
  ifMatchAndPrefer,
  ofAction,
} from './forms/command-forms.ts';
import { proposalAnswers, proposalProblemHeaders } from './routes/proposal-answers.ts';

/** Answered with the action as it now is. */
export const commandsAction = {
  method: 'POST',
  tag: 'people',
  params: ofAction,
  headers: ifMatch,
  answers: { 200: commandDone },
  problems: commandProblems,
  // With the action as it is.
  problemHeaders: { 400: ['ETag'], 404: ['ETag'], 409: ['ETag'], 412: ['ETag'] },
} as const;

/** Answered as the proposal of the action that it brings about. */
export const bringsAbout = {
  ...commandsAction,
  headers: ifMatchAndPrefer,
  answers: proposalAnswers,
  problemHeaders: {
    ...commandsAction.problemHeaders,
    403: [...proposalProblemHeaders[403], 'ETag'],
    413: ['ETag'],
    429: ['ETag'],
    503: ['ETag'],
  },
} as const;
