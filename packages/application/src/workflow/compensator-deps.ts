// What everything needs that drives workflows.
import { type ProposeDeps } from '../propose/propose.ts';
import { type Workflows } from './workflows.ts';

export interface CompensatorDeps extends ProposeDeps {
  readonly workflows: Workflows;
}
