import Type, { type Static } from 'typebox'
import { optional } from '../../contract/fields.ts'

// https://docs.linkup.so. What a task costs depends on its depth, and no answer says it.

const Text = optional(Type.String(), 'May be missing.')

export const LinkupSource = Type.Object({ url: Type.String(), name: Text, snippet: Text, favicon: Text })

export function linkupSource({ url, name, snippet, favicon }: Static<typeof LinkupSource>) {
  return { url, title: name, snippet, favicon: favicon || null }
}
