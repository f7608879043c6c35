import type { Check } from './check.ts'

/**
 * All checks, in the order in which they run: patterns, secrets, personal data, moderation, services, judge. A check that rewrites sees
 * what those before it have left, so what is removed here is sent to nobody else.
 */
export const CHECKS: Readonly<Record<string, Check>> = {}
