import type { AppContext } from '../app/context.ts'
import { problem } from '../contract/problems.ts'

/** The keys are in the store, which may not have been reached since the start of this process. */
export function webhookKeysOf({ webhookKeys }: Pick<AppContext, 'webhookKeys'>) {
  const keys = webhookKeys()
  if (!keys) throw problem('unavailable', { retryAfterSeconds: 2 })
  return keys
}
