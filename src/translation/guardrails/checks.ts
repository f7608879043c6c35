import type { CheckName } from '../../contract/admin/guardrails.ts'
import type { Check } from './check.ts'
import patterns from './local/patterns.ts'
import personalData from './local/personal-data.ts'
import secrets from './local/secrets.ts'

/**
 * All checks by their names, which the contract lists in the order in which they run: what is inside of the gateway, then what
 * rewrites, then what only judges. A check that rewrites sees what those before it have left, so what is removed here is sent
 * nowhere else.
 */
export const CHECKS: Readonly<Record<CheckName, Check>> = {
  patterns,
  secrets,
  personal_data: personalData,
}
