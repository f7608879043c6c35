import { nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { AppliesTo, LIMIT_UNITS, LimitWindow, limitSums } from './limits.ts'
import { Policy } from './policy.ts'

// What a dry run says about limits and policies.

const OUTCOMES = ['passes', 'clamped', 'refused', 'unpriced'] as const
const outcome = (description: string) => words([...OUTCOMES], { description })
const maxOutput = nullable(
  Type.Integer({ minimum: 1 }),
  'If the call would be clamped: the tokens that each of its answers could have.',
)

export const ForecastedLimit = Type.Object(
  {
    id: Type.String({ description: 'Its id.' }),
    applies_to: AppliesTo,
    per: nullable(
      words(['key', 'user', 'end_user', 'session']),
      'Whose calls are counted apart. Null: all share the limit.',
    ),
    bucket: Type.String({
      description: 'Of a limit with `per`: the key, user, end user or session that this call counts for.',
    }),
    unit: words([...LIMIT_UNITS], { description: 'What is counted.' }),
    window: LimitWindow,
    timezone: Type.String({ description: 'Where days, weeks and months begin.' }),
    mode: words(['enforce', 'shadow'], { description: 'A limit in `shadow` refuses nothing.' }),
    on_exceeded: words(['clamp', 'refuse'], { description: 'What happens to a call that does not fit.' }),
    limit: Type.Number({ minimum: 0, description: 'The amount, with a temporary increase.' }),
    ...limitSums,
    left: Type.Number({ description: 'What is left.' }),
    free_here: Type.Number({
      description: 'The part of `reserved` that the answering process has leased and may still use for its calls.',
    }),
    would_reserve: nullable(Type.Number(), 'What an attempt would reserve. Null if the price is not known.'),
    outcome: outcome(
      'What this limit alone would make of the call. In `shadow`, what it would be if it were enforced.',
    ),
    max_output_tokens: maxOutput,
  },
  { title: 'ForecastedLimit', description: 'A limit that the call would touch.' },
)
export type ForecastedLimit = Static<typeof ForecastedLimit>

export const SpendingForecast = Type.Object(
  {
    outcome: outcome('What all limits together would make of an attempt at this target.'),
    max_output_tokens: maxOutput,
    limits: Type.Array(ForecastedLimit, { description: 'Every budget and rate limit that the attempt would touch.' }),
  },
  { title: 'SpendingForecast', description: 'What budgets and rate limits would say. Nothing is reserved.' },
)
export type SpendingForecast = Static<typeof SpendingForecast>

const { endpoints, data_policy } = Policy.properties

export const ExplainedPolicy = Type.Object(
  {
    region: Type.String({ description: 'The region of the key.' }),
    project_region: nullable(Type.String(), 'The region of the project, which holds too.'),
    models: Type.Array(Type.Array(Type.String()), {
      description: 'The lists of allowed models of the project and of the key. A model has to be in each of them.',
    }),
    endpoints,
    data_policy,
    allows_chat: Type.Boolean({ description: 'Whether scopes and policies let the key use chat at all.' }),
  },
  { title: 'ExplainedPolicy', description: 'What the policies of the project and of the key demand together.' },
)
export type ExplainedPolicy = Static<typeof ExplainedPolicy>
