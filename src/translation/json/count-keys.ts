/** `hasPoison` means that there is a `__proto__`, which JSON.parse leaves as an own key. */
type Keys = { count: number; hasPoison: boolean }

/**
 * Counts the keys of a value at all depths. JSON.parse keeps the last of two equal keys, so a text with more keys than its
 * value repeats a key somewhere.
 */
export function countKeys(value: unknown, keys: Keys = { count: 0, hasPoison: false }): Keys {
  if (typeof value !== 'object' || value === null) return keys
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) countKeys(value[index], keys)
    return keys
  }
  for (const key in value) {
    keys.count++
    if (key === '__proto__') keys.hasPoison = true
    countKeys((value as Record<string, unknown>)[key], keys)
  }
  return keys
}
