import type { Credential } from '../config/provider-settings.ts'
import type { Tools } from '../features/feature.ts'
import type { Call } from './call.ts'
import { keepResult } from './files.ts'
import type { Outside } from './outside.ts'
import { linkTo } from './result-links.ts'
import type { TaskTarget } from './task-route.ts'

/** The way out for an adapter: its provider's address and key, and a place for files that it makes. */
export function toolsFor({ provider }: TaskTarget, { secret }: Credential, call: Call, outside: Outside): Tools {
  return {
    send: outside.send,
    limits: outside.limits,
    signal: call.signal,
    baseUrl: provider.baseUrl,
    credential: secret,
    keep: async (file) => linkTo(await keepResult(file, call.caller.owner, outside.files), outside.links),
  }
}
