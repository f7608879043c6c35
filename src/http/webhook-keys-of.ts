import { problem } from '../contract/problems.ts'
import type { JobServices } from '../jobs/job-services.ts'

/** The keys are in the store, which may not have been reached since the start of this process. */
export function webhookKeysOf({ webhookKeys }: Pick<JobServices, 'webhookKeys'>) {
  const keys = webhookKeys.current
  if (!keys) throw problem('unavailable', { retryAfterSeconds: 2 })
  return keys
}
