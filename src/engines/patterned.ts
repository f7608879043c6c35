import type { Engines } from '../contract/engines.ts'
import { scanText } from '../hooks/pii/scan-text.ts'

/** Looks for personal data that is told by its form. */
export function findPatterned({ parts, kinds }: Engines['patterned']['input']): Engines['patterned']['output'] {
  return parts.map(({ text, isAll, state }) => scanText(text, { kinds, isAll, state }))
}
