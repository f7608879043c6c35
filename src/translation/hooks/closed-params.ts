import Type, { type TProperties } from '../../base/schema/type.ts'

/** Parameters without further keys: a misspelt one is refused, not ignored. */
export function closedParams<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
