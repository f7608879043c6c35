import type { Outline } from './outline.ts'

/** Top-level changes to a JSON object: members to set (replaced in place or added) and members to leave out. */
export type Edit = { set: Record<string, unknown>; drop: ReadonlySet<string> }

/** The text with the edit applied; what is not edited stays as the caller wrote it, byte for byte. */
export function editText(text: string, outline: Outline, edit: Edit): string {
  return spliceOne(text, outline, edit) ?? rebuild(text, outline, edit)
}

/** Most calls change the model's name and nothing else. */
function spliceOne(text: string, { members }: Outline, { set, drop }: Edit): string | undefined {
  const keys = Object.keys(set)
  const only = members.find(({ key }) => key === keys[0])
  if (keys.length !== 1 || drop.size > 0 || !only) return undefined
  return text.slice(0, only.valueStart) + JSON.stringify(set[only.key]) + text.slice(only.end)
}

function rebuild(text: string, { members }: Outline, { set, drop }: Edit): string {
  // Compared one by one: a key cut from the text is no name that an object could look up without hashing it first.
  const names = Object.keys(set)
  let out = '{'
  for (const { key, start, valueStart, end } of members) {
    if (names.includes(key)) add(text.slice(start, valueStart) + JSON.stringify(set[key]))
    else if (!drop.has(key)) add(text.slice(start, end))
  }
  for (const key of names) if (!members.some((member) => member.key === key)) add(memberText(key, set[key]))
  return `${out}}`

  function add(member: string) {
    out += out.length > 1 ? `,${member}` : member
  }
}

function memberText(key: string, value: unknown): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`
}

/** The same for a value that was not read from a text, or was changed since. */
export function editValue(value: object, { set, drop }: Edit): string {
  const kept = Object.entries(value).filter(([key]) => !drop.has(key) || Object.hasOwn(set, key))
  return JSON.stringify({ ...Object.fromEntries(kept), ...set })
}
