// The caller's pattern is parsed but never executed on a text: a hostile pattern could keep the process busy for years.
const MAX_PATTERN_CHARS = 1000
const MAX_TEXT_CHARS = 1024
const LIKELY_CHARACTERS = 'a0A'
const FIRST_CODE_POINT = 0x20
const LAST_CODE_POINT = 0x24f

type Reader = { source: string; at: number }
class TooHard extends Error {}

/** A short text that matches a regular expression; `undefined` for look-arounds and back-references. */
export function textFromPattern(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS) return undefined
  const reader = { source: pattern, at: 0 }
  try {
    const text = alternatives(reader)
    return reader.at === pattern.length ? text : undefined
  } catch (error) {
    if (error instanceof TooHard) return undefined
    throw error
  }
}

function alternatives(reader: Reader): string {
  const first = sequence(reader)
  while (take(reader, /\|/y)) sequence(reader)
  return first
}

function sequence(reader: Reader): string {
  let text = ''
  while (reader.at < reader.source.length && !')|'.includes(reader.source[reader.at]!)) {
    const piece = atom(reader)
    const times = leastTimes(reader)
    if (text.length + piece.length * times > MAX_TEXT_CHARS) throw new TooHard()
    text += piece.repeat(times)
  }
  return text
}

function atom(reader: Reader): string {
  if (take(reader, /\^|\$|\\[bB]/y)) return ''
  if (take(reader, /\(\?[=!]|\(\?<[=!]|\\[1-9k]/y)) throw new TooHard()
  if (take(reader, /\((\?:|\?<\w+>)?/y)) return group(reader)
  const oneCharacter = take(reader, /\[(\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\.|\./sy)
  if (oneCharacter) return matching(oneCharacter)
  return take(reader, /[^*+?{}[\]\\]|\}|\]|\{(?!\d+,?\d*\})/suy) ?? hard()
}

function group(reader: Reader): string {
  const text = alternatives(reader)
  return take(reader, /\)/y) ? text : hard()
}

function leastTimes(reader: Reader): number {
  const quantifier = take(reader, /[*+?]\??|\{\d+(,\d*)?\}\??/y)
  if (!quantifier) return 1
  if (quantifier.startsWith('{')) return Number(/\d+/.exec(quantifier)?.[0])
  return quantifier.startsWith('+') ? 1 : 0
}

/** A character of a class such as `[^a-z]` or `\d`. Testing a class on one character is safe, because it cannot backtrack. */
function matching(source: string): string {
  const expression = compiled(source)
  for (const character of LIKELY_CHARACTERS) if (expression.test(character)) return character
  for (let code = FIRST_CODE_POINT; code <= LAST_CODE_POINT; code++) {
    const character = String.fromCodePoint(code)
    if (expression.test(character)) return character
  }
  return /^\\u/.test(source) ? String.fromCodePoint(Number.parseInt(source.slice(2), 16)) : hard()
}

function compiled(source: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(`^${source}$`, flags)
    } catch {
      // Patterns from before the `u` flag escape more characters than it allows.
    }
  }
  return hard()
}

function take(reader: Reader, token: RegExp): string | undefined {
  token.lastIndex = reader.at
  const found = token.exec(reader.source)?.[0]
  if (found !== undefined) reader.at += found.length
  return found
}

function hard(): never {
  throw new TooHard()
}
