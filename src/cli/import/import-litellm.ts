import { CLI } from '../../audit/author.ts'
import { recorded } from '../../audit/record.ts'
import { loadCatalog } from '../../catalog/catalog.ts'
import { type Config, loadConfig, parseConfig } from '../../config/config.ts'
import type { Environment } from '../../config/environment.ts'
import type { Finding } from '../../import/finding.ts'
import { type DatabaseImport, importDatabase } from '../../import/litellm/database/import-database.ts'
import { knownNames } from '../../import/litellm/database/keys.ts'
import { importLitellm } from '../../import/litellm/import-litellm.ts'
import { readSource } from '../../import/litellm/read-source.ts'
import { countsOf, reportText } from '../../import/report.ts'
import { writeFiles } from '../../import/write-files.ts'
import { openStore } from '../../open-store.ts'
import { importKeys, type ImportCounts } from '../../store/keys/imported-keys.ts'
import type { Input } from '../command-line/command-table.ts'
import { withProgress } from '../output/progress.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { nextLine, type Output, outputLine, outputsOf } from './outputs.ts'

/** A dry run, unless --apply is given: reads everything, writes nothing, and says what would happen. */
export async function importLitellmCommand(input: Input<'import litellm'>, terminal: Terminal): Promise<number> {
  const { values, operands } = input
  const environment = terminal.environment!
  const source = readSource(operands[0]!)
  const imported = importLitellm(source.content, { environment, catalog: shippedCatalog() })
  const outputs = outputsOf(imported.draft, values)
  const url = environment.LITELLM_DATABASE_URL
  const config = url ? ownConfig(url, environment) : undefined
  const { screen } = terminal
  const known = knownNames(source.content)
  const database =
    config &&
    (await withProgress('Reading keys', { screen }, ({ at }) =>
      importDatabase(url!, { region: config.region, now: Date.now(), read: at, ...known }),
    ))
  const counts = values.apply
    ? await withProgress('Writing', { screen }, () => apply(outputs, database, config))
    : undefined
  const findings = [...source.findings, ...imported.findings, ...(database?.findings ?? [])]
  terminal.print(values.json ? jsonOf(findings, outputs, counts) : reportText(findings))
  if (!values.json) terminal.print(summaryOf({ outputs, database, counts, isApplied: values.apply === true }))
  return 0
}

/** The catalog that knows what the import may refer to, whatever this installation has configured. */
function shippedCatalog() {
  return loadCatalog(parseConfig({ environment: {}, file: { path: undefined, content: {} } }).providers)
}

/** LiteLLM's environment names its own database, in which Gatehouse must not create tables. */
function ownConfig(url: string, environment: Environment): Config {
  const config = loadConfig(environment)
  if (config.databaseUrl && placeOf(config.databaseUrl) === placeOf(url))
    throw new UsageError(
      "DATABASE_URL is LiteLLM's database. Set it to a database of Gatehouse's own, or leave it out for the embedded one.",
    )
  return config
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** The keys are added in one transaction, after the files are known to be writable and before they are in their places. */
async function apply(outputs: readonly Output[], database: DatabaseImport | undefined, config: Config | undefined) {
  const files = outputs.filter(({ state }) => state !== 'unchanged')
  return await writeFiles(files, async () => (database && config ? await addKeys(database, config) : undefined))
}

async function addKeys({ keys }: DatabaseImport, config: Config): Promise<ImportCounts> {
  const db = await openStore(config)
  try {
    const event = { action: 'import.litellm', object: 'keys', after: { keys: keys.length } }
    return await importKeys(recorded(db, CLI, event), keys)
  } finally {
    await db.close()
  }
}

function jsonOf(findings: readonly Finding[], outputs: readonly Output[], keys: ImportCounts | undefined): string {
  const files = outputs.map(({ path, state }) => ({ path, state }))
  return `${JSON.stringify({ counts: countsOf(findings), findings, files, ...(keys && { keys }) }, null, 2)}\n`
}

type Summary = {
  outputs: readonly Output[]
  database: DatabaseImport | undefined
  counts: ImportCounts | undefined
  isApplied: boolean
}

function summaryOf({ outputs, database, counts, isApplied }: Summary): string {
  const files = outputs.map((output) => outputLine(output, isApplied)).join('')
  const keys = counts
    ? `keys: ${counts.added} added, ${counts.present} there already, ${counts.revoked} revoked\n`
    : database
      ? `keys: ${database.keys.length} would be added, if they are not there already\n`
      : ''
  const secrets = outputs.find(({ holdsSecrets }) => holdsSecrets)
  const next = nextLine(outputs, isApplied, secrets ? [secrets.path] : [])
  return `\n${files}${keys}${next}`
}
