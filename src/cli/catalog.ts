import { readFileSync, statSync } from 'node:fs'
import { pino } from 'pino'
import { CLI } from '../tenants/audit/author.ts'
import { loadCatalog } from '../platform/catalog/catalog.ts'
import { checkCatalog } from '../platform/catalog/check-catalog.ts'
import { MAX_CATALOG_BYTES } from '../platform/catalog/signed-catalog.ts'
import { acceptCatalog, type CatalogOutcome } from '../server/catalog-updates.ts'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { fetchDocument } from '../platform/net/fetch-document.ts'
import { openNetwork } from '../server/network.ts'
import { openStore } from '../server/open-store.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Checks the data: every model has a provider row, every price has a source and a date. */
export async function checkShipped(_: Input<'catalog check'>, { environment, print }: Terminal): Promise<number> {
  const { providers } = loadConfig(environment)
  const loaded = loadCatalog(providers)
  const flaws = checkCatalog(providers, loaded)
  for (const { model, flaw } of flaws) print(`${model}: ${flaw}\n`)
  const models = loaded.list()
  const priced = models.filter(({ price, perImage, per }) => price || perImage || per).length
  const served = new Set(models.map(({ provider }) => provider)).size
  print(`${models.length} models of ${served} providers, ${priced} with a price, ${flaws.length} errors\n`)
  return flaws.length === 0 ? 0 : 1
}

/** Stores a signed catalog for all processes of the installation, which use it within seconds. */
export async function updateCatalog(
  { operands: [given] }: Input<'catalog update'>,
  { environment, print }: Terminal,
): Promise<number> {
  const config = loadConfig(environment)
  const source = given ?? config.catalogUrl
  if (!source)
    throw new UsageError('Name a file or an address, or set CATALOG_URL. See `gatehouse catalog update --help`.')
  if (config.catalogPublicKey.length === 0)
    throw new UsageError('Set CATALOG_PUBLIC_KEY to the key that has signed the catalog.')
  const document = /^https?:\/\//.test(source) ? await download(source, config) : readDocument(source)
  const db = await openStore(config)
  try {
    const accepted = await acceptCatalog(document, { config, db, now: Date.now, author: CLI })
    print(`${sentenceOf(accepted)}\n`)
    return accepted.outcome === 'older' ? 1 : 0
  } finally {
    await db.close()
  }
}

function sentenceOf({ outcome, update: { datedAt, files } }: CatalogOutcome): string {
  const dated = `The catalog of ${new Date(datedAt).toISOString()}`
  if (outcome === 'same') return `${dated} is in use already.`
  if (outcome === 'older') return `${dated} is refused: a catalog of the same or a later date is in use.`
  return `${dated} with the models of ${Object.keys(files).length} providers is in use. Running processes take it over within seconds.`
}

async function download(url: string, config: Config): Promise<string> {
  const { upstream, direct } = openNetwork(config, pino({ level: 'silent' }))
  try {
    const fetched = await fetchDocument(url, { send: upstream.send, maxBytes: MAX_CATALOG_BYTES })
    return fetched!.text
  } catch (error) {
    throw new UsageError(`The catalog cannot be fetched: ${(error as Error).message}.`)
  } finally {
    await Promise.all([upstream.close(), direct.close()])
  }
}

function readDocument(file: string): string {
  try {
    if (statSync(file).size > MAX_CATALOG_BYTES) throw new Error(`it is larger than ${MAX_CATALOG_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`)
  }
}
