import { type Ability, firstOf } from './ability.ts'
import type { Candidate } from './candidate.ts'
import type { RoutingPreferences } from './preferences.ts'
import type { Shape } from './score.ts'

export type Reason = Ability | keyof typeof OTHER_REASONS

export type Refused = { id: string; reason: Reason }

/** Whether the circuit of a target is open. */
export type CircuitIsOpen = (target: { id: string; provider: string }) => boolean

const OTHER_REASONS = {
  unknown: 'is not known here',
  not_a_chat_model: 'is not a chat model',
  not_configured: 'its provider has no credential here',
  scope: 'this key may not use it',
  policy: 'the policy of its project or key does not allow it',
  region: "is not available in this key's region",
  provider_not_allowed: 'its provider is not allowed',
  context_length: 'its context is too short',
  output_length: 'its answers are too short',
  circuit_open: 'is paused after failures',
}

/** Each text follows the name of a model. */
export const WHY: Record<Reason, string> = {
  ...OTHER_REASONS,
  vision: 'does not accept images',
  files: 'does not accept files',
  audio_input: 'does not accept audio',
  audio_output: 'does not produce audio',
  image_output: 'does not produce images',
  tools: 'does not call tools',
  json_schema: 'does not support JSON schemas',
  json_schema_with_tools: 'does not support tools together with a JSON schema',
  web_search: 'does not search the web',
  streaming: 'does not stream',
}

/** Why this candidate cannot take this request. The circuit comes last: it is only the reason if everything else fits. */
export function refusalOf(
  candidate: Candidate,
  { needs, neededMask }: Shape,
  { preferences, circuitIsOpen }: { preferences: RoutingPreferences; circuitIsOpen: CircuitIsOpen },
): Reason | undefined {
  const { promptTokens, maxOutputTokens } = needs
  const { allowedProviders } = preferences
  if (allowedProviders && !allowedProviders.includes(candidate.provider)) return 'provider_not_allowed'
  const missing = candidate.lacking & neededMask
  if (missing !== 0) return firstOf(missing)
  const { output, context } = candidate
  if (maxOutputTokens !== null && output !== null && maxOutputTokens > output) return 'output_length'
  if (context !== null && promptTokens + (maxOutputTokens ?? 0) > context) return 'context_length'
  return circuitIsOpen(candidate) ? 'circuit_open' : undefined
}
