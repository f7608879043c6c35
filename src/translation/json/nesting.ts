/** Far more than any answer has. Functions that call themselves for each level, such as JSON.stringify, break at some thousands. */
export const MAX_NESTING = 200
const MARKS = /["[\]{}]/g
/** Inside of a string: its end, or a character that is escaped. */
const IN_STRING = /["\\]/g

/** Whether the brackets of a JSON text are nested more deeply than is safe to work with. Parsing alone copes with any depth. */
export function isNestedTooDeeply(text: string): boolean {
  return text.length > 2 * MAX_NESTING && hasManyBrackets(text) && depthExceeds(text)
}

/** Most texts are long because of their strings, and have hardly any brackets. */
function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > MAX_NESTING) return true
  return false
}

function depthExceeds(text: string): boolean {
  let depth = 0
  MARKS.lastIndex = 0
  for (let found = MARKS.exec(text); found; found = MARKS.exec(text)) {
    const [mark] = found
    if (mark === '"') MARKS.lastIndex = endOfString(text, MARKS.lastIndex)
    else depth += mark === '[' || mark === '{' ? 1 : -1
    if (depth > MAX_NESTING) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  IN_STRING.lastIndex = start
  for (let found = IN_STRING.exec(text); found; found = IN_STRING.exec(text)) {
    if (found[0] === '"') return IN_STRING.lastIndex
    IN_STRING.lastIndex++
  }
  return text.length
}
