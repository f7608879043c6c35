import { ErrorBody } from '../../../contract/errors.ts'
import { ItemQuery, ResponseItemList } from '../../../contract/responses/stored-items.ts'
import { listInputItems } from '../../../endpoints/responses/item-lists.ts'
import { itemQuery } from './item-query.ts'
import { readerOf } from '../../memory-lease.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/responses/{response_id}/input_items',
  noSuch: 'response',
  access: 'key',
  scope: 'chat',
  summary: 'List input items of a response',
  description: 'All items that the model got, including those of earlier responses and of the conversation.',
  query: ItemQuery,
  replies: {
    200: { description: 'A page of items.', schema: ResponseItemList },
    404: { description: 'There is no such response or item, or it has expired.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { response_id } = request.params
    return listInputItems(response_id, itemQuery(request.query), readerOf(request, services.calls), services.calls)
  },
})
