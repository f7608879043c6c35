import { isRecord } from '../../../base/schema/record.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import type { Guardrail } from './guardrail.ts'
import { guardrailOf } from './guardrail-entry.ts'
import { variableIn } from './variable-in.ts'

const MAX_GUARDRAILS = 1_000

/** Reads `guardrails` of the config file. Every fault is reported with its path. */
export function readGuardrails(value: unknown, environment: Environment): readonly Guardrail[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new ConfigError('guardrails: should be a list')
  if (value.length > MAX_GUARDRAILS) throw new ConfigError(`guardrails: should have at most ${MAX_GUARDRAILS} entries`)
  const guardrails = value.map((entry, index) => readOne(entry, index))
  const ids = guardrails.map(({ id }) => id)
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined) throw new ConfigError(`guardrails: two guardrails have the id '${repeated}'`)
  checkSecrets(guardrails, environment)
  return guardrails
}

/** A check without its secret would refuse every call. */
function checkSecrets(guardrails: readonly Guardrail[], environment: Environment): void {
  for (const [index, { checks }] of guardrails.entries())
    for (const [at, { params }] of checks.entries()) {
      const variable = variableIn(params.credential)
      if (variable === undefined || environment[variable]) continue
      throw new ConfigError(`guardrails.${index}.checks.${at}.credential: the variable ${variable} is not set`)
    }
}

function readOne(value: unknown, index: number): Guardrail {
  const loc = ['guardrails', index]
  if (isRecord(value) && typeof value.id !== 'string') throw new ConfigError(`${loc.join('.')}.id: is missing`)
  const read = guardrailOf(inOurSpelling(value, loc), 'file', loc)
  if (!Array.isArray(read)) return read
  throw new ConfigError(read.map(lineOf).join('; '))
}

function lineOf({ loc, msg }: ValidationIssue): string {
  return `${loc.map((step) => (typeof step === 'string' ? inCamelCase(step) : step)).join('.')}: ${msg}`
}

/** The entry and its checks in the spelling of the admin API. */
function inOurSpelling(value: unknown, loc: (string | number)[]): unknown {
  if (!isRecord(value)) return value
  const entry = renamed(value, loc)
  if (!Array.isArray(entry.checks)) return entry
  const checks = entry.checks.map((one, at) => (isRecord(one) ? renamed(one, [...loc, 'checks', at]) : one))
  return { ...entry, checks }
}

function renamed(members: Record<string, unknown>, loc: (string | number)[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (name.includes('_'))
        throw new ConfigError(`${[...loc, name].join('.')}: the config file writes it ${inCamelCase(name)}`)
      return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]
    }),
  )
}

function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
