import Type, { type TSchemaOptions } from '../base/schema/type.ts'
import { nullable } from '../base/schema/fields.ts'

const pricing = Type.Object({
  price: Type.Number({ description: 'The price of a quantity, in USD.' }),
  price_unit_quantity: Type.Number({ description: 'How many units that is.' }),
  price_unit_type: Type.String({ description: 'The unit.' }),
})

const row = Type.Object({
  id: Type.String({ description: 'The value to send as `model`.' }),
  object: Type.Literal('model'),
  owned_by: Type.String({ description: 'The provider.' }),
  pricing: nullable(pricing, 'The price here. Null if it is not known.'),
})

/** What can do a task, for an endpoint that offers the task in another format. */
export function TaskModels(options: TSchemaOptions) {
  return Type.Object(
    { object: Type.Literal('list'), data: Type.Array(row, { description: 'The providers.' }) },
    options,
  )
}
