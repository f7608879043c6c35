import { optional } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'

// Something that is done with everything that passes a filter. The caller first asks how much that is, and then confirms it.

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ExpectedCount = optional(
  Type.Integer({ minimum: 0 }),
  'How many you were shown. Absent: nothing is done, and the answer says how many it would be.',
)

export const BulkResult = Type.Object(
  {
    count: count('How many there were when it began.'),
    done: count('With how many it was done.'),
    more: Type.Boolean({ description: 'Whether some are left, because one call does at most 10,000. Send it again.' }),
  },
  { title: 'BulkResult', description: 'What was done.' },
)
export type BulkResult = Static<typeof BulkResult>
