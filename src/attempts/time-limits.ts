import {
  LAST_FIRST_TOKEN_MS,
  type LimitSettings,
  THINKING_FIRST_TOKEN_MS,
  type TimeLimits,
} from '../config/time-limits.ts'

/** The limits of a model. `lastFirstTokenMs`: until the first token of a stream if no other target is left. */
export type ModelLimits = TimeLimits & { lastFirstTokenMs?: number }

/** `thinks` is undefined if it is not known whether the model reasons. */
type LimitedModel = {
  provider: string
  id: string
  thinks: boolean | undefined
  /** What the alias says that the caller named. */
  own?: Partial<TimeLimits> | undefined
}

/**
 * The time limits of one model: an alias overrides the model's own settings, which override the provider's, which override
 * the defaults. An operator who sets how long an answer may take to begin means every answer.
 */
export function limitsFor(
  { provider, id, thinks, own }: LimitedModel,
  fallback: TimeLimits,
  settings: LimitSettings,
): ModelLimits {
  const reasoning = thinks ? { firstTokenMs: Math.max(fallback.firstTokenMs, THINKING_FIRST_TOKEN_MS) } : {}
  const limits = { ...fallback, ...reasoning, ...settings[provider], ...settings[id], ...own }
  const isSet = [settings[provider], settings[id], own].some((one) => one?.headersMs !== undefined)
  return thinks === false && !isSet ? { ...limits, lastFirstTokenMs: LAST_FIRST_TOKEN_MS } : limits
}
