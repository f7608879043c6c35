/** An answer of a provider that writes a text, or fills a shape when it was given one. */
export function textOrData(found: unknown) {
  return typeof found === 'string' ? { answer: found, data: null } : { answer: null, data: found }
}
