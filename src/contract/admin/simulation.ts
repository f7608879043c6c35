import { closed, moment, nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { CreateBudgetRequest, CreateRateLimitRequest } from './limits.ts'

const MAX_SIMULATED_DAYS = 400

const days = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_SIMULATED_DAYS,
    default: 30,
    description: 'How many days of the ledger are replayed, up to now.',
  }),
)

export const SimulateBudgetRequest = Type.Object(
  { ...CreateBudgetRequest.properties, days },
  { title: 'SimulateBudgetRequest', description: 'A budget that is planned.', ...closed },
)
export type SimulateBudgetRequest = Static<typeof SimulateBudgetRequest>
export const SimulateRateLimitRequest = Type.Object(
  { ...CreateRateLimitRequest.properties, days },
  { title: 'SimulateRateLimitRequest', description: 'A rate limit that is planned.', ...closed },
)
export type SimulateRateLimitRequest = Static<typeof SimulateRateLimitRequest>
export type SimulateLimitRequest = SimulateBudgetRequest | SimulateRateLimitRequest

const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  requests: count('Calls that the limit is about.'),
  clamped: count('Of these, how many would have got a shorter answer.'),
  refused: count('Of these, how many would have been refused.'),
  unpriced: count('Of these, how many would have been refused because their price is not known.'),
}

const SimulatedDay = Type.Object(
  { day: Type.String({ description: 'The date, in the time zone of the limit.' }), ...counts },
  { title: 'SimulatedDay', description: 'One day on which something would have been refused or clamped.' },
)

const SimulatedHolder = Type.Object(
  {
    id: Type.String({ description: 'The id of the key, user or end user; empty for calls without one.' }),
    name: nullable(Type.String(), 'Its name, if it has one that is known.'),
    ...counts,
  },
  { title: 'SimulatedHolder', description: 'Whose calls they were.' },
)

const SimulatedCall = Type.Object(
  {
    request_id: Type.String({ description: 'The id of the call in the request log.' }),
    at: Type.String({ format: 'date-time', description: 'When it ended.' }),
    key: Type.String({ description: 'The id of its key.' }),
    model: Type.String({ description: 'The model that answered.' }),
    outcome: words(['clamped', 'refused', 'unpriced'], { description: 'What would have become of it.' }),
    needed: Type.Number({ description: 'What it used, in the unit of the limit.' }),
    left: Type.Number({ description: 'What would have been left then.' }),
  },
  { title: 'SimulatedCall', description: 'A call that would not have passed as it was.' },
)

const SimulatedPeak = Type.Object(
  {
    wanted: Type.Number({ description: 'What all calls of the window used, without the limit.' }),
    bucket: Type.String({ description: 'Of a limit with `per`: the key, user or end user.' }),
    window_start: nullable(moment, 'When the window began. Null for a total.'),
  },
  { title: 'SimulatedPeak', description: 'The fullest window: with this limit, no call would have been refused.' },
)

export const Simulation = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'Where the replay began.' }),
    to: Type.String({ format: 'date-time', description: 'Where it ended.' }),
    is_complete: Type.Boolean({
      description:
        'False if lines of this time are gone or too many, if too many callers are counted apart, or if the limit would also ' +
        'count calls that you may not see.',
    }),
    ...counts,
    used: Type.Number({ description: 'What these calls used without the limit, in its unit.' }),
    peak: nullable(SimulatedPeak, 'The fullest window. Null for rates that flow, and without calls.'),
    days: Type.Array(SimulatedDay, { description: 'Days on which the limit would have been felt, oldest first.' }),
    top: Type.Array(SimulatedHolder, { description: 'Who would have felt it most: by key, or as the limit counts.' }),
    examples: Type.Array(SimulatedCall, { description: 'The first calls that would not have passed.' }),
  },
  { title: 'Simulation', description: 'What a planned limit would have done. Nothing is changed.' },
)
export type Simulation = Static<typeof Simulation>
