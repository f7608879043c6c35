import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Values of OTEL_ variables, as OpenTelemetry defines them. An empty variable counts as one that is not set.

const MAX_MS = DAY_MS

export function set(environment: Environment, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined
}

export function flag(environment: Environment, variable: string): boolean {
  const value = set(environment, variable)?.toLowerCase() ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new ConfigError(`${variable}: should be true or false`)
}

export function milliseconds(environment: Environment, variable: string, fallback: number): number {
  return whole(environment, variable, fallback, MAX_MS)
}

export function whole(environment: Environment, variable: string, fallback: number, max: number): number {
  const value = Number(set(environment, variable) ?? fallback)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new ConfigError(`${variable}: should be a whole number from 1 to ${max}`)
}

/** `key=value,key=value`, where values may be percent-encoded. Errors do not repeat it: it may hold secrets. */
export function listOfPairs(environment: Environment, variable: string): Record<string, string> {
  const pairs = (set(environment, variable) ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(pairs.map((pair) => pairIn(pair, variable)))
}

function pairIn(pair: string, variable: string): [string, string] {
  const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? []
  try {
    if (name !== '') return [decodeURIComponent(name), decodeURIComponent(value.trim())]
  } catch {
    // Falls through: a percent sign that begins no character.
  }
  throw new ConfigError(`${variable}: should be a list of name=value, separated by commas`)
}
