import { readdirSync, readFileSync } from 'node:fs'
import type { ModelTraits } from '../../translation/dialects/model-traits.ts'
import { type Located, regionsOfModel } from '../providers/model-regions.ts'
import type { Region } from '../providers/provider.ts'
import families from './families.json' with { type: 'json' }

/** One model: a name, a price and capabilities. */
export type CatalogRow = {
  id: string
  /** The display name, if the maker gives one. */
  name?: string
  type: ModelType
  /** Tokens; null if no source gives them. */
  context: number | null
  output: number | null
  /** The price of tokens; null if no source gives it or something else is billed. */
  price: Price | null
  /**
   * The price of an image: the first entry that matches. If the reply reports tokens, `price` is exact and this is an estimate.
   */
  perImage?: readonly ImagePrice[]
  /** USD per unit, in addition to tokens or instead of them. */
  per?: Readonly<Partial<Record<Unit, number>>>
  /** USD per request by the amount of search results that the model reads, for models that always search. */
  perSearchContext?: Readonly<Record<'low' | 'medium' | 'high', number>>
  /** Factors of the price, by the place to which the inference is restricted. */
  geoFactors?: Readonly<Record<string, number>>
  /** Its provider serves it on its responses endpoint too, at the provider's usual address. */
  responses?: boolean
  /** It translates recordings to English, at its provider's endpoint for that. */
  translates?: boolean
  /** It completes text, at its provider's older endpoint for that. False: it does not, although its provider has the endpoint. */
  completions?: boolean
  /** Capabilities that a source confirms; others may still work. */
  can: readonly Capability[]
  /** Input and output modalities, if there are more than text and the images of `vision`. */
  modalities?: { input: readonly Modality[]; output: readonly Modality[] }
  /**
   * 1 (weak) to 5 (strong), for ranking. A rule, not a measurement: the median price of the same model over all hosts, (3 ×
   * input + output) ÷ 4, gives one step more from 0.15, 0.6, 2 and 6 USD on; superseded families are limited to 1 to 4, and
   * models of up to 9 billion parameters to 1, whatever they cost.
   */
  quality?: 1 | 2 | 3 | 4 | 5
  /** A name in `families.json`: the model has the traits of that family unless its row overrides them. */
  family?: string
  traits?: ModelTraits
  regions?: readonly Region[]
  description?: string
  /** The day of its release: from the provider's documentation, or the date in the name of a snapshot. Absent without a source. */
  released?: string
  /** The day on which the row came into this catalog. Absent: that of its file. */
  added?: string
  /** The day on which its provider ended it. It is refused with that day, and no list has it. */
  ended?: string
  /** The day on which its provider will end it. Until then, answers carry a note and a `Sunset` header. */
  retires_at?: string
  /** The model that its provider recommends instead: a name at the same provider, or `provider/model`. */
  replaced_by?: string
  /** The source of the price, and the day on which it was checked. */
  source?: string
  checked?: string
}

export type ModelType =
  | ('chat' | 'image' | 'responses' | 'embedding' | 'speech')
  | ('transcription' | 'moderation' | 'rerank' | 'video')
export type Capability = 'vision' | 'reasoning' | 'tools' | 'files' | 'json_schema' | 'audio' | 'web_search'
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file' | 'embedding'
/** A searched request is one with at least one search; citation and reasoning tokens come on top of the counted ones. */
export type Unit =
  | ('request' | 'search' | 'searched_request' | 'second' | 'character' | 'megapixel')
  | ('citation_token' | 'reasoning_token')

/** USD per million tokens. A missing part costs as much as plain input (or output). */
export type Price = SteppedRates & {
  /** By the service tier that an answer names, such as `priority`. A dearer tier that is missing here has an unknown price. */
  serviceTiers?: Readonly<Record<string, SteppedRates>>
  /** USD per million tokens and hour, for caches that are created explicitly. */
  cacheStorage?: number
}
/** A prompt of more than `above` tokens moves the whole request to the rates of that step. */
export type SteppedRates = Rates & { tiers?: readonly (Rates & { above: number })[] }
export type Rates = {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** For cache entries of one hour instead of minutes; absent: same as `cacheWrite`. */
  cacheWrite1h?: number
  audioInput?: number
  audioOutput?: number
  imageInput?: number
  imageOutput?: number
}
/** USD for an image of at most this size (`1024x1024`) and of this quality; a missing member matches anything. */
export type ImagePrice = { usd: number; size?: string; quality?: string }

