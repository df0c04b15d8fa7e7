// Thrown where a program starts with tools that its ledger does not take as they are declared now: what
// decides identity has changed without a new identityVersion, or the name belongs to another.
import { type Refusal } from '@action-ledger/domain';

export class RegistrationRefused extends Error {
  readonly code: string;
  readonly refusal: Refusal;

  constructor(no: Refusal) {
    super(no.message);
    this.name = 'RegistrationRefused';
    this.code = no.code;
    this.refusal = no;
  }
}
