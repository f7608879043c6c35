import Type, { type TSchema } from '../schema/type.ts'

/** Where in a list a page is. */
export const PAGE_FIELDS = {
  total: Type.Integer({ minimum: 0, description: 'Entries on all pages together.' }),
  page: Type.Integer({ minimum: 1, description: 'Number of this page, from 1.' }),
  limit: Type.Integer({ minimum: 1, description: 'Most entries a page holds.' }),
  total_pages: Type.Integer({ minimum: 0, description: 'How many pages there are.' }),
}

/** The envelope of every list that is read page by page. */
export function paged<Item extends TSchema>(item: Item, title: string, description: string) {
  return Type.Object(
    { items: Type.Array(item, { description: 'This page, newest first.' }), ...PAGE_FIELDS },
    { title, description },
  )
}
