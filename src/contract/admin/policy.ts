import { optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'

/** What a key may be restricted to, beside models. */
export const ENDPOINT_SCOPES = ['chat', 'models', 'images', 'universal', 'tokens', 'files', 'mcp'] as const

/** `zero_retention` includes `no_training`. The stricter one is last. */
export const DATA_POLICIES = ['no_training', 'zero_retention'] as const
export type DataPolicy = (typeof DATA_POLICIES)[number]

const MAX_ITEMS = 500

/** What a project or a key allows, whatever a caller asks for. A member that is absent restricts nothing. */
export const Policy = Type.Object(
  {
    models: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: MAX_ITEMS }),
      'The models that may be used: `openai/gpt-4o`, `openai/*`, the name of an alias. All if absent.',
    ),
    endpoints: optional(
      Type.Array(words(ENDPOINT_SCOPES), { minItems: 1, maxItems: ENDPOINT_SCOPES.length }),
      'The endpoints that may be used. All if absent.',
    ),
    data_policy: optional(
      words(DATA_POLICIES),
      'What providers may do with the data. A provider of which it is not known that it complies is not used.',
    ),
    cache_marks: optional(
      Type.Boolean(),
      "`false`: the gateway marks no turn for the cache of Claude's models. What callers mark themselves stays.",
    ),
  },
  {
    title: 'Policy',
    description: 'What is allowed, whatever a request asks for.',
    // Unknown members are refused: a misspelt `data_policy` must not create a policy that protects nothing.
    additionalProperties: false,
  },
)
export type Policy = Static<typeof Policy>
