import { isRecord } from '../../base/schema/record.ts'

// What providers send in pieces beside the texts of an answer, put together: calls of tools as whole calls, and texts of equal places as
// one text, as SDKs of clients do it.

type Fields = Record<string, unknown>

/** Fragments are joined by the index of their entry, and texts are appended. */
export function joinedPieces(pieces: readonly object[]): Fields {
  const joining = new Joining()
  const whole: Fields = {}
  for (const piece of pieces)
    for (const [name, value] of Object.entries(piece)) whole[name] = joining.member(name, whole[name], value)
  return whole
}

/**
 * Texts that a client may put together although nothing says that they belong together: those of entries without an index, in lists
 * that come in pieces. Calls are joined without one.
 */
export function splitTexts(pieces: readonly object[]): string[] {
  const found = new Map<string, string[]>()
  for (const { tool_calls: _, ...piece } of pieces as readonly Fields[])
    for (const [place, texts] of textsInLists(piece)) {
      const known = found.get(place) ?? []
      found.set(place, known)
      known.push(texts.join('\n'))
    }
  return [...found.values()].flatMap((texts) => (texts.length > 1 ? texts.join('') : []))
}

function textsInLists(piece: object): Map<string, string[]> {
  const found = new Map<string, string[]>()
  collect(piece, '', false)
  return found

  function collect(value: unknown, place: string, isListed: boolean): void {
    if (typeof value === 'string' && isListed) found.set(place, [...(found.get(place) ?? []), value])
    else if (Array.isArray(value))
      for (const one of value) collect(one, place, !(isRecord(one) && typeof one.index === 'number'))
    else if (isRecord(value))
      for (const [name, one] of Object.entries(value)) collect(one, `${place}.${name}`, isListed)
  }
}

/** Members of known parts that say what an entry is, in every piece of it. */
const NAMING: ReadonlySet<string> = new Set(['index', 'id', 'type', 'name', 'format', 'expires_at', 'signature'])
const KNOWN: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'audio', 'reasoning_details'])

/** What is put together grows, so that the work is that of all pieces together; what came in a piece is copied first. */
class Joining {
  readonly #grown = new Set<object>()
  readonly #growingLists = new Map<readonly unknown[], Growing>()

  member(name: string, before: unknown, value: unknown): unknown {
    return name === 'tool_calls' ? this.#calls(before, value) : this.#value(name, [before, value], KNOWN.has(name))
  }

  #value(name: string, [before, value]: [unknown, unknown], isKnown: boolean): unknown {
    if (before === undefined || before === null) return value
    if (value === null || value === undefined) return before
    if (typeof before === 'string' && typeof value === 'string') return joinedText(name, [before, value], isKnown)
    if (Array.isArray(before) && Array.isArray(value)) return this.#lists(before, value, isKnown)
    return isRecord(before) && isRecord(value) ? this.#fields(before, value, isKnown) : value
  }

  #fields(before: Fields, piece: Fields, isKnown: boolean): Fields {
    const whole = this.#grown.has(before) ? before : { ...before }
    this.#grown.add(whole)
    for (const [name, value] of Object.entries(piece)) whole[name] = this.#value(name, [whole[name], value], isKnown)
    return whole
  }

  #lists(before: readonly unknown[], added: readonly unknown[], isKnown: boolean): unknown[] {
    const { list, entries } = this.#growing(before)
    for (const one of added) {
      const at = isRecord(one) && typeof one.index === 'number' ? entries.byIndex.get(one.index) : undefined
      const place = at ?? list.length
      list[place] = at === undefined ? one : this.#fields(list[place] as Fields, one as Fields, isKnown)
      entries.note(list[place], place)
    }
    return list
  }

  #growing(before: readonly unknown[]): Growing {
    const known = this.#growingLists.get(before)
    if (known) return known
    const made = { list: [...before], entries: new Entries() }
    for (const [place, one] of before.entries()) made.entries.note(one, place)
    this.#growingLists.set(made.list, made)
    return made
  }

  /** A call without an index goes on with the latest one, unless it has an id or a name of its own. They have indexes then, so that clients do the same. */
  #calls(before: unknown, value: unknown): unknown {
    if (!Array.isArray(value)) return this.#value('tool_calls', [before, value], true)
    let calls: unknown[] = Array.isArray(before) ? before : []
    for (const call of value) {
      const isNumbered = !isRecord(call) || typeof call.index === 'number'
      calls = this.#lists(calls, [isNumbered ? call : { ...call, index: indexOf(call, this.#growing(calls)) }], true)
    }
    return calls
  }
}

/** A name that is said again is the same name. */
function joinedText(name: string, [before, text]: [string, string], isKnown: boolean): string {
  if (!NAMING.has(name)) return before + text
  if (isKnown) return text || before
  return before === text ? text : before + text
}

/** Where the records of a list are, so that none of them has to be searched for. */
class Entries {
  readonly byIndex = new Map<number, number>()
  readonly byId = new Map<unknown, number>()
  last = -1
  nextIndex = 0

  note(entry: unknown, place: number): void {
    if (!isRecord(entry)) return
    const { index, id } = entry
    this.last = Math.max(this.last, place)
    if (id && !this.byId.has(id)) this.byId.set(id, place)
    if (typeof index !== 'number') return
    if (!this.byIndex.has(index)) this.byIndex.set(index, place)
    this.nextIndex = Math.max(this.nextIndex, index + 1)
  }
}

type Growing = { list: unknown[]; entries: Entries }

function indexOf(call: Fields, { list, entries }: Growing): number {
  const same = call.id ? entries.byId.get(call.id) : undefined
  const isNew = Boolean(call.id) || (isRecord(call.function) && Boolean(call.function.name))
  const known = list[same ?? (isNew ? -1 : entries.last)]
  return isRecord(known) && typeof known.index === 'number' ? known.index : entries.nextIndex
}
