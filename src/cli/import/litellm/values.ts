import type { Environment } from '../../../platform/config/environment.ts'

const REFERENCE = /^os\.environ\/(.+)$/

/** A text of the source: written there, or in a variable that the source names. */
type SourceText = { variable: string } | { text: string }

/** LiteLLM reads `os.environ/NAME` as the variable NAME. Undefined for what is no text or number. */
export function textOf(value: unknown): SourceText | undefined {
  if (typeof value === 'number') return { text: String(value) }
  if (typeof value !== 'string' || value === '') return undefined
  const variable = REFERENCE.exec(value)?.[1]
  return variable === undefined ? { text: value } : { variable }
}

/** The text itself. A variable is looked up, because the config file cannot name variables everywhere. */
export function resolved(value: unknown, environment: Environment): string | undefined {
  const found = textOf(value)
  if (!found) return undefined
  return 'text' in found ? found.text : environment[found.variable] || undefined
}

/** LiteLLM accepts numbers as texts. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Whether the value refers to the environment anywhere in it. */
export function hasReference(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('"os.environ/')
}
