import { mapOf, nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }))
const day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))

/** The query of both reports. */
export const KEY_USAGE_QUERY = {
  step: Type.Integer({
    minimum: 1,
    maximum: 4,
    description: '1: a sum for each day; 2: week, which begins on Monday; 3: month; 4: year.',
  }),
  begin: day('The first day, such as 2026-08-01. Seven days ago if absent, together with `end`.'),
  end: day('The day after the last one. At most 366 days after `begin`.'),
  feature: text('Only this feature, such as `text`.'),
  subfeature: text('Only this subfeature, such as `chat`.'),
  provider: text('Only calls that this provider answered.'),
  phase: text('Calls here have no phases, so none matches.'),
  billing: Type.Optional(
    words(['eden', 'own_keys', 'all'], {
      default: 'all',
      description: 'All calls are made with your own keys at providers, so `eden` has none.',
    }),
  ),
}

export const USAGE_QUERY = {
  ...KEY_USAGE_QUERY,
  token: text('Only keys with this name. `base_token`: calls without a key.'),
  key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this key. `token` is ignored then.' })),
  user: text('The e-mail address of a member.'),
  group_by: Type.Optional(words(['user'], { description: 'One sum for each member instead.' })),
}

const FeatureUsage = Type.Object(
  {
    total_cost: Type.Number({ description: 'What the calls cost, in USD, as far as their price is known.' }),
    details: Type.Integer({ minimum: 0, description: 'The number of calls.' }),
    unpriced: Type.Integer({ minimum: 0, description: 'How many of them have no known price.' }),
    cost_per_provider: mapOf(Type.Number(), { description: 'The same by provider.' }),
  },
  { title: 'FeatureUsage', description: 'The calls of one kind.' },
)
export type FeatureUsage = Static<typeof FeatureUsage>

const TokenUsage = Type.Object(
  {
    token: Type.String({ description: 'The name of the key. `base_token` for calls without one.' }),
    data: mapOf(mapOf(FeatureUsage), {
      description: 'By the first day of each step, and by `feature__subfeature`, such as `text__chat`.',
    }),
  },
  { title: 'TokenUsage', description: 'The calls of a key.' },
)
export type TokenUsage = Static<typeof TokenUsage>

const MemberUsage = Type.Object(
  {
    user: nullable(Type.String(), 'The e-mail address of the member, or its id without one. Null for calls of none.'),
    total_cost: Type.Number({ description: 'What the calls cost, in USD, as far as their price is known.' }),
  },
  { title: 'MemberUsage', description: 'The calls of a member.' },
)
export type MemberUsage = Static<typeof MemberUsage>

export const KeyUsage = Type.Object(
  { usage: Type.Array(TokenUsage, { description: 'One entry for each key.' }) },
  { title: 'KeyUsage', description: 'Usage by key.' },
)
export type KeyUsage = Static<typeof KeyUsage>

export const OrganizationUsage = Type.Object(
  {
    usage: Type.Array(Type.Union([TokenUsage, MemberUsage]), {
      description: 'One entry for each key, or for each member if the query says so.',
    }),
  },
  { title: 'OrganizationUsage', description: 'Usage by key, or by member.' },
)
export type OrganizationUsage = Static<typeof OrganizationUsage>
