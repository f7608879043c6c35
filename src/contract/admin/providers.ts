import { nullable, optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ModelPricing, ModelRegion } from '../models.ts'
import { pageOf } from '../paging.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const ProviderCredential = Type.Object(
  {
    index: count('Its index in the list of the provider.'),
    name: nullable(Type.String(), 'The name that targets are bound to.'),
    ends_with: nullable(Type.String(), 'Its last four characters. Null if it is too short to show some of it.'),
    weight: Type.Number({ description: 'Its share of the calls.' }),
    state: words(['ready', 'failing'], { description: '`failing`: it is set aside for some models.' }),
    set_aside: Type.Array(
      Type.Object({
        model: text('The model, as `provider/model`.'),
        because: text('The last failure.'),
        retry_in_ms: Type.Number({ minimum: 0, description: 'When the next call is let through.' }),
      }),
      { description: 'The models for which it is set aside now.' },
    ),
  },
  { title: 'ProviderCredential', description: 'A key at a provider, masked.' },
)

const ProviderState = Type.Object(
  {
    id: text('The first part of model names.'),
    name: text('Its name for people.'),
    configured: Type.Boolean({ description: 'Whether it can be called.' }),
    missing: Type.Array(Type.String(), { description: 'The variables to set: one of them, or all of `missing_all`.' }),
    missing_all: Type.Boolean({ description: 'Whether all of `missing` have to be set.' }),
    missing_for: nullable(words(['credential', 'address']), 'What they are for. Null if nothing is missing.'),
    simulated: Type.Boolean({ description: 'Whether its answers are made up.' }),
    models: count('Models in the catalog.'),
    credentials: Type.Array(ProviderCredential, { description: 'Its keys.' }),
  },
  { title: 'ProviderState', description: 'A provider, and whether it can be called.' },
)
export type ProviderState = Static<typeof ProviderState>

export const ProviderStateList = Type.Object(
  {
    process: text('The process that answers. What it says about failures is what it knows.'),
    items: Type.Array(ProviderState, { description: 'All providers, those that can be called first.' }),
  },
  { title: 'ProviderStateList', description: 'All providers.' },
)
export type ProviderStateList = Static<typeof ProviderStateList>

const CatalogModel = Type.Object(
  {
    id: text('The model, as `provider/model`.'),
    provider: text('Its provider.'),
    type: text('What it does: `chat`, `image`, `embedding` ….'),
    configured: Type.Boolean({ description: 'Whether its provider can be called.' }),
    pricing: nullable(ModelPricing, 'Null if no price is known.'),
    price_version: nullable(Type.String(), 'The day on which the price was checked.'),
    price_source: nullable(Type.String(), 'Where the price is from.'),
    context_length: nullable(Type.Integer(), 'Tokens that it can read.'),
    regions: Type.Array(ModelRegion, { description: 'Where it is served.' }),
    retires_at: nullable(Type.String(), 'When its provider ends it.'),
    first_token_ms: nullable(Type.Number(), 'Measured lately by the process that answers. Null without calls.'),
    tokens_per_second: nullable(Type.Number(), 'The speed after that.'),
    error_rate: nullable(Type.Number(), 'The share of calls that failed.'),
    restricted_to: nullable(
      Type.Array(Type.String()),
      'The projects that may use it, by their policies and regions (of the 200 newest). Null: all of them.',
    ),
  },
  { title: 'CatalogModel', description: 'A model of the catalog.' },
)
export type CatalogModel = Static<typeof CatalogModel>

export const CatalogModelList = pageOf(CatalogModel, {
  title: 'CatalogModelList',
  description: 'Models, page by page.',
  items: 'Models by their id.',
})
export type CatalogModelList = Static<typeof CatalogModelList>

export const TestModelRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300, description: 'A chat model or an alias.' }),
    project: optional(Type.String({ minLength: 1, maxLength: 200 }), 'The project that pays. `personal` if absent.'),
  },
  { title: 'TestModelRequest', description: 'A model to try.', additionalProperties: false },
)
export type TestModelRequest = Static<typeof TestModelRequest>

export const TestedModel = Type.Object(
  {
    answered: Type.Boolean({ description: 'Whether a model answered.' }),
    request_id: text('The id of the call in the request log.'),
    model: nullable(Type.String(), 'The model that answered, or was asked last.'),
    provider: nullable(Type.String(), 'Its provider.'),
    attempts: count('How many attempts were made.'),
    duration_ms: Type.Number({ minimum: 0, description: 'How long it took.' }),
    cost: nullable(Type.Number(), 'In USD. Null if the price is not known.'),
    error: nullable(
      Type.Object({ code: text('The error code.'), message: text('What went wrong.') }),
      'Why no model answered.',
    ),
  },
  { title: 'TestedModel', description: 'What became of a try.' },
)
export type TestedModel = Static<typeof TestedModel>
