/** For texts of others, where "not JSON" is an answer, not an accident: undefined. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
