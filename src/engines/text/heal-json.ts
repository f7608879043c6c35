import type { HealedJson } from '../../engine-api/engines.ts'
import { healAnswer } from '../../hooks/healing/heal-answer.ts'
import { inSteps } from '../pool/in-steps.ts'

/** Mends an answer that was too long, or whose schema was too much, for the event loop. */
export function healLongJson({ content, schema }: { content: string; schema: string }): HealedJson {
  const rules: unknown = JSON.parse(schema)
  return inSteps('The answer and its schema are too large to be checked', (budget) => {
    return healAnswer(content, rules, budget)
  })
}
