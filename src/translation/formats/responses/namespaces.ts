import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'

// This format groups tools in namespaces. A chat has none: there, the name of a tool has the namespace in front of it.

/** The names of tools in a chat, and what they were in this format. */
export type FlatNames = {
  /** The name of a tool, or of a call, in a chat. */
  flat(named: Fields): unknown
  /** The members of a call that name its tool in this format. */
  own(flat: string): { name: string; namespace?: string }
}

const MAX_CHARS = 64

export function flatNames(tools: readonly Fields[] | null | undefined): FlatNames {
  const flats = new Map<string, string>()
  const owns = new Map<string, { name: string; namespace: string }>()
  for (const { type, name: namespace, tools: inner } of tools ?? [])
    if (type === 'namespace') for (const { name } of recordsIn(inner)) add(textOf(namespace), textOf(name))
  return {
    flat: ({ name, namespace }) => flats.get(keyOf(namespace, name)) ?? name,
    own: (flat) => owns.get(flat) ?? { name: flat },
  }

  function add(namespace: string, name: string) {
    const whole = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
    const suffix = `_${flats.size}`
    const flat = whole.length > MAX_CHARS ? whole.slice(0, MAX_CHARS - suffix.length) + suffix : whole
    flats.set(keyOf(namespace, name), flat)
    owns.set(flat, { name, namespace })
  }
}

function keyOf(namespace: unknown, name: unknown): string {
  return JSON.stringify([namespace, name])
}
