import Type from '../../base/schema/type.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../query.ts'

/** Longer than any cursor. */
const MAX_CURSOR_CHARS = 2_000

export type PageQuery = { limit: number; cursor: string | undefined }

/** Of the query of a list. */
export const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Entries on a page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_CHARS,
      description: '`next_cursor` of the previous page. Absent for the first page.',
    }),
  ),
}

export function pageIn({ limit = DEFAULT_LIMIT, cursor }: Partial<PageQuery>): PageQuery {
  return { limit, cursor }
}
