import { checkCatalog } from '../catalog/check-catalog.ts'
import { loadCatalog } from '../catalog/catalog.ts'
import { loadConfig } from '../config/config.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'

/** Checks the data: every model has a provider row, every price has a source and a date. */
export async function catalog(_: Input<'catalog check'>, { environment, print }: Terminal): Promise<number> {
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
