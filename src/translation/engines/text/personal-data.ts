import type { Engines } from '../../engine-api/engines.ts'
import { scanText } from '../../hooks/pii/scan-text.ts'

/** Finds personal data that is recognizable by its form. */
export function findPersonalDataIn({ parts, kinds }: Engines['redact_pii']['input']): Engines['redact_pii']['output'] {
  return parts.map(({ text, isAll, state }) => scanText(text, { kinds, isAll, state }))
}
