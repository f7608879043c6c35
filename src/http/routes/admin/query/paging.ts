import type { FastifyRequest } from 'fastify'
import Type from '../../../../schema/type.ts'
import { readLimit, readText } from '../../../query.ts'

/** Longer than any cursor. */
const MAX_CHARS = 2_000

/** For /docs. The handlers validate the query themselves. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Entries on a page.' })),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page. Absent for the first page.' })),
}

export function pageIn({ query }: FastifyRequest): { limit: number; cursor: string | undefined } {
  const { limit, cursor } = query as Record<string, unknown>
  return { limit: readLimit(readText('limit', limit, MAX_CHARS)), cursor: readText('cursor', cursor, MAX_CHARS) }
}
