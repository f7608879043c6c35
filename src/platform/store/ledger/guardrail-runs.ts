import { storableJson } from '../json/storable-json.ts'

// What guardrails did in a call, as the journal and the store keep it: lists without names. Texts are never a part of it.

/** What one check did: the guardrail, the outcome, the check (null for what no check can read), how often, and what was found. */
export type StoredGuardrailRun = [
  guardrail: string,
  outcome: string,
  check: string | null,
  count: number,
  ...rules: string[],
]

/** A project has few guardrails, and a service may name many things that it has found. */
const MAX_CHARS = 8 * 1024

/** The text for the store. What is too long loses what was found first, and then the last runs. */
export function writeGuardrailRuns(runs: readonly StoredGuardrailRun[] | null): string | null {
  if (runs === null) return null
  const text = storableJson(runs)
  if (text.length <= MAX_CHARS) return text
  const shorter = runs.map(([guardrail, outcome, check, count]) => [guardrail, outcome, check, count])
  while (storableJson(shorter).length > MAX_CHARS) shorter.pop()
  return storableJson(shorter)
}

export function readGuardrailRuns(text: string | null): StoredGuardrailRun[] {
  try {
    return (text === null ? [] : JSON.parse(text)) as StoredGuardrailRun[]
  } catch {
    return []
  }
}

/** The ids of guardrails that only passed. */
export function writePassed(ids: readonly string[] | null): string | null {
  return ids && storableJson(ids)
}

/** How the runs of a guardrail begin in the text. Only a run begins with a bracket and a quote, because quotes inside of texts are escaped. */
export function beginningOfRun(guardrail: string, outcome?: string): string {
  const begun = `[${JSON.stringify(guardrail)},`
  return outcome === undefined ? begun : `${begun}${JSON.stringify(outcome)},`
}
