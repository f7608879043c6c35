import { problem } from '../../contract/problems.ts'

type CursorKey = { createdAt: number; id: string }

export type Page<Item> = { items: Item[]; nextCursor: string | null }

/** Expects one item more than a page holds: the extra item says that there is a next page. */
export function toPage<Item extends CursorKey>(found: Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? writeCursor(last) : null }
}

/** The position to continue from in a list that is sorted by creation time, newest first. */
export function readCursor(cursor: string): [createdAt: number, id: string] {
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt !== undefined && id !== undefined) return [Number(createdAt), id]
  const msg = 'Value error, this cursor does not belong to this list'
  throw problem('validation_error', {
    param: 'cursor',
    detail: [{ loc: ['query', 'cursor'], msg, type: 'value_error' }],
  })
}

export function writeCursor({ createdAt, id }: CursorKey): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}
