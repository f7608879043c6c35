import { changes, MAY_BE_REWRITTEN } from './number-spelling.ts'
import type { Outline } from './outline.ts'

// JSON.parse and JSON.stringify change how a number is written: 1.0 becomes 1, 12345678901234567890 becomes
// 12345678901234567000, and 1e400 becomes null. The values of a body stay numbers, because the gateway reads and compares
// them; how a caller wrote them is noted beside them, under a symbol that a copy by spread keeps and JSON ignores.

const WRITTEN = Symbol('how numbers were written')

/** The numbers of one object or list by key, and those of the whole text they are from. */
type Written = { own: ReadonlyMap<string, string>; all: AllWritten }

/** For values that a translation put elsewhere. Undefined where the text has several spellings of the same number. */
type AllWritten = { byName: Map<string, string | undefined>; changed: Map<number, string | undefined> }

type Marked = { [WRITTEN]?: Written }
type Reviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown

/** Notes in the value of a text how its odd numbers are written. Only members that have such numbers are read again. */
export function noteWritten<Value>(value: Value, text: string, { members, odd }: Outline): Value {
  if (odd.size === 0 || !isObject(value)) return value
  const all: AllWritten = { byName: new Map(), changed: new Map() }
  const own = new Map<string, string>()
  for (const member of members) {
    if (!odd.has(member)) continue
    const part = text.slice(member.valueStart, member.end)
    const current = Reflect.get(value, member.key)
    if (typeof current === 'number') note(own, all, { key: member.key, source: part.trim(), value: current })
    else if (isObject(current)) Object.defineProperty(value, member.key, { ...PLAIN, value: read(part, all) })
  }
  mark(value, { own, all })
  return value
}

/** Like JSON.parse, for a text that `writeJson` wrote. */
export function parseWritten(text: string): unknown {
  return MAY_BE_REWRITTEN.test(text) ? read(text, { byName: new Map(), changed: new Map() }) : JSON.parse(text)
}

/** Like JSON.stringify, but numbers are written as their texts had them. `from`: where parts of the value were copied from. */
export function writeJson(value: unknown, from?: object): string {
  const { all } = (from ? (writtenIn(from) ?? writtenIn(value)) : writtenInside(value)) ?? {}
  if (!all) return JSON.stringify(value)
  return JSON.stringify(value, function (this: object, key: string, one: unknown) {
    return typeof one === 'number' ? asWritten(this, key, one, all) : one
  })
}

/** One member as JSON. */
export function writeMember(holder: object, key: string): string {
  const value: unknown = Reflect.get(holder, key)
  const written = typeof value === 'number' ? writtenIn(holder) : undefined
  return (written && sourceOf(holder, key, value as number, written.all)) ?? writeJson(value, holder)
}

/** Lets a translated value know how the original wrote its numbers. */
export function keepWritten<Value extends object>(value: Value, from: object): Value {
  const written = writtenIn(from)
  if (written && !writtenIn(value)) mark(value, written)
  return value
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const

/** The reviver comes to the inner values first, so an object is marked after what it holds. */
function read(text: string, all: AllWritten): unknown {
  const found = new Map<object, Map<string, string>>()
  const revive: Reviver = function (key, value, { source }) {
    if (typeof value === 'number' && source !== undefined && source !== String(value)) {
      note(ownOf(found, this), all, { key, source, value })
    } else if (isObject(value)) {
      const own = found.get(value)
      if (own) mark(value, { own, all })
      // What holds an object with such numbers is marked, too, so that its writer looks for them.
      if (writtenIn(value)) ownOf(found, this)
    }
    return value
  }
  return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown)
}

function ownOf(found: Map<object, Map<string, string>>, holder: object): Map<string, string> {
  const own = found.get(holder) ?? new Map<string, string>()
  found.set(holder, own)
  return own
}

/** How a member of an object is written. */
type Spelling = { key: string; source: string; value: number }

function note(own: Map<string, string>, { byName, changed }: AllWritten, { key, source, value }: Spelling): void {
  own.set(key, source)
  add(byName, nameOf(key, value), source)
  if (changes(source, value)) add(changed, value, source)
}

function add<Key>(map: Map<Key, string | undefined>, key: Key, source: string): void {
  map.set(key, !map.has(key) || map.get(key) === source ? source : undefined)
}

function asWritten(holder: object, key: string, value: number, all: AllWritten): unknown {
  const source = sourceOf(holder, key, value, all)
  return source === undefined ? value : JSON.rawJSON(source)
}

function sourceOf(holder: object, key: string, value: number, all: AllWritten): string | undefined {
  const own = writtenIn(holder)?.own.get(key)
  if (own !== undefined && Object.is(Number(own), value)) return own
  return all.byName.get(nameOf(key, value)) ?? all.changed.get(value)
}

function nameOf(key: string, value: number): string {
  return `${Object.is(value, -0) ? '-0' : value} ${key}`
}

function mark(value: object, written: Written): void {
  Object.defineProperty(value, WRITTEN, { ...PLAIN, value: written })
}

function writtenIn(value: unknown): Written | undefined {
  return isObject(value) ? (value as Marked)[WRITTEN] : undefined
}

/** For a new object around parts of another one. What is marked is marked up to the top of its text, so a few levels suffice. */
function writtenInside(value: unknown, levels = 4): Written | undefined {
  if (!isObject(value) || levels === 0) return undefined
  const written = writtenIn(value)
  if (written) return written
  for (const name in value) {
    const inner = writtenInside(Reflect.get(value, name), levels - 1)
    if (inner) return inner
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
