import { outline } from '../../src/translation/json/outline.ts'

/**
 * Reads a body like a provider written in Go: a member sets the field whose name is equal under Unicode's simple case
 * folding, and the last of several such members counts.
 */
export function readAsGo<Field extends string>(
  text: string,
  fields: readonly Field[],
): Partial<Record<Field, unknown>> {
  const read: Partial<Record<Field, unknown>> = {}
  for (const { key, valueStart, end } of outline(text).members) {
    const field = fields.find((one) => new RegExp(`^${one}$`, 'iu').test(key))
    if (field) read[field] = JSON.parse(text.slice(valueStart, end))
  }
  return read
}

/** Reads JSON so that the first of two equal keys counts, at every depth, as in some other parsers. */
export function readFirst(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed.startsWith('[')) return itemsOf(trimmed).map(readFirst)
  if (!trimmed.startsWith('{')) return JSON.parse(trimmed)
  const read: Record<string, unknown> = {}
  for (const { key, valueStart, end } of outline(trimmed).members)
    if (!Object.hasOwn(read, key)) read[key] = readFirst(trimmed.slice(valueStart, end))
  return read
}

function itemsOf(text: string): string[] {
  const items: string[] = []
  let depth = 0
  let from = 1
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (isInString && character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    const isEnd = (character === ',' && depth === 1) || depth === 0
    if (isInString || !isEnd) continue
    if (text.slice(from, at).trim() !== '') items.push(text.slice(from, at))
    from = at + 1
  }
  return items
}
