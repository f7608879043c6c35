import { type LimitSettings, THINKING_FIRST_TOKEN_MS, type TimeLimits } from '../config/limits.ts'

type LimitedModel = { provider: string; id: string; thinks: boolean }

/** The time limits of one model: the model's own settings override the provider's, which override the defaults. */
export function limitsFor(
  { provider, id, thinks }: LimitedModel,
  fallback: TimeLimits,
  settings: LimitSettings,
): TimeLimits {
  const reasoning = thinks ? { firstTokenMs: Math.max(fallback.firstTokenMs, THINKING_FIRST_TOKEN_MS) } : {}
  return { ...fallback, ...reasoning, ...settings[provider], ...settings[id] }
}
