import { nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { WatchedCircuit } from './operations.ts'

const count = (description: string) =>
  nullable(Type.Integer({ minimum: 0 }), `${description} Null if you may not see them.`)

/** What people who set a gateway up do first, in this order. */
export const FIRST_STEPS = ['provider', 'key', 'call', 'budget', 'people', 'receiver'] as const

export const Overview = Type.Object(
  {
    failed_jobs: count('Jobs of this time that have failed.'),
    failed_webhooks: count('Webhooks of this time that failed for good.'),
    open_alerts: count('Alerts that are open now, up to 100.'),
    circuits: nullable(Type.Array(WatchedCircuit), 'Models that are not called now because they fail.'),
    steps: Type.Array(
      Type.Object({
        step: words([...FIRST_STEPS], {
          description:
            'A provider that can be called, a key, a call, a budget, a second person, a receiver of alerts. What counts is what ' +
            'you may see: your keys and your calls, if you may not see others.',
        }),
        done: Type.Boolean({ description: 'Whether it is there.' }),
      }),
      { description: 'The first steps that your role lets you take.' },
    ),
  },
  { title: 'Overview', description: 'What may need attention.' },
)
export type Overview = Static<typeof Overview>
