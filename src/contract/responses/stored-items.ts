import Type, { type Static } from '../../base/schema/type.ts'
import { nullable, words } from '../../base/schema/fields.ts'
import { INCLUDABLE_FIELDS } from './includable.ts'
import { ResponseItem } from '../responses.ts'

const MAX_ITEMS_ON_PAGE = 100

export const ResponseItemList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ResponseItem, { description: 'The items of this page.' }),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after`.'),
  },
  { title: 'ResponseItemList', description: 'A page of items.' },
)
export type ResponseItemList = Static<typeof ResponseItemList>

export const INCLUDE = Type.Optional(
  Type.Array(words([...INCLUDABLE_FIELDS]), {
    description: 'Parts of items that are only returned if they are named here. The clients write it as `include[]`.',
  }),
)

export const ItemQuery = Type.Object({
  after: Type.Optional(Type.String({ maxLength: 200, description: 'The last id of the page before.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ITEMS_ON_PAGE, default: 20, description: 'Items on a page.' }),
  ),
  order: Type.Optional(words(['desc', 'asc'], { description: 'Newest or oldest first.' })),
  include: INCLUDE,
})
export type ItemQuery = Static<typeof ItemQuery>
