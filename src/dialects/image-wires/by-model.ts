import type { Target } from '../chat-codec.ts'
import type { ImageCodec } from '../image-codec.ts'

/** For providers that speak one wire for some of their models and another for the rest. Their errors are the same. */
export function byModel(models: RegExp, some: ImageCodec, rest: ImageCodec): ImageCodec {
  const codec = ({ model }: Target) => (models.test(model) ? some : rest)
  return {
    inputs: some.inputs === rest.inputs ? rest.inputs : 'bytes',
    paints: (target) => codec(target).paints?.(target),
    max: Math.min(some.max, rest.max),
    encode: (call, target) => codec(target).encode(call, target),
    decode: (answer, call, target, request) => codec(target).decode(answer, call, target, request),
    problem: rest.problem,
  }
}
