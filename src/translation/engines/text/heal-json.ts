import type { HealedJson } from '../../engine-api/engines.ts'
import { healAnswer } from '../../hooks/healing/heal-answer.ts'
import { inSteps } from '../pool/in-steps.ts'

/** Repairs an answer that is too long, or whose schema is too expensive, for the event loop. */
export function healLongJson({ content, schema }: { content: string; schema: string }): HealedJson {
  const rules: unknown = JSON.parse(schema)
  return inSteps('The answer and its schema are too large to be checked', (budget) => {
    return healAnswer(content, rules, budget)
  })
}
