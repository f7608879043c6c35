import { mapOf, nullable, words } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { validator } from '../../base/schema/validator.ts'
import { loadCatalog, type CatalogProvider, shippedAt } from './catalog.ts'
import { checkCatalog, MODEL_TYPES } from './check-catalog.ts'
import { CatalogError, digestOfCatalog, openSignedCatalog } from './signed-catalog.ts'
import { DAY_MS } from '../../base/units/units.ts'

/** Models that replace those of the package, provider by provider. The texts are parsed whenever a catalog is built. */
export type CatalogUpdate = {
  /** Milliseconds since 1970. */
  datedAt: number
  /** Identifies the signed document. */
  digest: string
  /** The content of `models/<provider>.json`, by provider. */
  files: Readonly<Record<string, string>>
}

/** A clock may be wrong by this much. A catalog from the future would keep every later one out. */
const CLOCK_MS = DAY_MS
const MAX_FLAWS = 5
const FORMAT = 'gatehouse-catalog/1'

const amount = Type.Number()
const amounts = mapOf(amount)
const text = Type.String({ minLength: 1, maxLength: 2_000 })
const Tier = Type.Object({ above: amount, input: amount, output: amount })
const rates = { input: amount, output: amount, tiers: Type.Optional(Type.Array(Tier)) }
const Price = Type.Object({ ...rates, serviceTiers: Type.Optional(mapOf(Type.Object(rates))) })
const limit = nullable(Type.Integer({ minimum: 0 }), 'Tokens.')
const Row = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 500 }),
  type: words([...MODEL_TYPES]),
  context: limit,
  output: limit,
  price: nullable(Price, 'Prices.'),
  can: Type.Array(Type.String()),
  perImage: Type.Optional(Type.Array(Type.Object({ usd: amount }))),
  per: Type.Optional(amounts),
  perSearchContext: Type.Optional(amounts),
  geoFactors: Type.Optional(amounts),
  traits: Type.Optional(Type.Object({})),
  modalities: Type.Optional(Type.Object({ input: Type.Array(text), output: Type.Array(text) })),
  regions: Type.Optional(Type.Array(words(['global', 'eu', 'us']))),
  name: Type.Optional(text),
  family: Type.Optional(text),
  description: Type.Optional(text),
  released: Type.Optional(text),
  added: Type.Optional(text),
  translates: Type.Optional(Type.Boolean()),
  completions: Type.Optional(Type.Boolean()),
  ended: Type.Optional(text),
  retires_at: Type.Optional(text),
  replaced_by: Type.Optional(text),
  source: Type.Optional(text),
  checked: Type.Optional(text),
})
const File = Type.Object({
  source: text,
  checked: text,
  added: Type.Optional(text),
  retirements: Type.Optional(Type.Object({ source: text, checked: text })),
  models: Type.Array(Row),
})
const Document = Type.Object({ format: Type.Literal(FORMAT), dated: text, providers: mapOf(File) })
const documents = validator(Document)

type Check = { publicKeys: readonly string[]; providers: Record<string, CatalogProvider>; now: number }

/** Opens a signed document and checks everything in it. Throws a CatalogError that says what is wrong. */
export function openCatalogUpdate(document: string, { publicKeys, providers, now }: Check): CatalogUpdate {
  const { datedAt, files } = readCatalogText(openSignedCatalog(document, publicKeys))
  const update = { datedAt, files, digest: digestOfCatalog(document) }
  if (datedAt > now + CLOCK_MS) throw new CatalogError('the catalog is dated in the future')
  refuseFlaws(update, providers)
  return update
}

/** The text that is signed. */
export function writeCatalogText(dated: Date, files: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ format: FORMAT, dated: dated.toISOString(), providers: files })
}

/** Checks the form of the text. */
export function readCatalogText(catalog: string): Pick<CatalogUpdate, 'datedAt' | 'files'> {
  let content: unknown
  try {
    content = JSON.parse(catalog)
  } catch {
    throw new CatalogError('the catalog is not valid JSON')
  }
  if (!documents.check(content)) {
    const issues = documents.issues(content, []).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    throw new CatalogError(`the catalog is not valid: ${issues.slice(0, MAX_FLAWS).join('; ')}`)
  }
  const { dated, providers } = content as { dated: string; providers: Record<string, unknown> }
  const datedAt = Date.parse(dated)
  if (Number.isNaN(datedAt)) throw new CatalogError('the catalog has no valid date')
  const files = Object.entries(providers).map(([id, file]) => [id, JSON.stringify(file)])
  return { datedAt, files: Object.fromEntries(files) }
}

/** A provider that this version does not know has no row. Its models are left out, and nothing is wrong with the others. */
export function refuseFlaws(update: CatalogUpdate, providers: Record<string, CatalogProvider>): void {
  if (update.datedAt < shippedAt())
    throw new CatalogError('the catalog is older than the one that belongs to this version')
  const flaws = checkCatalog(providers, loadCatalog(providers, { update })).filter(({ model, flaw }) => {
    return Object.hasOwn(update.files, model.slice(0, model.indexOf('/'))) && !flaw.includes('has no row')
  })
  if (flaws.length === 0) return
  const shown = flaws.slice(0, MAX_FLAWS).map(({ model, flaw }) => `${model}: ${flaw}`)
  throw new CatalogError(`the catalog has ${flaws.length} errors: ${shown.join('; ')}`)
}
