import { readdirSync, readFileSync } from 'node:fs'
import type { ProviderRow, Region } from '../providers/provider.ts'

/** One line of `models/<provider>.json`: a name, a price and what the model can do. */
export type CatalogRow = {
  id: string
  type: ModelType
  /** Tokens; null where no source gives them. */
  context: number | null
  output: number | null
  price: Price | null
  can: readonly Capability[]
  regions?: readonly Region[]
  description?: string
  /** When it came out, in seconds since 1970; absent where no source says. */
  created?: number
}

export type ModelType = 'chat' | 'image' | 'responses'
export type Capability = 'vision' | 'reasoning' | 'tools'

/** USD per million tokens. A part that is absent costs what plain input (or output) costs. */
export type Price = Rates & { tiers?: readonly (Rates & { above: number })[] }
export type Rates = {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  audioInput?: number
  audioOutput?: number
}

export type Model = CatalogRow & { provider: string; regions: readonly Region[] }

export type Catalog = {
  find(provider: string, id: string): Model | undefined
  list(): readonly Model[]
}

type Owner = ProviderRow & { models?: readonly CatalogRow[] }

const FOLDER = new URL('models/', import.meta.url)

export function loadCatalog(providers: Record<string, Owner>): Catalog {
  const models = new Map<string, Model>()
  for (const file of readdirSync(FOLDER)) addFile(file)
  for (const [id, provider] of Object.entries(providers)) addRows(id, provider.models ?? [])
  const all = [...models.values()]
  return { find: (provider, id) => models.get(`${provider}/${id}`), list: () => all }

  function addFile(file: string) {
    const { models: rows } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { models: CatalogRow[] }
    addRows(file.replace(/\.json$/, ''), rows)
  }

  function addRows(provider: string, rows: readonly CatalogRow[]) {
    const home = providers[provider]?.regions ?? ['global']
    for (const row of rows) models.set(`${provider}/${row.id}`, { ...row, provider, regions: row.regions ?? home })
  }
}
