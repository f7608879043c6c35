import Type, { type Static } from '../base/schema/type.ts'
import { optional, words } from '../base/schema/fields.ts'

const MAX_PROVIDERS = 256
const MAX_PROVIDER_CHARS = 64
export const MAX_RETRIES = 5

export const ROUTING_SORTS = ['cost', 'speed', 'latency', 'quality'] as const
export type RoutingSort = (typeof ROUTING_SORTS)[number]

const providers = Type.Array(Type.String({ maxLength: MAX_PROVIDER_CHARS }), { minItems: 1, maxItems: MAX_PROVIDERS })

export const Routing = Type.Object(
  {
    sort: optional(
      words(ROUTING_SORTS),
      'Order by this criterion alone: the lowest price, the most tokens per second, the earliest first token or the best model.',
    ),
    quality_cost: optional(
      Type.Number({ minimum: 0, maximum: 10 }),
      'From 0, the best model for the prompt, to 10, the cheapest sufficient model.',
      { default: 5 },
    ),
    retries: optional(
      Type.Integer({ minimum: 0, maximum: MAX_RETRIES }),
      'How often a model is asked again before the next one is. By default 0, and 1 if there is no other model. Applies to every model, not only to the router.',
    ),
    allowed_providers: optional(
      providers,
      'Only these providers may be asked. Applies to every model: a name without a provider is looked for among them, targets of an alias at other providers are left out, and a model of another provider is refused.',
    ),
  },
  {
    title: 'Routing',
    description:
      '`retries` and `allowed_providers` apply to every model. `sort` and `quality_cost` are settings of the router, and are refused if `model` is not the router.',
    additionalProperties: false,
  },
)
export type Routing = Static<typeof Routing>
