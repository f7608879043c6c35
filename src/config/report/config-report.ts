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

export type Difference = { name: string; values: { process: string; value: unknown }[] }

/** `key` has to be the same in all processes of an installation, and unknown to others: digests of short secrets can be guessed. */
export function reported({ path, variable, value, origin }: EffectiveValue, key: string): ReportedValue {
  const digest = createHmac('sha256', key)
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
  return { name: path.join('.'), ...(variable && { variable }), value: shownValue(path, value), origin, digest }
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

/** The names of values that are new, gone or different. */
export function changedNames(before: readonly ReportedValue[], after: readonly ReportedValue[]): string[] {
  const both = [
    { process: 'before', loadedAt: 0, values: [...before] },
    { process: 'after', loadedAt: 0, values: [...after] },
  ]
  return differencesBetween(both).map(({ name }) => name)
}
