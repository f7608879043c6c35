import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { type HolderQuota, hasRoom } from '../../platform/store/limits/stored-limits.ts'
import { MAX_STORED_LIMITS } from './limit-cache.ts'
import type { LimitLevel } from './limit-rights.ts'

// Every call looks at all limits of its key, user, project and organization, and all limits share one maximum. So each of these
// holders has a maximum of its own. Each level of rights is counted apart: a member who has used up the maximum does not keep a
// manager from adding a limit.

const MAX_OF_HOLDER: Readonly<Record<string, number>> = { key: 20, user: 20, project: 100, organization: 100 }

/** How many limits the holder of this one may have. Only the installation sets limits for all callers and for end users, as many as it likes. */
export function quotaOf({ appliesTo }: Pick<Limit, 'appliesTo'>, setBy: LimitLevel): HolderQuota {
  return { appliesTo, setBy, max: MAX_OF_HOLDER[appliesTo.holder] ?? MAX_STORED_LIMITS }
}

/** Throws if the holder has as many limits as it may have. */
export async function demandQuota(db: Database, quota: HolderQuota | undefined): Promise<void> {
  if (!quota || (await hasRoom(db, quota))) return
  const { holder, id } = quota.appliesTo
  const message = `applies_to: ${holder}:${id} has ${quota.max} limits already, which is the maximum. Delete or change one of them.`
  throw problem('validation_error', { message, param: 'applies_to' })
}
