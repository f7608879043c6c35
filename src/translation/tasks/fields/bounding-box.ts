import Type from '../../../base/schema/type.ts'
import { closedObject } from '../closed-object.ts'
import { nullableFields } from '../nullable-fields.ts'

// All positions are fractions of the width and the height of the page or image, from 0 to 1.

const SIDES = {
  left: 'Distance from the left edge, as a fraction of the width.',
  top: 'Distance from the upper edge, as a fraction of the height.',
  width: 'Width, as a fraction of the whole.',
  height: 'Height, as a fraction of the whole.',
}

/** A position that may be incomplete. */
export const looseBoxFields = nullableFields(Type.Number(), SIDES)
export const LooseBox = closedObject(looseBoxFields, 'Where it is.')

export const Box = closedObject(
  {
    left: Type.Number({ description: SIDES.left }),
    top: Type.Number({ description: SIDES.top }),
    width: Type.Number({ description: SIDES.width }),
    height: Type.Number({ description: SIDES.height }),
  },
  'Where it is.',
)

/** The same position by its two corners. */
export const extentFields = nullableFields(Type.Number(), {
  x_min: 'Left edge, as a fraction of the width.',
  x_max: 'Right edge, as a fraction of the width.',
  y_min: 'Upper edge, as a fraction of the height.',
  y_max: 'Lower edge, as a fraction of the height.',
})
export const Extent = closedObject(extentFields, 'Where it is.')
