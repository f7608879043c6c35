import type { Caller } from '../../src/tenants/access/caller.ts'
import { projectOwner } from '../../src/platform/store/owner.ts'

/** A caller that may do everything, for tests that are not about callers. */
export const ANY_CALLER: Caller = {
  keyId: 'k',
  keyName: 'test',
  ...projectOwner({ organization: 'default', project: 'default' }),
  user: null,
  kind: 'live',
  region: 'global',
  scopes: null,
  expiresAt: null,
  allowedIps: null,
  policy: null,
}
