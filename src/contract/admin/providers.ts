import { nullable, optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ModelPricing, ModelRegion } from '../models.ts'
import { pageOf } from '../paging.ts'
import { WatchedCircuit } from './operations.ts'
import { DATA_POLICIES } from './policy.ts'

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

export const PROVIDER_STATES = [
  ...(['not_set_up', 'not_reachable', 'failing', 'partly_failing', 'untested', 'ready'] as const),
] as const

const ProviderState = Type.Object(
  {
    id: text('The first part of model names.'),
    name: text('Its name for people.'),
    state: words(PROVIDER_STATES, {
      description:
        '`not_set_up`: something is `missing`. `not_reachable`: a local server that does not answer. `failing`, ' +
        '`partly_failing`: all or some of its keys are set aside. `untested`: no call was answered in the last day, as far as ' +
        'the process knows. `ready`: it answers.',
    }),
    configured: Type.Boolean({ description: 'Whether it can be called: nothing is missing.' }),
    missing: Type.Array(Type.String(), { description: 'The variables to set: one of them, or all of `missing_all`.' }),
    missing_all: Type.Boolean({ description: 'Whether all of `missing` have to be set.' }),
    missing_for: nullable(words(['credential', 'address']), 'What they are for. Null if nothing is missing.'),
    local: Type.Boolean({ description: 'Whether it is a server on your machines, which is asked for its models.' }),
    unreachable_because: nullable(Type.String(), 'Why a local server did not answer within the last ten seconds.'),
    simulated: Type.Boolean({ description: 'Whether its answers are made up.' }),
    popularity: nullable(Type.Integer({ minimum: 1 }), 'Its place among the providers that most people look for.'),
    models: count('Models in the catalog, and those that a local server reports.'),
    base_url: nullable(Type.String(), 'Its address. Null for what runs inside of the gateway.'),
    base_url_variable: nullable(Type.String(), 'The variable that sets another address.'),
    address_set: Type.Boolean({ description: 'Whether another address than the usual one is set.' }),
    regions: Type.Array(ModelRegion, { description: 'Where its models are served.' }),
    data_policy: nullable(
      Type.Object({
        promise: words(DATA_POLICIES, { description: 'What it promises about the data of calls.' }),
        source: text('Where it says so.'),
      }),
      'Null if nothing is known.',
    ),
    other_names: Type.Array(Type.String(), { description: 'Other names that model names may begin with.' }),
    credentials: Type.Array(ProviderCredential, { description: 'Its keys.' }),
  },
  { title: 'ProviderState', description: 'A provider, and whether it can be called.' },
)
export type ProviderState = Static<typeof ProviderState>

export const ProviderStateList = Type.Object(
  {
    process: text('The process that answers. What it says about failures is what it knows.'),
    items: Type.Array(ProviderState, {
      description: 'All providers: those that can be called first, and the most popular first.',
    }),
  },
  { title: 'ProviderStateList', description: 'All providers.' },
)
export type ProviderStateList = Static<typeof ProviderStateList>

/** What a model can do, as far as a source confirms it. */
export const MODEL_CAPABILITIES = [
  ...(['tools', 'vision', 'reasoning', 'json_schema', 'files', 'audio', 'web_search'] as const),
] as const

const measured = (description: string) => nullable(Type.Number(), `${description} Null without calls, and for members.`)

const CatalogModel = Type.Object(
  {
    id: text('What callers send as `model`: `provider/model`, or an alias.'),
    name: text('A name for people.'),
    provider: text('Its provider. Of an alias: the provider of the first model.'),
    type: text('What it does: `chat`, `image`, `embedding` ….'),
    alias_of: nullable(Type.String(), 'The model that an alias currently stands for. Null for a model.'),
    description: nullable(Type.String(), 'What it is good for.'),
    configured: Type.Boolean({ description: 'Whether its provider can be called.' }),
    pricing: nullable(ModelPricing, 'Null if no price is known.'),
    price_version: nullable(Type.String(), 'The day on which the price was checked.'),
    price_source: nullable(Type.String(), 'Where the price is from.'),
    context_length: nullable(Type.Integer(), 'Tokens that it can read.'),
    max_output_tokens: nullable(Type.Integer(), 'Tokens that an answer can have.'),
    capabilities: Type.Array(words(MODEL_CAPABILITIES), {
      description: 'What a source confirms; more may work.',
    }),
    input_modalities: Type.Array(Type.String(), { description: 'What it reads: `text`, `image` ….' }),
    output_modalities: Type.Array(Type.String(), { description: 'What it writes.' }),
    regions: Type.Array(ModelRegion, { description: 'Where it is served.' }),
    released: nullable(Type.String(), 'The day of its release. Null if no source gives it.'),
    retires_at: nullable(Type.String(), 'When its provider ends it.'),
    replaced_by: nullable(Type.String(), 'The model that its provider recommends instead.'),
    first_token_ms: measured('Measured lately by the process that answers.'),
    tokens_per_second: measured('The speed after that.'),
    error_rate: measured('The share of calls that failed.'),
    restricted_to: nullable(
      Type.Array(Type.String()),
      'The projects that may use it, by their policies and regions (of the 200 newest that you see). Null: all of them.',
    ),
  },
  { title: 'CatalogModel', description: 'A model of the catalog.' },
)
export type CatalogModel = Static<typeof CatalogModel>

export const CatalogModelList = pageOf(CatalogModel, {
  title: 'CatalogModelList',
  description: 'Models, page by page.',
  items: 'Models in the wanted order.',
})
export type CatalogModelList = Static<typeof CatalogModelList>

const ModelHost = Type.Object(
  {
    id: text('What callers send as `model`.'),
    provider: text('The provider.'),
    configured: Type.Boolean({ description: 'Whether it can be called.' }),
    pricing: nullable(ModelPricing, 'Null if no price is known.'),
    context_length: nullable(Type.Integer(), 'Tokens that it can read there.'),
    regions: Type.Array(ModelRegion, { description: 'Where it is served.' }),
  },
  { title: 'ModelHost', description: 'Another provider that serves a model of the same name.' },
)

export const ModelDetail = Type.Object(
  {
    ...CatalogModel.properties,
    hosts: Type.Array(ModelHost, { description: 'Other providers that serve a model of the same name.' }),
    aliases: Type.Array(Type.String(), { description: 'Aliases that lead to it, as targets or as fallbacks.' }),
    circuits: nullable(Type.Array(WatchedCircuit), 'What is set aside, because it fails. Null for members.'),
  },
  { title: 'ModelDetail', description: 'A model, with everything that is known about it.' },
)
export type ModelDetail = Static<typeof ModelDetail>

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
