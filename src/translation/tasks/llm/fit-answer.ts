import type { TSchema } from '../../../base/schema/type.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import { intendedBranch } from '../../../base/schema/intended-branch.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { score } from '../fields/score.ts'

/** Fields with a score whose schema does not limit the scale. */
const SCORES = ['confidence', 'importance']

/**
 * Removes unknown fields from a model's answer, adds null for optional ones, and limits scores to their scale. Other errors
 * remain, so that validation finds them.
 */
export function fitAnswer(schema: TSchema, answer: unknown): unknown {
  return fit(schema as JsonSchema, answer, '')
}

function fit(schema: JsonSchema, value: unknown, name: string): unknown {
  if (schema.anyOf) return fitUnion(schema.anyOf, value, name)
  if (Array.isArray(value) && schema.items) return value.map((item) => fit(schema.items!, item, name))
  if (isRecord(value) && schema.properties) return fitObject(schema.properties, value)
  return typeof value === 'number' && isScore(schema, name) ? score(value) : value
}

function fitUnion(branches: JsonSchema[], value: unknown, name: string): unknown {
  const mayBeNull = branches.some(({ type }) => type === 'null')
  if (mayBeNull && (value === null || value === undefined)) return null
  return fit(intendedBranch(branches, value), value, name)
}

function fitObject(properties: Record<string, JsonSchema>, value: Record<string, unknown>): unknown {
  const fields = Object.entries(properties).map(([name, property]) => [name, fit(property, own(value, name), name)])
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}

function isScore({ type, minimum, maximum }: JsonSchema, name: string): boolean {
  return type === 'number' && ((minimum === 0 && maximum === 1) || SCORES.includes(name))
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
