import type { Region } from '../../../providers/provider.ts'
import type { Fields } from '../../../schema/record.ts'
import type { ImportedKey } from '../../../store/keys/imported-keys.ts'
import { exact, type Finding, manual, unsupported, type Verdict } from '../../finding.ts'
import { keyOf, type Skipped } from './keys.ts'
import type { KnownNames } from './model-scopes.ts'
import { openSource, type SourceDatabase } from './read-tables.ts'

const KEYS = 'LiteLLM_VerificationToken'
const MAX_KEYS = 1_000_000
const LATER = 'comes with a later version; nothing is taken over'

const SKIPPED: Record<Skipped, Verdict> = {
  'console session': exact("sessions of LiteLLM's console are left out"),
  'unknown form': unsupported('the token is no SHA-256 of a key'),
  expired: exact('expired keys are left out'),
  'budget spent': manual('their budget is spent, so LiteLLM refuses them now; they are left out'),
  'no model endpoint': manual('they are for administration: use the admin key, or keys create --kind admin'),
  'no model': manual('the key, its team and its user allow no common model; they are left out'),
}

/** Columns of a key that Gatehouse does not have yet. A key with one of them is taken over without it. */
const LOST: readonly [column: string, note: string][] = [
  ['max_budget', 'these keys have a budget, which is not enforced here: budgets come with a later version'],
  ['model_max_budget', 'these keys have budgets by model, which are not enforced here'],
  ['tpm_limit', 'these keys have a limit of tokens, which is not enforced here'],
  ['rpm_limit', 'these keys have a limit of requests, which is not enforced here'],
  ['max_parallel_requests', 'these keys have a limit of parallel requests, which is not enforced here'],
  ['aliases', 'these keys have names of models of their own; make aliases'],
  ['team_id', 'these keys belong to teams: teams come with a later version'],
  ['user_id', 'these keys belong to users: users come with a later version'],
  ['organization_id', 'these keys belong to organizations: organizations come with a later version'],
  ['metadata', 'these keys have metadata, such as tags or guardrails'],
  ['permissions', 'these keys have permissions of their own'],
]

/** Tables that Gatehouse has no counterpart for yet. */
const TABLES: readonly [table: string, note: string][] = [
  ['LiteLLM_OrganizationTable', `organizations: ${LATER}`],
  ['LiteLLM_TeamTable', `teams: ${LATER}, except the models that they allow`],
  ['LiteLLM_UserTable', `users: ${LATER}, except the models that they allow`],
  ['LiteLLM_EndUserTable', `end users: ${LATER}`],
  ['LiteLLM_BudgetTable', `budgets: ${LATER}`],
  ['LiteLLM_ProxyModelTable', 'models in the database are encrypted: put them into config.yaml, or make aliases'],
  ['LiteLLM_CredentialsTable', 'credentials in the database are encrypted: use POST /admin/credentials'],
  ['LiteLLM_Config', 'settings in the database: put them into config.yaml'],
]

export type DatabaseImport = { keys: ImportedKey[]; findings: Finding[] }

/** `read` hears how many of the keys have been read. */
type Options = KnownNames & { region: Region; now: number; read?: (keys: number, of: number) => void }

/** Reads the keys, and counts what cannot be taken over. */
export async function importDatabase(url: string, options: Options): Promise<DatabaseImport> {
  const source = await openSource(url)
  try {
    const teams = await byId(source, 'LiteLLM_TeamTable', 'team_id')
    const users = await byId(source, 'LiteLLM_UserTable', 'user_id')
    const found = await readKeys(source, { ...options, teams, users })
    return { keys: found.keys, findings: [...found.findings, ...(await countTables(source))] }
  } finally {
    await source.close()
  }
}

async function byId(source: SourceDatabase, table: string, column: string): Promise<Map<string, Fields>> {
  const rows = new Map<string, Fields>()
  for await (const { [column]: id, models, blocked } of source.rows(table, column))
    rows.set(String(id), { models, blocked })
  return rows
}

async function readKeys(
  source: SourceDatabase,
  context: Options & Parameters<typeof keyOf>[1],
): Promise<DatabaseImport> {
  const total = await source.count(KEYS)
  let read = 0
  const keys: ImportedKey[] = []
  const skipped = new Map<Skipped, number>()
  const lost = new Map<string, number>()
  for await (const row of source.rows(KEYS, 'token')) {
    context.read?.(++read, total)
    const key = keyOf(row, context)
    if (typeof key === 'string') skipped.set(key, (skipped.get(key) ?? 0) + 1)
    else if (keys.push(key) > MAX_KEYS) throw new Error(`LiteLLM's database has more than ${MAX_KEYS} keys.`)
    else for (const [column] of LOST) if (isSet(row[column])) lost.set(column, (lost.get(column) ?? 0) + 1)
  }
  const findings = [
    { path: KEYS, ...exact('callers keep their keys: only the digests are taken over'), count: keys.length },
    ...Array.from(skipped, ([reason, count]) => ({ path: `${KEYS} (${reason})`, ...SKIPPED[reason], count })),
    ...LOST.flatMap(([column, note]) => counted(`${KEYS}.${column}`, manual(note), lost.get(column))),
  ]
  return { keys, findings: findings.filter(({ count }) => count > 0) }
}

function counted(path: string, verdict: Verdict, count: number | undefined) {
  return count ? [{ path, ...verdict, count }] : []
}

/** A budget of 0 or less is none in LiteLLM. */
function isSet(value: unknown): boolean {
  if (typeof value === 'number') return value > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return typeof value === 'string' && value !== ''
}

async function countTables(source: SourceDatabase): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [table, note] of TABLES) findings.push(...counted(table, manual(note), await source.count(table)))
  return findings
}
