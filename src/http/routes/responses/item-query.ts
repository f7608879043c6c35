import type { ItemQuery as Written } from '../../../contract/responses/stored-items.ts'
import type { ItemQuery } from '../../../endpoints/responses/item-lists.ts'

const DEFAULT_ITEMS = 20

/** The query of a list of items, with what it does not say. */
export function itemQuery({ after, limit = DEFAULT_ITEMS, order = 'desc', include = [] }: Written): ItemQuery {
  return { after, limit, order, include }
}
