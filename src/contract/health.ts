import Type, { type Static } from '../schema/type.ts'

export const HealthReply = Type.Object(
  { status: Type.String({ description: '`live`, or one of `starting`, `ready` and `draining`.' }) },
  { title: 'HealthReply', description: 'The state of the process.' },
)
export type HealthReply = Static<typeof HealthReply>
