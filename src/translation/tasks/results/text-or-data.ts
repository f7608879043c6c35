/** The answer of a provider that returns a text, or data if the request had a schema. */
export function textOrData(found: unknown) {
  return typeof found === 'string' ? { answer: found, data: null } : { answer: null, data: found }
}
