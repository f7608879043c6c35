import {
  LAST_FIRST_TOKEN_MS,
  type TimeoutSettings,
  THINKING_FIRST_TOKEN_MS,
  type Timeouts,
} from '../../platform/config/timeouts.ts'

/** The limits of a model. `lastFirstTokenMs`: until the first token of a stream if no other target is left. */
export type ModelTimeouts = Timeouts & { lastFirstTokenMs?: number }

/** `thinks` is undefined if it is not known whether the model reasons. */
type LimitedModel = {
  provider: string
  id: string
  thinks: boolean | undefined
  /** What the alias says that the caller named. */
  own?: Partial<Timeouts> | undefined
}

/**
 * The time limits of one model: an alias overrides the model's own settings, which override the provider's, which override
 * the defaults. An operator who sets how long an answer may take to begin means every answer.
 */
export function timeoutsFor(
  { provider, id, thinks, own }: LimitedModel,
  fallback: Timeouts,
  settings: TimeoutSettings,
): ModelTimeouts {
  const reasoning = thinks ? { firstTokenMs: Math.max(fallback.firstTokenMs, THINKING_FIRST_TOKEN_MS) } : {}
  const timeouts = { ...fallback, ...reasoning, ...settings[provider], ...settings[id], ...own }
  const isSet = [settings[provider], settings[id], own].some((one) => one?.headersMs !== undefined)
  return thinks === false && !isSet ? { ...timeouts, lastFirstTokenMs: LAST_FIRST_TOKEN_MS } : timeouts
}
