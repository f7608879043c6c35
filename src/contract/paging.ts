import Type, { type TSchema } from '../schema/type.ts'

/** The position of a page in a list. */
export const PAGE_FIELDS = {
  total: Type.Integer({ minimum: 0, description: 'The number of entries on all pages.' }),
  page: Type.Integer({ minimum: 1, description: 'The number of this page, from 1.' }),
  limit: Type.Integer({ minimum: 1, description: 'The maximum number of entries on a page.' }),
  total_pages: Type.Integer({ minimum: 0, description: 'How many pages there are.' }),
}

/** The envelope of every paginated list. */
export function paged<Item extends TSchema>(item: Item, title: string, description: string) {
  return Type.Object(
    { items: Type.Array(item, { description: 'This page, newest first.' }), ...PAGE_FIELDS },
    { title, description },
  )
}
