/**
 * How many keys a value has, at all depths. JSON.parse keeps the last of two equal keys, so a text with more keys than its
 * value repeats one somewhere.
 */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) keys += countKeys(value[index])
    return keys
  }
  for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key])
  return keys
}
