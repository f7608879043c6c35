import { readdirSync, readFileSync } from 'node:fs'
import type { ModelTraits } from '../dialects/model-traits.ts'
import { type Located, regionsOfModel } from '../providers/model-regions.ts'
import type { Region } from '../providers/provider.ts'
import families from './families.json' with { type: 'json' }

/** One model: a name, a price and what it can do. */
export type CatalogRow = {
  id: string
  /** The name to show to people, where its maker gives one. */
  name?: string
  type: ModelType
  /** Tokens; null where no source gives them. */
  context: number | null
  output: number | null
  /** What tokens cost; null where no source says, or where something else than tokens is paid for. */
  price: Price | null
  /** What an image costs, the first entry that fits; where the reply counts tokens, `price` is exact and this an estimate. */
  perImage?: readonly ImagePrice[]
  /** USD for one of these, beside the tokens or instead of them. */
  per?: Readonly<Partial<Record<Unit, number>>>
  /** What a source says it can do: what is missing may still work. */
  can: readonly Capability[]
  /** What goes in and comes out, where it is more than text and the images of `vision`. */
  modalities?: { input: readonly Modality[]; output: readonly Modality[] }
  /**
   * 1 (weak) to 5 (strong), for ranking. A rule, not a measurement: the middle price of the same model over all hosts,
   * (3 × input + output) ÷ 4, from 0.15, 0.6, 2 and 6 USD on is one step higher; superseded families are held at 1 to 4 and
   * models of up to 9 billion parameters at 1, whatever they cost.
   */
  quality?: 1 | 2 | 3 | 4 | 5
  /** A name in `families.json`: it has the traits of that family unless it says otherwise. */
  family?: string
  traits?: ModelTraits
  regions?: readonly Region[]
  description?: string
  /** When it came out, in seconds since 1970; absent where no source says. */
  created?: number
  /** Where the price comes from and on which day it was true. */
  source?: string
  checked?: string
}

export type ModelType =
  | ('chat' | 'image' | 'responses' | 'embedding' | 'speech')
  | ('transcription' | 'moderation' | 'rerank' | 'video')
export type Capability = 'vision' | 'reasoning' | 'tools' | 'files' | 'json_schema' | 'audio' | 'web_search'
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file' | 'embedding'
export type Unit = 'request' | 'search' | 'second' | 'character' | 'megapixel'

/** USD per million tokens. A part that is absent costs what plain input (or output) costs. */
export type Price = Rates & { tiers?: readonly (Rates & { above: number })[] }
export type Rates = {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** Kept for an hour instead of minutes; absent: as `cacheWrite`. */
  cacheWrite1h?: number
  audioInput?: number
  audioOutput?: number
  imageInput?: number
  imageOutput?: number
}
/** USD for an image of at most this size (`1024x1024`), of this quality; what is absent fits any. */
export type ImagePrice = { usd: number; size?: string; quality?: string }

export type Model = CatalogRow & { provider: string; regions: readonly Region[] }

export type Catalog = {
  find(provider: string, id: string): Model | undefined
  list(): readonly Model[]
  /** What was wrong with the files: `gatehouse catalog check` tells it, the gateway lives with it. */
  readonly flaws?: readonly Flaw[]
}

export type Flaw = { model: string; flaw: string }

/** `models/<provider>.json`: the origin of all prices whose row names no other. */
type ModelFile = Origin & { models: CatalogRow[] }
type Origin = Pick<CatalogRow, 'source' | 'checked'>
type Owner = Located & { models?: readonly CatalogRow[] }

const FOLDER = new URL('models/', import.meta.url)
const FAMILIES = new Map(Object.entries(families as Record<string, ModelTraits>))
/** The source of models that the operator adds: nobody else has to answer for their prices. */
export const OPERATOR = 'the configuration'
const OWN: Origin = { source: OPERATOR }

/** The models of these providers; a file of another provider is a flaw. */
export function loadCatalog(providers: Record<string, Owner>, folder = FOLDER): Required<Catalog> {
  const models = new Map<string, Model>()
  const flaws: Flaw[] = []
  for (const file of readdirSync(folder)) addFile(file.replace(/\.json$/, ''), new URL(file, folder))
  for (const [id, { models: rows = [] }] of Object.entries(providers)) addRows(id, structuredClone(rows), OWN)
  const all = [...models.values()]
  return { find: (provider, id) => models.get(`${provider}/${id}`), list: () => all, flaws }

  function addFile(provider: string, file: URL) {
    if (!Object.hasOwn(providers, provider)) {
      flaws.push({ model: `${provider}/*`, flaw: 'its provider has no row' })
      return
    }
    const { models: rows, ...origin } = JSON.parse(readFileSync(file, 'utf8')) as ModelFile
    for (const id of repeated(rows)) flaws.push({ model: `${provider}/${id}`, flaw: 'it is listed twice' })
    addRows(provider, rows, origin)
  }

  /** Makes the rows themselves into models: copies of so many are felt at the start. */
  function addRows(provider: string, rows: readonly CatalogRow[], { source, checked }: Origin) {
    const owner = providers[provider] ?? {}
    for (const row of rows) {
      const name = `${provider}/${row.id}`
      const { family } = row
      if (family && !FAMILIES.has(family)) flaws.push({ model: name, flaw: `its family '${family}' is unknown` })
      row.source ??= source
      row.checked ??= checked
      row.traits = traitsOf(row)
      models.set(name, Object.assign(row, { provider, regions: regionsOfModel(owner, row.id, row) }))
    }
  }
}

function traitsOf({ traits, output, family = '' }: CatalogRow): ModelTraits | undefined {
  const known = FAMILIES.get(family)
  if (output === null && !traits) return known
  return { ...(output !== null && { maxOutput: output }), ...known, ...traits }
}

function repeated(rows: readonly CatalogRow[]): string[] {
  const seen = new Set<string>()
  return rows.filter(({ id }) => seen.size === seen.add(id).size).map(({ id }) => id)
}
