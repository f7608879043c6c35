import { closed, freeObject, moment, nullable, optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { DAY_MS } from '../../base/units/units.ts'

// The limits are those of src/platform/config/aliases/alias-limits.ts.
const MAX_NAME_CHARS = 200
const MAX_TARGETS = 32
const MAX_FALLBACKS = 16
const MAX_WEIGHT = 1_000

const MAX_RETRIES = 5

const model = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS, description })
const text = (description: string) => optional(Type.String({ minLength: 1, maxLength: 2_000 }), description)
const milliseconds = (description: string) => optional(Type.Integer({ minimum: 1, maximum: DAY_MS }), description)

const AliasTargetBody = Type.Object(
  {
    model: model(
      '`provider/model`, or the name of a model. A `*` stands for what the `*` in the name of the alias stands for.',
    ),
    weight: optional(Type.Integer({ minimum: 1, maximum: MAX_WEIGHT }), 'Its share of the calls.', { default: 1 }),
    credential: text('The name of the credential to use.'),
    base_url: text(
      'Its address, if it is not that of the provider. Only the config file can send a credential to another host.',
    ),
    region: text('The region at Amazon, or the location at Vertex AI.'),
    project: text('The project at Vertex AI.'),
    deployment: text('The name of the deployment at Azure.'),
    api_version: text('The dated version of the API at Azure.'),
  },
  { title: 'AliasTarget', description: 'A model that an alias stands for.', ...closed },
)

const AliasTimeouts = Type.Object(
  {
    connect_ms: milliseconds('Until the connection is open.'),
    headers_ms: milliseconds('Until the answer begins.'),
    first_token_ms: milliseconds('Until the first token of a stream.'),
    idle_ms: milliseconds('Between two chunks.'),
    total_ms: milliseconds('For the whole call.'),
  },
  { title: 'AliasTimeouts', description: 'Time limits in milliseconds.', ...closed },
)

const settings = {
  fallbacks: optional(
    Type.Array(model('A model or an alias.'), { maxItems: MAX_FALLBACKS }),
    'What is tried when all targets have failed. An alias stands for its targets, without its own fallbacks.',
  ),
  retries: optional(
    Type.Integer({ minimum: 0, maximum: MAX_RETRIES }),
    'How often a target is asked again before the next one is.',
  ),
  timeouts: optional(AliasTimeouts, 'Time limits that differ from those of the models.'),
  defaults: optional(freeObject(), 'Fields of requests that the caller leaves out.'),
  hidden: optional(Type.Boolean(), 'Whether lists of models leave it out.', { default: false }),
}
const targets = Type.Array(AliasTargetBody, { minItems: 1, maxItems: MAX_TARGETS, description: 'What it stands for.' })
const name = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARS,
  description: 'What callers send as `model`. One `*` stands for one or more characters.',
})

export const CreateAliasRequest = Type.Object(
  { name, targets, ...settings },
  { title: 'CreateAliasRequest', description: 'An alias to create.', ...closed },
)
export type CreateAliasRequest = Static<typeof CreateAliasRequest>

export const ChangeAliasRequest = Type.Object(
  { targets: Type.Optional(targets), ...settings },
  { title: 'ChangeAliasRequest', description: 'What to change. A member that is null is removed.', ...closed },
)
export type ChangeAliasRequest = Static<typeof ChangeAliasRequest>

export const AliasBody = Type.Object(
  {
    name,
    owned_by: words(['file', 'api'], { description: 'Only aliases of the `api` can be changed here.' }),
    targets,
    ...settings,
    created_at: nullable(moment, 'When it was created. Null for an alias of the config file.'),
    updated_at: nullable(moment, 'When it was last changed. Null for an alias of the config file.'),
  },
  { title: 'Alias', description: 'A name for models.' },
)
export type AliasBody = Static<typeof AliasBody>

export const AliasList = pageOf(AliasBody, {
  title: 'AliasList',
  description: 'Aliases, page by page.',
  items: 'The aliases, by name.',
})
export type AliasList = Static<typeof AliasList>
