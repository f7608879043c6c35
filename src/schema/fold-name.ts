/**
 * A name as receivers compare it that do not mind case. Go's encoding/json takes Unicode's simple case folding, by which two
 * characters beside A to Z equal an ASCII letter: the long s and the Kelvin sign. A dotless i equals no i.
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('ſ', 's')
}
