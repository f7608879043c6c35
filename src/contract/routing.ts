import Type, { type Static } from '../base/schema/type.ts'
import { optional, words } from '../base/schema/fields.ts'

const MAX_PROVIDERS = 256
const MAX_PROVIDER_CHARS = 64
export const MAX_RETRIES = 5

/** By what the hosts of one model can be ordered. A name may end with one of these: `gpt-5:latency`. */
export const HOST_SORTS = ['cost', 'speed', 'latency', 'exact'] as const
export type HostSort = (typeof HOST_SORTS)[number]

export const ROUTING_SORTS = [...HOST_SORTS, 'quality'] as const
export type RoutingSort = (typeof ROUTING_SORTS)[number]

const providers = Type.Array(Type.String({ maxLength: MAX_PROVIDER_CHARS }), { minItems: 1, maxItems: MAX_PROVIDERS })

export const Routing = Type.Object(
  {
    sort: optional(
      words(ROUTING_SORTS),
      'Order by this criterion alone: the lowest price, the most tokens per second, the earliest first token, the fewest failures (`exact`) or, for the router, the best model. Without it, the hosts of a model share its calls by price.',
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
    allow_fallbacks: optional(
      Type.Boolean(),
      'Whether other models that a name stands for are asked if the first one fails: other hosts of a model, other targets of an alias, the next choices of the router. `fallbacks` are asked in any case.',
      { default: true },
    ),
    sticky: optional(
      Type.Boolean(),
      'Whether the calls of a conversation stay with one provider and credential, which keep its beginning in a cache.',
      { default: true },
    ),
  },
  {
    title: 'Routing',
    description:
      'How a model is chosen. `quality_cost`, and `quality` as `sort`, are settings of the router, and are refused if `model` is not the router.',
    additionalProperties: false,
  },
)
export type Routing = Static<typeof Routing>
