import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { OperationServices } from '../operation-services.ts'
import type { PageSchema } from '../../contract/paging.ts'
import { words } from '../../base/schema/fields.ts'
import Type, { type Static, type TObject } from '../../base/schema/type.ts'
import { authorOfRequest } from '../admin/admin-auth.ts'
import { type PageQuery, pageIn } from '../admin/paging.ts'
import { type Cell, csvLine } from './csv.ts'
import { CSV, sendLines, TOO_MANY_EXPORTS } from './send-lines.ts'

const ROWS_AT_ONCE = 1_000

/** Beside the paging of a list. */
export const CSV_FORMAT = {
  format: Type.Optional(
    words(['json', 'csv'], {
      default: 'json',
      description: '`csv` has all entries that match the filter. The audit log records the export.',
    }),
  ),
}

export function listReplies<Item extends TObject>(description: string, schema: PageSchema<Item>) {
  return { 200: { description, schema, texts: ['text/csv'] }, 429: TOO_MANY_EXPORTS }
}

type ListRequest = FastifyRequest<{ Querystring: Partial<PageQuery> & { format?: 'json' | 'csv' } }>
type Page<Item extends TObject> = { items: Static<Item>[]; next_cursor: string | null }

type List<Item extends TObject, Given extends Page<Item> = Page<Item>> = {
  /** Of the file, and in the audit log. */
  name: string
  /** Of a page. Its entries are objects, whose members are the columns. */
  schema: PageSchema<Item>
  read: (page: PageQuery) => Promise<Given>
}

/** A page of a list, or with `format=csv` everything that passes its filter. */
export async function listOrCsv<Item extends TObject, Given extends Page<Item>>(
  request: ListRequest,
  reply: FastifyReply,
  { db, openExports }: Pick<OperationServices, 'db' | 'openExports'>,
  { name, schema, read }: List<Item, Given>,
): Promise<Given | FastifyReply> {
  const { format, limit, cursor, ...filter } = request.query
  if (format !== 'csv') return await read(pageIn({ limit, cursor }))
  // What is refused is refused before the file begins.
  const first = await read({ limit: ROWS_AT_ONCE, cursor: undefined })
  const event = { action: `${name}.export`, object: name, after: { ...filter, format } }
  return sendLines({ request, reply, openExports }, { name: `${name}.csv`, type: CSV }, async () => {
    await writeAuditEvents(db, authorOfRequest(request), event)
    return csvOf(columnsOf(schema), allPages(first, read))
  })
}

async function* allPages<Item extends TObject>(
  first: Page<Item>,
  read: List<Item>['read'],
): AsyncGenerator<Static<Item>> {
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
export function columnsOf({ properties }: PageSchema<TObject>): string[] {
  return Object.keys(properties.items.items.properties)
}

/** What is more than one value is written as JSON. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}
