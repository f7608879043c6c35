import { type LimitSettings, THINKING_FIRST_TOKEN_MS, type TimeLimits } from '../config/limits.ts'

type RequestView = { provider: string; id: string; thinks: boolean }

/** The limits of one model: the usual ones, the provider's, its own; the nearest word wins. */
export function limitsFor(
  { provider, id, thinks }: RequestView,
  fallback: TimeLimits,
  settings: LimitSettings,
): TimeLimits {
  const patient = thinks ? { firstTokenMs: Math.max(fallback.firstTokenMs, THINKING_FIRST_TOKEN_MS) } : {}
  return { ...fallback, ...patient, ...settings[provider], ...settings[id] }
}
