/**
 * A name as case-insensitive receivers compare it. Go's encoding/json uses Unicode's simple case folding, by which two
 * characters outside A to Z equal an ASCII letter: the long s and the Kelvin sign. A dotless i equals no i.
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('ſ', 's')
}
