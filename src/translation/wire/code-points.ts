/**
 * How many characters a text has, as providers count them: Unicode code points. A list of the characters of a long text would
 * take many times its memory, and hold up all other calls.
 */
export function codePointsIn(text: string): number {
  let pairs = 0
  for (let at = 0; at < text.length; at++) if (isPairAt(text, at)) pairs++
  return text.length - pairs
}

/** Whether a character of two UTF-16 units begins here. The second unit of one never begins another. */
function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}
