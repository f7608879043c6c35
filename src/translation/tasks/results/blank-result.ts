/** What a parser reports about its own work or guesses without reading anything. */
const ABOUT_ITSELF = ['confidence', 'document_metadata', 'document_type', 'local', 'location']

/** True for a result without a single value: the parser did not read the document, whatever its status. */
export function isBlankResult(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBlankResult)
  if (typeof value !== 'object' || value === null) return !value
  return Object.entries(value).every(([name, inner]) => ABOUT_ITSELF.includes(name) || isBlankResult(inner))
}
