import Type, { type Static } from '../base/schema/type.ts'
import { mapOf, nullable, open, optional, timestamp, words } from '../base/schema/fields.ts'

const modalities = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const usd = Type.Number({ minimum: 0 })
const perImage = Type.Number({ minimum: 0, description: 'USD per image of this entry.' })

export const ModelCapabilities = Type.Object(
  {
    input_modalities: modalities('The inputs: `text`, `image`, `audio`, `video`, `file`.'),
    output_modalities: modalities('The outputs: `text`, `image`, `audio`, `embedding`.'),
  },
  {
    title: 'ModelCapabilities',
    description: 'The inputs and outputs of a model, and `supports_…` flags, which are `false` if nothing is known.',
    ...open,
  },
)
export type ModelCapabilities = Static<typeof ModelCapabilities>

export const ModelPricing = Type.Object(
  {
    input_cost_per_token: optional(usd, 'USD per token read.'),
    output_cost_per_token: optional(usd, 'USD per token written.'),
    cache_read_input_token_cost: optional(usd, 'USD per token read from a cache.'),
    cache_creation_input_token_cost: optional(usd, 'USD per token written to a cache.'),
    input_cost_per_audio_token: optional(usd, 'USD per token of an input recording.'),
    output_cost_per_audio_token: optional(usd, 'USD per token of generated audio.'),
    input_cost_per_image_token: optional(
      usd,
      'USD per token of an input image. If absent, the price of any token read.',
    ),
    output_cost_per_image_token: optional(
      usd,
      'USD per token of a generated image. If absent, the price of any token written.',
    ),
    output_cost_per_image: optional(usd, 'USD per generated image, whatever its size and quality.'),
    cost_per_megapixel: optional(
      usd,
      'USD per million generated pixels. Other units have similar names, such as `cost_per_second`.',
    ),
    cost_per_request: optional(usd, 'USD per call, in addition to all other prices.'),
    service_tiers: optional(
      mapOf(Type.Object({}, open)),
      'The prices of other service tiers, such as `flex` and `priority`, by the name of the tier.',
    ),
    image_pricing: optional(
      Type.Array(Type.Object({ output_cost_per_image: perImage }, open)),
      'USD per image by `max_size` and `quality`: the first entry that fits. An entry without one of the two fits any.',
    ),
  },
  { title: 'ModelPricing', description: 'Prices in USD. A price that is not known is absent.', ...open },
)
export type ModelPricing = Static<typeof ModelPricing>

export const ModelRegion = Type.Object(
  {
    code: Type.String({ description: 'For example eu.' }),
    name: Type.String({ description: 'For example Europe.' }),
  },
  { title: 'ModelRegion', description: 'The region in which a model is served.' },
)
export type ModelRegion = Static<typeof ModelRegion>

export const ModelObject = Type.Object(
  {
    id: Type.String({ description: 'The value to send as `model`: `provider/model`.' }),
    object: Type.Literal('model'),
    created: Type.Integer({
      description:
        'When the model was released, in seconds since 1970. If no source gives that, the day on which it came into the catalog.',
    }),
    owned_by: Type.String({ description: 'The provider.' }),
    model_name: Type.Optional(
      Type.String({
        description: 'The id without the provider. Absent in groups (`?view=models`), whose `id` has none.',
      }),
    ),
    name: Type.Optional(Type.String({ description: 'A name for people.' })),
    context_length: optional(Type.Integer({ minimum: 0 }), 'The maximum number of tokens of a call.'),
    max_output_tokens: optional(Type.Integer({ minimum: 0 }), 'The maximum number of tokens of an answer.'),
    description: optional(Type.String(), 'What the model is good for.'),
    source: optional(Type.String(), "The provider's page on the model."),
    capabilities: optional(ModelCapabilities, 'The inputs and outputs.'),
    pricing: optional(ModelPricing, 'The price here.'),
    list_pricing: optional(ModelPricing, 'The price without a discount.'),
    discount: optional(Type.Number({ minimum: 0, maximum: 1 }), 'The discount, as a fraction of the list price.'),
    regions: Type.Optional(Type.Array(ModelRegion, { description: 'The region.' })),
    alias_of: optional(Type.String(), 'The id that this alias currently stands for.'),
    retires_at: Type.Optional(
      Type.String({ description: 'The day on which the provider ends the model. Absent if none is known.' }),
    ),
    replaced_by: Type.Optional(Type.String({ description: 'The model that the provider recommends instead.' })),
    available: Type.Optional(Type.Boolean({ description: 'Whether this key can call the model now.' })),
  },
  { title: 'ModelObject', description: 'A model that can be called.', ...open },
)
/** An entry that is not a group. */
export type ModelObject = Static<typeof ModelObject> & { model_name: string }

export const ModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelObject, { description: 'The models.' }),
  },
  { title: 'ModelList', description: "The models that the caller's region may use." },
)
export type ModelList = Static<typeof ModelList>

export const ModelObjectForAll = Type.Object(
  {
    ...ModelObject.properties,
    type: words(['model', 'base'], { description: '`base` for clients of Mistral, `model` for others.' }),
    display_name: Type.String({ description: 'A name for people.' }),
    created_at: timestamp('When the model was released.'),
    max_input_tokens: nullable(Type.Integer({ minimum: 0 }), 'The maximum number of tokens of a call.'),
    max_tokens: nullable(Type.Integer({ minimum: 0 }), 'The maximum number of tokens of an answer.'),
    lifecycle: words(['active', 'deprecated'], { description: '`deprecated` if the day of its end is known.' }),
    deprecated_at: nullable(Type.String(), 'Always null: it is not known.'),
    line: nullable(Type.String(), 'Always null.'),
    retires_at: optional(
      Type.String(),
      'The day on which the provider ends the model; for clients of Anthropic a moment, or null.',
    ),
  },
  { title: 'ModelObjectForAll', description: 'A model, with the members that clients of all formats expect.', ...open },
)

export const ModelPage = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelObjectForAll, { description: 'The models.' }),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after_id`.'),
  },
  { title: 'ModelPage', description: 'Models, with the members that clients of all formats expect.' },
)
