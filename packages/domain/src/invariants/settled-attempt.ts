// Which attempt an event settles.
import { type ActionEvent } from '../action/event.ts';

/** Undefined where it settles none. */
export function attemptSettledBy(event: ActionEvent): number | undefined {
  switch (event.type) {
    case 'RetryPlanned':
    case 'AttemptNotSent':
    case 'AttemptRefused':
    case 'ActionOutcomeUnknown':
    case 'ActionSucceeded':
    case 'ActionFailed':
      return event.data.attempt;
    case 'ActionPlanned':
    case 'ActionDenied':
    case 'ApprovalRequested':
    case 'ApprovalVoted':
    case 'ActionApproved':
    case 'ActionRejected':
    case 'ActionExpired':
    case 'ActionCancelled':
    case 'ActionClaimed':
    case 'ClaimExtended':
    case 'ClaimEnded':
    case 'ActionDispatched':
    case 'AttemptPresumed':
    case 'ReconciliationChecked':
    case 'ActionReconciled':
    case 'OwnerAssigned':
    case 'EvidenceRecorded':
    case 'DuplicateEffectDetected':
    case 'CallJoined':
    case 'ActionUndone':
    case 'CompensationPlanned':
    case 'ActionCompensated':
    case 'CompensationFailed':
    case 'CancelRequested':
    case 'ActionSuperseded':
    case 'IncidentOpened':
    case 'IncidentClosed':
    case 'ActionArchived':
    case 'NameReserved':
      return undefined;
  }
}
