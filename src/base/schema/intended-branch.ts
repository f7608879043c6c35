import type { TypeName } from './issue-messages.ts'
import type { JsonSchema } from './json-schema.ts'
import { isRecord } from './record.ts'

/**
 * The branch of a union that the caller evidently meant, so that issues are reported for that branch only. It is chosen by
 * JSON type, then by the key whose literal distinguishes the branches, then by the keys that are present.
 */
export function intendedBranch(branches: JsonSchema[], value: unknown): JsonSchema {
  const choices = branches.filter((branch) => branch.type !== 'null')
  const fitting = choices.filter((branch) => isOfType(value, branch.type))
  if (fitting.length < 2 || !isRecord(value)) return fitting[0] ?? choices[0] ?? { type: 'null' }
  const key = tellingKey(fitting)
  return key === undefined ? closest(fitting, value) : branchByLiteral(fitting, key, value)
}

export function isOfType(value: unknown, type: TypeName | undefined): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer' || type === 'number') return Number.isFinite(value)
  return type === 'null' ? value === null : typeof value === type
}

function tellingKey(branches: JsonSchema[]): string | undefined {
  const keys = Object.keys(branches[0]?.properties ?? {})
  return keys.find((key) => branches.every((branch) => literalAt(branch, key) !== undefined))
}

/** If no branch has the caller's literal, the issue is that literal, and the message lists all literals that are allowed. */
function branchByLiteral(branches: JsonSchema[], key: string, value: Record<string, unknown>): JsonSchema {
  const intended = branches.find((branch) => literalAt(branch, key) === value[key])
  const literals = branches.map((branch) => literalAt(branch, key))
  return intended ?? { type: 'object', required: [key], properties: { [key]: { type: 'string', enum: literals } } }
}

function literalAt(branch: JsonSchema, key: string): unknown {
  return branch.properties?.[key]?.const
}

function closest(branches: JsonSchema[], value: Record<string, unknown>): JsonSchema {
  const score = (branch: JsonSchema) => Object.keys(branch.properties ?? {}).filter((key) => key in value).length
  return branches.reduce((best, branch) => (score(branch) > score(best) ? branch : best))
}
