import Type, { type TProperties } from '../../base/schema/type.ts'

/** An object without additional keys, so that a misspelt key is refused and not ignored. */
export function closedObject<Properties extends TProperties>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description !== undefined && { description }) })
}
