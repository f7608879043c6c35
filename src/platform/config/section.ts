import { didYouMean } from '../../base/schema/nearest-name.ts'
import type { TSchema } from '../../base/schema/type.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { validator } from '../../base/schema/validator.ts'
import { ConfigError } from './config-error.ts'

/** Checks a section of the config file. The error has the path of each mistake, and the name that an unknown one may mean. */
export function checkSection(name: string, schema: TSchema, value: unknown): void {
  const { check, issues } = validator(schema)
  if (check(value)) return
  throw new ConfigError(
    issues(value, [name])
      .map((issue) => lineOf(issue, schema))
      .join('; '),
  )
}

function lineOf({ loc, msg, type }: ValidationIssue, schema: TSchema): string {
  const names = type === 'extra_forbidden' ? namesAt(schema, loc.slice(1, -1)) : []
  const hint = didYouMean(String(loc.at(-1)), names)
  return `${loc.join('.')}: ${msg}${hint && `.${hint}`}`
}

type Node = {
  properties?: Record<string, Node>
  additionalProperties?: Node | boolean
  items?: Node
  anyOf?: Node[]
}

/** The names that the schema has at this path. */
function namesAt(schema: Node, path: readonly (string | number)[]): string[] {
  const places = path.reduce((nodes, step) => nodes.flatMap((node) => next(node, step)), alternatives(schema))
  return places.flatMap(({ properties = {} }) => Object.keys(properties))
}

function next({ properties = {}, additionalProperties, items }: Node, step: string | number): Node[] {
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const found = typeof step === 'number' ? items : Object.hasOwn(properties, step) ? properties[step] : rest
  return found ? alternatives(found) : []
}

function alternatives(node: Node): Node[] {
  return node.anyOf ? node.anyOf.flatMap(alternatives) : [node]
}
