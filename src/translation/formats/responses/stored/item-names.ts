import { type Fields, textOf } from '../../../../base/schema/record.ts'

// Input items get ids when they are stored, because clients page through them by id and may name them later.

const KINDS: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctco'],
])
const PLAIN_ID = /^[\w-]{1,128}$/

/** The same items, each with an id of its own. An id that an item has is kept, unless an earlier item has the same. */
export function namedItems(items: readonly Fields[], hex: string): Fields[] {
  const seen = new Set<string>()
  return items.map((item, at) => {
    const own = textOf(item.id)
    const id = PLAIN_ID.test(own) && !seen.has(own) ? own : inputId(item, hex, at)
    seen.add(id)
    return id === own ? item : { ...item, id }
  })
}

/** The same items with ids that nothing stored so far has. `from` is where they stand in the whole input. */
export function newlyNamed(items: readonly Fields[], hex: string, from = 0): Fields[] {
  return items.map((item, at) =>
    textOf(item.id).includes(hex) ? item : { ...item, id: inputId(item, hex, from + at) },
  )
}

/** The `i` says that the item came from a client. */
function inputId({ type = 'message' }: Fields, hex: string, position: number): string {
  return `${KINDS.get(type) ?? 'item'}_${hex}_i${position}`
}
