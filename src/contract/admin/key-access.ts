import Type, { type Static } from '../../base/schema/type.ts'
import { LimitBody } from './limits.ts'

export const KeyAccess = Type.Object(
  {
    endpoints: Type.Array(Type.String(), { description: 'The endpoints that it may use, as scopes name them.' }),
    models: Type.Array(Type.String(), { description: 'The models and aliases that it may call now.' }),
    limits: Type.Array(LimitBody, {
      description:
        'The budgets and rate limits that its calls are counted against, the widest first. `applies_to` and `owned_by` say ' +
        'where each comes from; `spent` and `left` are those of this key where it is counted apart.',
    }),
  },
  { title: 'KeyAccess', description: 'What a key may use, and what limits it.' },
)
export type KeyAccess = Static<typeof KeyAccess>
