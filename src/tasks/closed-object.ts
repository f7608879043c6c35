import Type, { type TProperties } from '../schema/type.ts'

/** An object without further keys: one that is misspelt is refused, not passed over. */
export function closedObject<Properties extends TProperties>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description !== undefined && { description }) })
}
