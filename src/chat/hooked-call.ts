import type { Call } from '../calls/call.ts'
import type { HookRun } from '../hooks/hook.ts'

/** What hooks leave on a call: what ran, and what it cost before the model's own cost is known. */
export type HookedCall = Call & { hooks: HookRun[]; hookCost: number | null }
