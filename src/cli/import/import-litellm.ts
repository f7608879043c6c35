import { CLI } from '../../tenants/audit/author.ts'
import { loadCatalog } from '../../platform/catalog/catalog.ts'
import { type Config, loadConfig, parseConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/environment.ts'
import type { Draft } from './draft.ts'
import type { Finding } from './finding.ts'
import { applyImport, type ImportSums } from './litellm/apply-import.ts'
import { type DatabaseImport, importDatabase, NOTHING_EXISTS } from './litellm/database/import-database.ts'
import { modelNames } from './litellm/database/keys.ts'
import { importLitellm } from './litellm/import-litellm.ts'
import { limitedModels, timezoneIn } from './litellm/limit-names.ts'
import { readSource } from './litellm/read-source.ts'
import { countsOf, reportText } from './report.ts'
import { writeFiles } from './write-files.ts'
import { openStore } from '../../server/open-store.ts'
import type { Database } from '../../platform/store/database.ts'
import { readExisting } from '../../platform/store/imports/imported-content.ts'
import type { Input } from '../command-line/command-table.ts'
import { withProgress } from '../output/progress.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { summaryOf } from './import-summary.ts'
import { type Output, outputsOf } from './outputs.ts'

/** A dry run, unless --apply is given: reads everything, writes nothing, and says what would happen. */
export async function importLitellmCommand(input: Input<'import litellm'>, terminal: Terminal): Promise<number> {
  const { values, operands } = input
  const environment = terminal.environment!
  const source = readSource(operands[0]!)
  const imported = importLitellm(source.content, { environment, catalog: shippedCatalog() })
  const outputs = outputsOf(imported.draft, values)
  if (values.apply && values['dry-run']) throw new UsageError('Use either --apply or --dry-run.')
  const database = await readDatabase(source.content, imported.draft, { terminal, isApplied: values.apply === true })
  const { screen } = terminal
  const sums = values.apply ? await withProgress('Writing', { screen }, () => apply(outputs, database)) : undefined
  const findings = [...source.findings, ...imported.findings, ...(database?.content.findings ?? [])]
  terminal.print(values.json ? jsonOf(findings, outputs, sums) : reportText(findings))
  const [content, isApplied, envFiles] = [database?.content, values.apply === true, values['env-file'] ?? []]
  if (!values.json) terminal.print(summaryOf({ outputs, content, sums, isApplied, envFiles }))
  return 0
}

type ReadDatabase = { content: DatabaseImport; config: Config }

/** What LiteLLM's database has, if there is one. Only an import that writes looks at what is here already. */
async function readDatabase(
  source: Record<string, unknown>,
  draft: Draft,
  { terminal, isApplied }: { terminal: Terminal; isApplied: boolean },
): Promise<ReadDatabase | undefined> {
  const url = terminal.environment!.LITELLM_DATABASE_URL
  if (!url) return undefined
  const config = ownConfig(url, terminal.environment!)
  const options = {
    region: config.region,
    now: Date.now(),
    ...modelNames(source),
    timezone: timezoneIn(source),
    modelsOf: limitedModels(draft),
    known: isApplied ? await withStore(config, readExisting) : NOTHING_EXISTS,
  }
  const content = await withProgress('Reading keys', { screen: terminal.screen }, ({ at }) =>
    importDatabase(url, { ...options, read: at }),
  )
  return { content, config }
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

/** The content is added in one transaction, after the files are known to be writable and before they are in their places. */
async function apply(outputs: readonly Output[], database: ReadDatabase | undefined): Promise<ImportSums | undefined> {
  const files = outputs.filter(({ state }) => state !== 'unchanged')
  return await writeFiles(files, async () => {
    if (!database) return undefined
    const { config, content } = database
    return await withStore(config, (db) => applyImport(db, content, { author: CLI, now: Date.now() }))
  })
}

async function withStore<Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = await openStore(config)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

function jsonOf(findings: readonly Finding[], outputs: readonly Output[], sums: ImportSums | undefined): string {
  const files = outputs.map(({ path, state }) => ({ path, state }))
  return `${JSON.stringify({ counts: countsOf(findings), findings, files, ...(sums && { imported: sums }) }, null, 2)}\n`
}
