import { didYouMean } from './nearest-name.ts'
import type { ValidationIssue } from './validation-issue.ts'

/** The sentence that names the member which an unknown one may mean, or an empty text. The first step of its path is the whole value. */
export function meantBy({ loc, type }: ValidationIssue, schema: Node): string {
  if (type !== 'extra_forbidden') return ''
  return didYouMean(String(loc.at(-1)), namesAt(schema, loc.slice(1, -1)))
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
