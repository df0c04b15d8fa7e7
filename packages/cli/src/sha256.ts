// The digest that the ledger names and chains by.
import { hash } from 'node:crypto';
import { type Sha256 } from '@action-ledger/domain';

export const sha256: Sha256 = (text) => hash('sha256', text, 'base64url');
