import type { Outline } from './outline.ts'

/** Top-level changes to a JSON object: members to set (replaced in place or added) and members to leave out. */
export type Edit = { set: Record<string, unknown>; drop: ReadonlySet<string> }

/** The text with the edit applied; what is not edited stays as the caller wrote it, byte for byte. */
export function editText(text: string, { members }: Outline, { set, drop }: Edit): string {
  const parts: string[] = []
  const placed = new Set<string>()
  for (const { key, start, valueStart, end } of members) {
    if (Object.hasOwn(set, key)) {
      parts.push(text.slice(start, valueStart) + JSON.stringify(set[key]))
      placed.add(key)
    } else if (!drop.has(key)) {
      parts.push(text.slice(start, end))
    }
  }
  for (const key in set) if (!placed.has(key)) parts.push(`${JSON.stringify(key)}:${JSON.stringify(set[key])}`)
  return `{${parts.join(',')}}`
}

/** The same for a value that was not read from a text, or was changed since. */
export function editValue(value: object, { set, drop }: Edit): string {
  const kept = Object.entries(value).filter(([key]) => !drop.has(key) || Object.hasOwn(set, key))
  return JSON.stringify({ ...Object.fromEntries(kept), ...set })
}
