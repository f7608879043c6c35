import type { Span } from '../../engine-api/engines.ts'

/** The matches of the pattern that pass the check. */
export function spansOf(text: string, pattern: RegExp, isValid: (match: string) => boolean = () => true): Span[] {
  const matches = [...text.matchAll(pattern)].filter(([match]) => isValid(match))
  return matches.map(({ index, 0: match }) => ({ start: index, end: index + match.length }))
}
