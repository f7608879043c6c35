/** For texts from others, where invalid JSON is an expected case: returns undefined. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
