/** Compares a header's name as the client wrote it with a name in lower case. Nearly always the lengths differ. */
export function isHeader(name: string, lowerCaseName: string): boolean {
  return name.length === lowerCaseName.length && (name === lowerCaseName || name.toLowerCase() === lowerCaseName)
}

/** `rawHeaders` alternates between names and values. */
export function countHeader(rawHeaders: readonly string[], lowerCaseName: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHeader(rawHeaders[at]!, lowerCaseName)) count++
  return count
}
