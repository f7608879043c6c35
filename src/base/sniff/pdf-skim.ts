import { CUT, NONSENSE } from './pdf-reader.ts'

// Skims an object: finds its end, and whether it says anything about pages. One object in a hundred is worth reading, so
// skipping the others has to be cheap.

type Skim = { end: number; worthReading: boolean }

const [SPACE, OPEN, CLOSE, LESS, GREATER, LIST, LIST_END] = [0x20, 0x28, 0x29, 0x3c, 0x3e, 0x5b, 0x5d]
const [SLASH, PERCENT, BACKSLASH, LF, CR, LETTER_R] = [0x2f, 0x25, 0x5c, 0x0a, 0x0d, 0x52]
/** Names that an object about pages, or one that contains other objects, has to contain: the first letters of each. */
const TELLING = ['/Page', '/Cata', '/ObjS'].map((name) => Buffer.from(name).readUIntBE(1, 4))

export function skimObject(bytes: Buffer, start: number): Skim {
  const from = skipSpace(bytes, start)
  if (bytes[from] === LIST) return skimList(bytes, from)
  if (bytes[from] === LESS && at(bytes, from + 1) === LESS) return skimNested(bytes, from)
  return { end: from + 1, worthReading: false }
}

/** A list matters only if it is a list of references, and then it ends with one. */
function skimList(bytes: Buffer, from: number): Skim {
  const { end } = skimNested(bytes, from)
  let last = end - 2
  while (bytes[last]! <= SPACE) last -= 1
  return { end, worthReading: bytes[last] === LETTER_R }
}

function skimNested(bytes: Buffer, from: number): Skim {
  let [position, depth, worthReading] = [from, 0, false]
  do {
    const byte = at(bytes, position)
    if (byte === SLASH) worthReading ||= isTelling(bytes, position)
    else if (byte === OPEN) position = stringEnd(bytes, position)
    else if (byte === PERCENT) position = commentEnd(bytes, position)
    else if (byte === LIST) depth += 1
    else if (byte === LIST_END) depth -= 1
    else if (byte === LESS && at(bytes, position + 1) !== LESS) position = hexEnd(bytes, position)
    else if (byte === LESS || byte === GREATER) {
      if (at(bytes, position + 1) !== byte) throw NONSENSE
      depth += byte === LESS ? 1 : -1
      position += 1
    }
    position += 1
  } while (depth > 0)
  return { end: position, worthReading }
}

function isTelling(bytes: Buffer, slash: number): boolean {
  return slash + 5 <= bytes.length && TELLING.includes(bytes.readUInt32BE(slash + 1))
}

/** The position of the string's last byte. */
function stringEnd(bytes: Buffer, open: number): number {
  let depth = 0
  for (let position = open; ; position += 1) {
    const byte = at(bytes, position)
    if (byte === BACKSLASH) position += 1
    else if (byte === OPEN) depth += 1
    else if (byte === CLOSE) depth -= 1
    if (depth === 0) return position
  }
}

function hexEnd(bytes: Buffer, open: number): number {
  const end = bytes.indexOf(GREATER, open)
  if (end < 0) throw CUT
  return end
}

function commentEnd(bytes: Buffer, start: number): number {
  let position = start
  while (at(bytes, position) !== LF && at(bytes, position) !== CR) position += 1
  return position
}

function skipSpace(bytes: Buffer, start: number): number {
  let position = start
  while (at(bytes, position) <= SPACE || bytes[position] === PERCENT)
    position = bytes[position] === PERCENT ? commentEnd(bytes, position) : position + 1
  return position
}

function at(bytes: Buffer, position: number): number {
  const byte = bytes[position]
  if (byte === undefined) throw CUT
  return byte
}
