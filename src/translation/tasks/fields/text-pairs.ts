import Type from '../../../base/schema/type.ts'

/** Pairs of texts that belong together, such as a question and its answer. */
export function textPairs(description: string) {
  return Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), { description })
}