export type Model = CatalogRow & {
  provider: string
  regions: readonly Region[]
  /** The regions that its row names, before the address of the provider is taken into account. */
  listedRegions?: readonly Region[] | undefined
  /** Seconds since 1970: the release, or else the day on which the row came into this catalog. */
  created: number
}

export type Catalog = {
  find(provider: string, id: string): Model | undefined
  list(): readonly Model[]
  /** The models that have ended, which `find` finds and `list` leaves out. */
  ended?(): readonly Model[]
  /** Problems of the files. `gatehouse catalog check` reports them; the gateway starts anyway. */
  readonly flaws?: readonly Flaw[]
}

export type Flaw = { model: string; flaw: string }

/** `models/<provider>.json`: the source of all prices whose row names no other, and where its provider says when models end. */
export type ModelFile = Origin & { retirements?: { source: string; checked: string }; models: CatalogRow[] }
type Origin = Pick<CatalogRow, 'source' | 'checked' | 'added'>
export type CatalogProvider = Located & { models?: readonly CatalogRow[] }

const FOLDER = new URL('models/', import.meta.url)
const FAMILIES = new Map(Object.entries(families as Record<string, ModelTraits>))
/** The source of models that the operator adds: the operator is responsible for their prices. */
export const OPERATOR = 'the configuration'
const DAY = /^\d{4}-\d\d-\d\d$/

/** What operators say about prices, by `provider/model`. */
export type PriceOverrides = Readonly<Record<string, Override>>
type Override = Pick<CatalogRow, 'perImage' | 'per'> & { price?: Price }

/** Whether the operator says what a model costs. Then no other list does. */
export function hasOwnPrice(entry: Model | undefined): entry is Model {
  return entry?.source === OPERATOR && Boolean(entry.price ?? entry.perImage ?? entry.per)
}

type Options = {
  /** The day on which the operator's models came. */
  today?: string
  folder?: URL
  /** Files that replace those of the folder, by provider. */
  update?: { files: Readonly<Record<string, string>> } | undefined
  prices?: PriceOverrides | undefined
}

/** Loads the models of these providers; a file of another provider is a flaw. */
export function loadCatalog(providers: Record<string, CatalogProvider>, options: Options = {}): Required<Catalog> {
  const { today, folder = FOLDER, update, prices = {} } = options
  const ofOperator: Origin = { source: OPERATOR, ...(today && { added: today }) }
  const loaded = new LoadedModels(providers)
  const files = update?.files ?? {}
  for (const file of readdirSync(folder)) {
    const provider = file.replace(/\.json$/, '')
    if (!Object.hasOwn(files, provider)) loaded.addFile(provider, () => readFileSync(new URL(file, folder), 'utf8'))
  }
  for (const [provider, text] of Object.entries(files)) loaded.addFile(provider, () => text)
  for (const [id, { models = [] }] of Object.entries(providers)) loaded.addRows(id, structuredClone(models), ofOperator)
  for (const [name, override] of Object.entries(prices)) loaded.overridePrice(name, override, ofOperator)
  const [all, ended] = loaded.servedAndEnded()
  return {
    find: (provider, id) => loaded.find(provider, id),
    list: () => all,
    ended: () => ended,
    flaws: loaded.flaws,
  }
}

class LoadedModels {
  readonly flaws: Flaw[] = []
  readonly #providers: Record<string, CatalogProvider>
  readonly #models = new Map<string, Map<string, Model>>()
  readonly #secondsOf = secondsOfDays()

  constructor(providers: Record<string, CatalogProvider>) {
    this.#providers = providers
  }

  find(provider: string, id: string): Model | undefined {
    return this.#models.get(provider)?.get(id)
  }

