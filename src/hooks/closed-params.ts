import Type, { type TProperties } from '../schema/type.ts'

/** Parameters without further keys: one that is misspelt is refused, not passed over. */
export function closedParams<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
