import Type, { type Static } from '../../base/schema/type.ts'
import { didYouMean } from '../../base/schema/nearest-name.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { CatalogRow } from '../catalog/catalog.ts'
import { freeObject, mapOf, words } from '../../base/schema/fields.ts'
import { type DialectName, DIALECT_NAMES } from '../../translation/dialects/index.ts'
import { REASONING_TAGS } from '../../translation/dialects/openai/compat.ts'
import { RERANK_WIRES, type RerankWire } from '../../translation/dialects/rerank-wires/index.ts'
import { type BatchApi, type ModelNaming, type ProviderRow, REGIONS } from '../providers/provider.ts'
import { PROVIDERS } from '../providers/providers.ts'
import { ConfigError } from './config-error.ts'
import { checkSection } from './section.ts'

const Closed = { additionalProperties: false }
const Price = Type.Number({ minimum: 0 })
const CustomModel = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    context: Type.Optional(Type.Integer({ minimum: 1 })),
    output: Type.Optional(Type.Integer({ minimum: 1 })),
    price: Type.Optional(
      Type.Object(
        { input: Price, output: Price, cacheRead: Type.Optional(Price), cacheWrite: Type.Optional(Price) },
        Closed,
      ),
    ),
  },
  Closed,
)
const flag = Type.Optional(Type.Boolean())
const CustomCompat = Type.Object(
  {
    developer: flag,
    nameless: flag,
    cacheMarks: flag,
    details: flag,
    mistral: flag,
    watsonx: flag,
    ownAnswers: flag,
    signedCalls: flag,
    alternates: flag,
    endsWithoutReason: Type.Optional(words(['always', 'calls'])),
    reasoning: Type.Optional(words(['refused', 'as reasoning', 'demanded'])),
    reasoningTag: Type.Optional(words([...REASONING_TAGS])),
    thinking: Type.Optional(
      words([
        'reasoning_effort',
        'thinking',
        'thinking_budget',
        'enable_thinking',
        'reasoning',
        'reasoning_enabled',
        'chat_template_kwargs',
      ]),
    ),
  },
  Closed,
)
const CustomBatches = Type.Object(
  {
    factor: Type.Number({ minimum: 0, maximum: 1 }),
    endpoints: Type.Optional(Type.Array(words(['/chat/completions', '/completions', '/responses', '/embeddings']))),
    prefix: Type.Optional(Type.String()),
  },
  Closed,
)
export const CustomProvider = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1 })),
    dialect: words(DIALECT_NAMES),
    baseUrl: Type.String({ minLength: 1 }),
    auth: Type.Optional(
      Type.Object(
        {
          scheme: words(['bearer', 'header', 'none']),
          header: Type.Optional(Type.String({ minLength: 1 })),
          env: Type.Optional(Type.String({ minLength: 1 })),
          optional: Type.Optional(Type.Boolean()),
        },
        Closed,
      ),
    ),
    prefill: Type.Optional(Type.Boolean()),
    strict: Type.Optional(Type.Boolean()),
    regions: Type.Optional(Type.Array(words([...REGIONS]))),
    fieldRules: Type.Optional(
      Type.Object(
        {
          drop: Type.Optional(Type.Array(Type.String())),
          rename: Type.Optional(mapOf(Type.String())),
          defaults: Type.Optional(freeObject()),
        },
        Closed,
      ),
    ),
    compat: Type.Optional(CustomCompat),
    choices: Type.Optional(Type.Literal('one')),
    responses: Type.Optional(Type.Boolean()),
    completions: Type.Optional(Type.Boolean()),
    traceContext: Type.Optional(Type.Boolean()),
    rerank: Type.Optional(words(Object.keys(RERANK_WIRES) as RerankWire[])),
    allowFields: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    servesEnded: Type.Optional(Type.Boolean()),
    batches: Type.Optional(Type.Union([Type.Literal(false), CustomBatches])),
    models: Type.Optional(Type.Array(CustomModel)),
  },
  Closed,
)
const Sections = mapOf(CustomProvider)

type CustomProviders = Record<string, Static<typeof CustomProvider>>
type Settings = Partial<CustomProviders[string]>

/** The names of models follow the wire format. */
const NAMINGS: Partial<Record<DialectName, ModelNaming>> = { bedrock: 'bedrock', gemini: 'google' }

/** Reads the custom providers of the config file. */
export function readCustomProviders(custom: unknown): Record<string, ProviderRow & { models: readonly CatalogRow[] }> {
  if (isRecord(custom)) for (const [id, section] of Object.entries(custom)) refuseMistyped(id, section)
  checkSection('providers', Sections, custom)
  return Object.fromEntries(Object.entries(custom as CustomProviders).map(([id, row]) => [id, toRow(id, row)]))
}

/** Only a section of a built-in provider may leave the dialect out, so one without it may mean that provider. */
function refuseMistyped(id: string, section: unknown): void {
  const hint = didYouMean(id, Object.keys(PROVIDERS))
  if (hint !== '' && isRecord(section) && section.dialect === undefined)
    throw new ConfigError(`providers.${id}: a provider of your own needs a dialect.${hint}`)
}

function toRow(id: string, custom: CustomProviders[string]) {
  const { auth, dialect, models: _, batches, ...settings } = custom
  if (!/^[a-z0-9_-]+$/.test(id)) throw new ConfigError(`providers.${id}: a name may contain only a-z, 0-9, _ and -`)
  checkSettings(id, custom)
  return {
    name: id,
    ...settings,
    baseUrl: custom.baseUrl,
    dialect: dialect as DialectName,
    ...(Object.hasOwn(NAMINGS, dialect) && { modelNaming: NAMINGS[dialect as DialectName]! }),
    auth: (auth ?? { scheme: 'none' }) as ProviderRow['auth'],
    ...(batches && { batches: batchApiOf(id, batches, custom.dialect as DialectName) }),
    models: modelRows(custom),
  }
}

/** Throws a ConfigError for what the schema cannot say. */
export function checkSettings(id: string, { baseUrl, dialect, responses, completions }: Settings): void {
  if (baseUrl !== undefined && !isHttpUrl(baseUrl))
    throw new ConfigError(`providers.${id}.baseUrl: should be an http:// or https:// address`)
  if (responses && dialect !== undefined && dialect !== 'openai')
    throw new ConfigError(`providers.${id}.responses: only the dialect openai has it`)
  if (completions && dialect !== undefined && dialect !== 'openai')
    throw new ConfigError(`providers.${id}.completions: only the dialect openai has it`)
}

/** The batches of a server that has those of OpenAI, as the config file describes them. */
export function batchApiOf(
  id: string,
  { factor, endpoints, prefix = '/v1' }: Static<typeof CustomBatches>,
  dialect: DialectName | undefined,
): BatchApi {
  if (dialect !== 'openai')
    throw new ConfigError(`providers.${id}.batches: only the dialect openai has it; false turns batches off`)
  return { wire: 'openai', factor, endpoints: endpoints ?? ['/chat/completions'], prefix, source: 'the config file' }
}

export function modelRows({ models = [] }: Settings): CatalogRow[] {
  const unknown = { context: null, output: null, price: null }
  return models.map((model) => ({ ...unknown, ...model, type: 'chat' as const, can: [] }))
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
