import { createHmac, hash } from 'node:crypto'
import type { Origin } from '../config.ts'
import type { EffectiveValue } from './effective-values.ts'
import { shownValue } from './shown-values.ts'

/** A value as other processes and operators see it. The digest tells secrets apart that look the same when they are masked. */
export type ReportedValue = { name: string; variable?: string; value: unknown; origin: Origin; digest: string }

/** What one process reports about its configuration. */
export type ProcessReport = {
  process: string
  loadedAt: number
  values: ReportedValue[]
  /** Of the program. Versions before this one do not say it. */
  version?: string
}

type Difference = { name: string; values: { process: string; value: unknown }[] }

/** `key` has to be the same in all processes of an installation, and unknown to others: digests of short secrets can be guessed. */
export function reported(effective: EffectiveValue, key: string): ReportedValue {
  const { path, variable, value, origin } = effective
  const digest = createHmac('sha256', key).update(textOf(effective)).digest('base64url')
  return { name: nameOf(effective), ...(variable && { variable }), value: shownValue(path, value), origin, digest }
}

/** The values that are not the same in all processes. A value that a process does not have is null there. */
export function differencesBetween(reports: readonly ProcessReport[]): Difference[] {
  const byName = reports.map(({ process, values }) => ({
    process,
    values: new Map(values.map((one) => [one.name, one])),
  }))
  const names = new Set(reports.flatMap(({ values }) => values.map(({ name }) => name)))
  return [...names].flatMap((name) => {
    const digests = new Set(byName.map(({ values }) => values.get(name)?.digest))
    if (digests.size < 2) return []
    return [
      { name, values: byName.map(({ process, values }) => ({ process, value: values.get(name)?.value ?? null })) },
    ]
  })
}

/** The same for processes whose values are the same. */
export function digestOfReport({ values }: ProcessReport): string {
  const lines = values.map(({ name, digest }) => `${name} ${digest}`).sort()
  return hash('sha256', lines.join('\n')).slice(0, DIGEST_CHARS)
}

const DIGEST_CHARS = 16

/**
 * The names of values that are new, gone or different. Compares the values themselves, so that a reload need not mask and
 * digest each of them.
 */
export function changedNames(before: readonly EffectiveValue[], after: readonly EffectiveValue[]): string[] {
  const [olds, news] = [textsByName(before), textsByName(after)]
  const names = [...new Set([...olds.keys(), ...news.keys()])]
  return names.filter((name) => olds.get(name) !== news.get(name))
}

function textsByName(values: readonly EffectiveValue[]): Map<string, string> {
  return new Map(values.map((one) => [nameOf(one), textOf(one)]))
}

function nameOf({ path }: EffectiveValue): string {
  return path.join('.')
}

/** What tells one value from another. A value that is not set counts as null. */
function textOf({ value }: EffectiveValue): string {
  return JSON.stringify(value ?? null)
}
