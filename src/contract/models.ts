import Type, { type Static } from '../schema/type.ts'
import { optional } from '../schema/fields.ts'

const open = { additionalProperties: true }
const modalities = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const usd = Type.Number({ minimum: 0 })
const perImage = Type.Number({ minimum: 0, description: 'USD per image of this entry.' })

export const ModelCapabilities = Type.Object(
  {
    input_modalities: modalities('What it takes: `text`, `image`, `audio`, `video`, `file`.'),
    output_modalities: modalities('What it gives: `text`, `image`, `audio`, `embedding`.'),
  },
  { title: 'ModelCapabilities', description: 'What a model takes and gives; `supports_…` flags besides.', ...open },
)
export type ModelCapabilities = Static<typeof ModelCapabilities>

export const ModelPricing = Type.Object(
  {
    input_cost_per_token: optional(usd, 'USD per token read.'),
    output_cost_per_token: optional(usd, 'USD per token written.'),
    cache_read_input_token_cost: optional(usd, 'USD per token read from a cache.'),
    cache_creation_input_token_cost: optional(usd, 'USD per token written to a cache.'),
    input_cost_per_image_token: optional(usd, 'USD per token of an image read; without it, as any token read.'),
    output_cost_per_image_token: optional(usd, 'USD per token of an image drawn; without it, as any token written.'),
    output_cost_per_image: optional(usd, 'USD per image drawn, whatever its size and quality.'),
    cost_per_megapixel: optional(usd, 'USD per million pixels drawn; other units likewise, as `cost_per_second`.'),
    cost_per_request: optional(usd, 'USD per call, beside all else.'),
    image_pricing: optional(
      Type.Array(Type.Object({ output_cost_per_image: perImage }, open)),
      'USD per image by `max_size` and `quality`: the first entry that fits. What an entry does not name fits any.',
    ),
  },
  { title: 'ModelPricing', description: 'Prices in USD. A price that is not known is absent.', ...open },
)
export type ModelPricing = Static<typeof ModelPricing>

export const ModelRegion = Type.Object(
  {
    code: Type.String({ description: 'Such as eu.' }),
    name: Type.String({ description: 'Such as Europe.' }),
  },
  { title: 'ModelRegion', description: 'Where a model is served.' },
)
export type ModelRegion = Static<typeof ModelRegion>

export const ModelObject = Type.Object(
  {
    id: Type.String({ description: 'What to send as `model`: `provider/model`.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'When the model came out, in seconds since 1970.' }),
    owned_by: Type.String({ description: 'The provider.' }),
    model_name: Type.String({ description: 'The id without the provider.' }),
    name: Type.Optional(Type.String({ description: 'The name to show to people.' })),
    context_length: optional(Type.Integer({ minimum: 0 }), 'Tokens that fit into one call.'),
    max_output_tokens: optional(Type.Integer({ minimum: 0 }), 'Tokens that one answer may hold.'),
    description: optional(Type.String(), 'What the model is good for.'),
    source: optional(Type.String(), "The provider's page on it."),
    capabilities: optional(ModelCapabilities, 'What it takes and gives.'),
    pricing: optional(ModelPricing, 'What it costs here.'),
    list_pricing: optional(ModelPricing, 'What it costs without any discount.'),
    discount: optional(Type.Number({ minimum: 0, maximum: 1 }), 'The part taken off the list price.'),
    regions: Type.Optional(Type.Array(ModelRegion, { description: 'Where it is served.' })),
    alias_of: optional(Type.String(), 'The id this name stands for at present.'),
  },
  { title: 'ModelObject', description: 'A model that can be called.', ...open },
)
export type ModelObject = Static<typeof ModelObject>

export const ModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelObject, { description: 'The models.' }),
  },
  { title: 'ModelList', description: "The models that the caller's region may use." },
)
export type ModelList = Static<typeof ModelList>
