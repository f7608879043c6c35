import type { Outline } from './outline.ts'
import { writeJson } from './written-numbers.ts'

/**
 * Changes to the top level of a JSON object: members to set (replaced in place or added) and members to drop. `from` is the
 * value that members to set were copied from.
 */
export type Edit = { set: Record<string, unknown>; drop: ReadonlySet<string>; from?: object }

/** Applies the edit to the text. Everything else stays as the caller wrote it, byte for byte. */
export function editText(text: string, outline: Outline, edit: Edit): string {
  return spliceOne(text, outline, edit) ?? rebuild(text, outline, edit)
}

/** The most common edit: only the name of the model changes. */
function spliceOne(text: string, { members }: Outline, { set, drop, from }: Edit): string | undefined {
  const keys = Object.keys(set)
  const only = members.find(({ key }) => key === keys[0])
  if (keys.length !== 1 || drop.size > 0 || !only) return undefined
  return text.slice(0, only.start) + memberText(only.key, set[only.key], from) + text.slice(only.end)
}

function rebuild(text: string, { members }: Outline, { set, drop, from }: Edit): string {
  // Keys are compared one by one, because an object lookup would have to hash each key that was cut from the text.
  const names = Object.keys(set)
  let out = '{'
  for (const { key, start, end } of members) {
    if (names.includes(key)) add(memberText(key, set[key], from))
    else if (!drop.has(key)) add(text.slice(start, end))
  }
  for (const key of names) if (!members.some((member) => member.key === key)) add(memberText(key, set[key], from))
  return `${out}}`

  function add(member: string) {
    out += out.length > 1 ? `,${member}` : member
  }
}

function memberText(key: string, value: unknown, from: object | undefined): string {
  if (typeof value !== 'number') return `${JSON.stringify(key)}:${writeJson(value, from)}`
  return writeJson({ [key]: value }, from).slice(1, -1)
}

/** Like editText, for a value that was not read from a text or has changed since. */
export function editValue(value: object, { set, drop, from = value }: Edit): string {
  const members = Object.entries(value).filter(([key]) => !drop.has(key) || Object.hasOwn(set, key))
  return writeJson({ ...Object.fromEntries(members), ...set }, from)
}
