import type { FastifyRequest } from 'fastify'
import { INCLUDABLE_FIELDS } from '../../../contract/responses/includable.ts'
import { MAX_ITEMS_ON_PAGE } from '../../../contract/responses/stored-items.ts'
import type { ItemQuery } from '../../../responses/item-lists.ts'
import { notAmong } from '../../../schema/issue-messages.ts'
import { validationProblem } from '../../problems.ts'
import { readCount, readText, readWord } from '../../query.ts'

const DEFAULT_ITEMS = 20
const MAX_ID_CHARS = 200
const ORDERS = ['desc', 'asc'] as const

type Query = Record<string, string | undefined>

/** The query of a list of items, as OpenAI's clients write it. */
export function readItemQuery(request: FastifyRequest): ItemQuery {
  const { after, limit, order } = request.query as Query
  return {
    after: readText('after', after, MAX_ID_CHARS),
    limit: readCount('limit', limit, DEFAULT_ITEMS, MAX_ITEMS_ON_PAGE),
    order: readWord('order', order, ORDERS, 'desc'),
    include: readInclude(request),
  }
}

/** `include=a`, `include=a&include=b` or, as the official clients write lists, `include[]=a`. */
export function readInclude({ query }: FastifyRequest): string[] {
  const { include, 'include[]': listed } = query as Record<string, string | string[] | undefined>
  const names = [include ?? [], listed ?? []].flat()
  for (const name of names)
    if (!(INCLUDABLE_FIELDS as readonly string[]).includes(name))
      throw validationProblem([notAmong(['query', 'include'], [...INCLUDABLE_FIELDS])])
  return names
}
