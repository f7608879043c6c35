import Type, { type Static } from '../base/schema/type.ts'

const LedgerTrouble = Type.Object(
  {
    journal: Type.String({
      description:
        'Whether ledger lines can be kept on the local disk: `ok`, `full` (its size limit is reached) or `failing`.',
    }),
    waiting: Type.Integer({ description: 'Usage lines that are not in the store yet.' }),
    lost: Type.Integer({ description: 'Usage lines that were dropped since the start of the process.' }),
  },
  { description: 'Present if ledger lines cannot be kept safely, or were lost.' },
)

export const HealthReply = Type.Object(
  {
    status: Type.String({ description: '`live`, or one of `starting`, `ready` and `draining`.' }),
    reason: Type.Optional(
      Type.String({
        description:
          'What a gateway that is `starting` waits for: how far a migration of its database is, for example.',
      }),
    ),
    ledger: Type.Optional(LedgerTrouble),
  },
  { title: 'HealthReply', description: 'The state of the process.' },
)
export type HealthReply = Static<typeof HealthReply>
