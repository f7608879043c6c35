import type { Caller } from '../../src/access/caller.ts'

/** A caller that may do everything, for tests that are not about callers. */
export const ANY_CALLER: Caller = {
  keyId: 'k',
  keyName: 'test',
  owner: 'o',
  project: 'o',
  organization: 'default',
  user: null,
  kind: 'live',
  region: 'global',
  scopes: null,
  expiresAt: null,
  allowedIps: null,
  policy: null,
}