  servedAndEnded(): [Model[], Model[]] {
    const all = [...this.#models.values()].flatMap((ofProvider) => [...ofProvider.values()])
    return [all.filter(isServed), all.filter((model) => !isServed(model))]
  }

  addFile(provider: string, read: () => string): void {
    if (!Object.hasOwn(this.#providers, provider)) {
      this.flaws.push({ model: `${provider}/*`, flaw: 'its provider has no row' })
      return
    }
    const { models: rows, ...origin } = JSON.parse(read()) as ModelFile
    for (const id of repeated(rows)) this.flaws.push({ model: `${provider}/${id}`, flaw: 'it is listed twice' })
    this.addRows(provider, rows, origin)
  }

  /** A model that is in no catalog gets a row, so that its calls have a price. */
  overridePrice(name: string, override: PriceOverrides[string], origin: Origin): void {
    const slash = name.indexOf('/')
    const [provider, id] = [name.slice(0, slash), name.slice(slash + 1)]
    const existing = this.find(provider, id)
    const own = { ...structuredClone(override), source: OPERATOR }
    if (existing) Object.assign(existing, repriced(existing, own), { checked: undefined })
    else this.addRows(provider, [{ ...UNKNOWN_MODEL, id, ...own }], origin)
  }

  /** Makes the rows themselves into models: copies of so many are felt at the start. */
  addRows(provider: string, rows: readonly CatalogRow[], { source, checked, added }: Origin): void {
    const owner = this.#providers[provider] ?? {}
    const models = this.#models.get(provider) ?? new Map<string, Model>()
    this.#models.set(provider, models)
    for (const row of rows) {
      for (const flaw of flawsOf(row)) this.flaws.push({ model: `${provider}/${row.id}`, flaw })
      row.source ??= source
      row.checked ??= checked
      row.traits = traitsOf(row)
      const created = this.#secondsOf(row.released ?? row.added ?? added)
      const [listedRegions, regions] = [row.regions, regionsOfModel(owner, row.id, row)]
      models.set(row.id, Object.assign(row, { provider, created, regions, listedRegions }))
    }
  }
}

/**
 * The prices of a row with those of the operator. A chat is paid by its tokens, and the operator may change these or the fees that
 * come on top. Tokens, images, units and requests are different ways to pay for other work: the operator's takes the place of all.
 */
function repriced({ type, per }: Model, own: Override): Partial<Model> {
  if (type !== 'chat' && type !== 'responses') return { price: null, perImage: undefined, per: undefined, ...own }
  return per && own.per ? { ...own, per: { ...per, ...own.per } } : own
}

function flawsOf({ family, ended, released, added }: CatalogRow): string[] {
  const noDays = [ended, released, added].filter((day) => day !== undefined && !DAY.test(day))
  const unknown = family && !FAMILIES.has(family) ? [`its family '${family}' is unknown`] : []
  return [...unknown, ...noDays.map((day) => `'${day}' is no day`)]
}

const UNKNOWN_MODEL = { type: 'chat', context: null, output: null, price: null, can: [] } as const

function isServed({ ended }: Model): boolean {
  return ended === undefined
}

/** Many rows have the same day, and parsing a date takes longer than everything else that a row needs. */
function secondsOfDays() {
  const cached = new Map<string, number>()
  return (day = '') => {
    const seconds = cached.get(day) ?? (Date.parse(day) || 0) / 1000
    cached.set(day, seconds)
    return seconds
  }
}

function traitsOf({ traits, output, family = '' }: CatalogRow): ModelTraits | undefined {
  const ofFamily = FAMILIES.get(family)
  if (output === null && !traits) return ofFamily
  return { ...(output !== null && { maxOutput: output }), ...ofFamily, ...traits }
}

function repeated(rows: readonly CatalogRow[]): string[] {
  const seen = new Set<string>()
  return rows.filter(({ id }) => seen.size === seen.add(id).size).map(({ id }) => id)
}

/** Longer than what stands before the models in a file. */
const HEAD_CHARS = 500
let shippedDay: number | undefined

/** When the catalog of the package was last checked, in milliseconds since 1970. */
export function shippedAt(): number {
  shippedDay ??= newestDay()
  return shippedDay
}

function newestDay(): number {
  const heads = readdirSync(FOLDER).map((file) => readFileSync(new URL(file, FOLDER), 'utf8').slice(0, HEAD_CHARS))
  const days = heads.flatMap((head) => [...head.matchAll(/"(?:checked|added)": "(\d{4}-\d\d-\d\d)"/g)])
  return Math.max(0, ...days.map(([, day]) => Date.parse(day!)))
}
