import { type LimitSettings, THINKING_FIRST_TOKEN_MS, type TimeLimits } from '../config/limits.ts'

type Asked = { provider: string; id: string; thinks: boolean }

/** The limits of one model: the usual ones, the provider's, its own; the nearest word wins. */
export function limitsFor({ provider, id, thinks }: Asked, usual: TimeLimits, settings: LimitSettings): TimeLimits {
  const patient = thinks ? { firstTokenMs: Math.max(usual.firstTokenMs, THINKING_FIRST_TOKEN_MS) } : {}
  return { ...usual, ...patient, ...settings[provider], ...settings[id] }
}
