import { nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { WatchedCircuit } from './operations.ts'

const count = (description: string) =>
  nullable(Type.Integer({ minimum: 0 }), `${description} Null if you may not see them.`)

/** What an operator who sets a gateway up does first, in this order. */
export const SETUP_STEPS = ['provider', 'key', 'budget', 'receiver', 'people'] as const

export const Overview = Type.Object(
  {
    failed_jobs: count('Jobs of this time that have failed.'),
    failed_webhooks: count('Webhooks of this time that were given up.'),
    open_alerts: count('Alerts that are open now, up to 100.'),
    circuits: nullable(Type.Array(WatchedCircuit), 'Models that are not called now because they fail.'),
    missing: Type.Array(words([...SETUP_STEPS]), {
      description:
        'What is not set up yet, of what you may see: a provider with a credential, a key, a budget, a receiver of alerts, ' +
        'a second person.',
    }),
  },
  { title: 'Overview', description: 'What may need attention.' },
)
export type Overview = Static<typeof Overview>
