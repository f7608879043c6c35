import { nullable } from '../../base/schema/fields.ts'
import Type, { type TSchema } from '../../base/schema/type.ts'

const MAX_RESULTS = 100
const MAX_OFFSET = 1_000_000

/** Which part of a list is asked for. */
export const NUMBERED_PAGE = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_RESULTS, default: MAX_RESULTS, description: 'Entries on a page.' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0, description: 'How many entries to leave out.' }),
  ),
}

/** What a query says about the page. */
export function numberedPage({ limit = MAX_RESULTS, offset = 0 }: { limit?: number; offset?: number }) {
  return { limit, offset }
}

const address = (description: string) => nullable(Type.String(), description)

/** The envelope of a list whose pages begin at any entry. */
export function numbered<Item extends TSchema>(item: Item, title: string, description: string) {
  return Type.Object(
    {
      results: Type.Array(item, { description: 'The entries of this page.' }),
      limit: Type.Integer({ minimum: 1, description: 'The maximum number of entries on a page.' }),
      offset: Type.Integer({ minimum: 0, description: 'How many entries come before this page.' }),
      total_count: Type.Integer({ minimum: 0, description: 'The number of entries on all pages.' }),
      next: address('The address of the next page. Null on the last one.'),
      previous: address('The address of the page before. Null on the first one.'),
    },
    { title, description },
  )
}

export type NumberedPage = Required<{ [Name in keyof typeof NUMBERED_PAGE]: number }>
/** One page of a list, without the addresses of others. */
export type Numbered<Item> = { results: Item[]; total_count: number }
