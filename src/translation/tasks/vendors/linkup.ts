import Type, { type Static } from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'

// https://docs.linkup.so. The cost of a task depends on its depth, and no answer reports it: a token is a thousandth of a
// dollar.

const SEARCH_TOKENS: Readonly<Record<string, number>> = { standard: 5, deep: 50 }
const FETCH_TOKENS = 1
const RENDERED_FETCH_TOKENS = 5

const Text = optional(Type.String(), 'May be missing.')

export const LinkupSource = Type.Object({ url: Type.String(), name: Text, snippet: Text, favicon: Text })

export function linkupSource({ url, name, snippet, favicon }: Static<typeof LinkupSource>) {
  return { url, title: name, snippet, favicon: favicon || null }
}

/** An unknown depth is billed as the deepest. */
export function searchTokens(depth: unknown): number {
  return SEARCH_TOKENS[String(depth)] ?? SEARCH_TOKENS.deep!
}

export function fetchTokens({ renderJs }: Record<string, unknown>): number {
  return renderJs === true ? RENDERED_FETCH_TOKENS : FETCH_TOKENS
}
