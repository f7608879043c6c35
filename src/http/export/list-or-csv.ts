import type { FastifyReply, FastifyRequest } from 'fastify'
import { record } from '../../audit/record.ts'
import type { AppContext } from '../../app/context.ts'
import { words } from '../../schema/fields.ts'
import Type, { type TSchema } from '../../schema/type.ts'
import { authorOfRequest } from '../admin/admin-auth.ts'
import { readLimit, readText, readWord } from '../query.ts'
import { type Cell, csvLine } from './csv.ts'
import { CSV, sendLines, TOO_MANY_EXPORTS } from './send-lines.ts'

const FORMATS = ['json', 'csv'] as const
const MAX_CHARS = 300
const ROWS_AT_ONCE = 1_000

/** For /docs, beside the paging of a list. */
export const CSV_FORMAT = {
  format: Type.Optional(
    words([...FORMATS], {
      default: 'json',
      description: '`csv` has all entries that pass the filter, and is in the audit log.',
    }),
  ),
}

export function listReplies(description: string, schema: TSchema) {
  return { 200: { description, schema, texts: ['text/csv'] }, 429: TOO_MANY_EXPORTS }
}

type Page = { items: readonly object[]; next_cursor: string | null }
export type PageQuery = { limit: number; cursor: string | undefined }

type List = {
  /** Of the file, and in the audit log. */
  name: string
  /** Of a page. Its entries are objects, whose members are the columns. */
  schema: TSchema
  read: (page: PageQuery) => Promise<Page>
}

/** A page of a list, or with `format=csv` everything that passes its filter. */
export async function listOrCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Pick<AppContext, 'db' | 'openExports'>,
  { name, schema, read }: List,
): Promise<Page | FastifyReply> {
  const { format, limit, cursor, ...filter } = request.query as Record<string, string | undefined>
  const wanted = readWord('format', readText('format', format, MAX_CHARS), FORMATS, 'json')
  if (wanted === 'json') return await read({ limit: readLimit(limit), cursor })
  // What is refused is refused before the file begins.
  const first = await read({ limit: ROWS_AT_ONCE, cursor: undefined })
  const event = { action: `${name}.export`, object: name, after: { ...filter, format: 'csv' } }
  return sendLines({ request, reply, context }, { name: `${name}.csv`, type: CSV }, async () => {
    await record(context.db, authorOfRequest(request), event)
    return csvOf(columnsOf(schema), allPages(first, read))
  })
}

async function* allPages(first: Page, read: List['read']): AsyncGenerator<object> {
  for (let page = first; ; page = await read({ limit: ROWS_AT_ONCE, cursor: page.next_cursor })) {
    yield* page.items
    if (page.next_cursor === null) return
  }
}

export async function* csvOf(columns: readonly string[], items: AsyncIterable<object>): AsyncGenerator<string> {
  yield csvLine(columns)
  for await (const item of items)
    yield csvLine(columns.map((column) => cellOf((item as Record<string, unknown>)[column])))
}

/** The names of the members of the entries of a list. */
export function columnsOf(schema: TSchema): string[] {
  const { properties } = schema as unknown as { properties: { items: { items: { properties: object } } } }
  return Object.keys(properties.items.items.properties)
}

/** What is more than one value is written as JSON. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}
