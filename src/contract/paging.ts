import { nullable } from '../base/schema/fields.ts'
import Type, { type TSchema } from '../base/schema/type.ts'

/** The position of a page in a list. */
export const PAGE_FIELDS = {
  total: Type.Integer({ minimum: 0, description: 'The number of entries on all pages.' }),
  page: Type.Integer({ minimum: 1, description: 'The number of this page, from 1.' }),
  limit: Type.Integer({ minimum: 1, description: 'The maximum number of entries on a page.' }),
  total_pages: Type.Integer({ minimum: 0, description: 'How many pages there are.' }),
}

/** The envelope of every list whose pages have numbers. */
export function paged<Item extends TSchema>(item: Item, title: string, description: string) {
  return Type.Object(
    { items: Type.Array(item, { description: 'This page, newest first.' }), ...PAGE_FIELDS },
    { title, description },
  )
}

export const NEXT_CURSOR = nullable(Type.String(), 'Send it as `cursor` to get the next page. Null on the last page.')

type About = { title: string; description: string; items?: string }

/** The envelope of every list whose pages follow a cursor. `items` says what is listed, and in which order. */
export function pageOf<Item extends TSchema>(item: Item, { title, description, items = 'The entries.' }: About) {
  return Type.Object(
    { items: Type.Array(item, { description: items }), next_cursor: NEXT_CURSOR },
    { title, description },
  )
}

/** The schema of such a list. */
export type PageSchema<Item extends TSchema> = ReturnType<typeof pageOf<Item>>
