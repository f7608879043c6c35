import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { addFilter, type LineFilter } from './line-filter.ts'
import type { Range } from './split-range.ts'

/** What a limit may look at in a line of the ledger. */
export type SpentLine = {
  id: string
  at: number
  organization: string
  project: string
  keyId: string
  user: string | null
  endUser: string | null
  session: string | null
  /** JSON. */
  tags: string | null
  endpoint: string
  model: string
  provider: string
  promptTokens: number
  completionTokens: number
  costNanos: number | null
}

const COLUMNS = `id, at, organization, project, key_id AS "keyId", user_id AS "user",
  end_user AS "endUser", session, tags, endpoint, model, provider, prompt_tokens AS "promptTokens",
  completion_tokens AS "completionTokens", cost_nanos AS "costNanos"`

const LINES_AT_ONCE = 2_000

/** The lines of calls that reached a provider, oldest first, page by page: the memory for it does not grow with the ledger. */
export async function* linesInOrder(
  db: Database,
  { from, to }: Range,
  filter: LineFilter,
  limit = LINES_AT_ONCE,
): AsyncGenerator<readonly SpentLine[]> {
  let last: SpentLine | undefined
  do {
    const page = await readPage(db, { from: last?.at ?? from, to, after: last, filter, limit })
    if (page.length > 0) yield page
    last = page.length === limit ? page.at(-1) : undefined
  } while (last)
}

type Page = Range & { after: SpentLine | undefined; filter: LineFilter; limit: number }

function readPage(db: Database, { from, to, after, filter, limit }: Page): Promise<SpentLine[]> {
  const values: Value[] = []
  const where = conditions(values)
  where.add('at >= ? AND at < ? AND attempts > 0', [from, to])
  if (after) where.add('(at, id) > (?, ?)', [after.at, after.id])
  addFilter(where, filter, db.kind)
  return db.report<SpentLine>(`SELECT ${COLUMNS} FROM usage ${where.where()} ORDER BY at, id LIMIT ${limit}`, values)
}
