import type { Target } from '../dialect.ts'
import type { ImageFace } from '../image-face.ts'

/** For providers that speak one wire for some of their models and another for the rest. Their errors are the same. */
export function byModel(models: RegExp, some: ImageFace, rest: ImageFace): ImageFace {
  const face = ({ model }: Target) => (models.test(model) ? some : rest)
  return {
    inputs: some.inputs === rest.inputs ? rest.inputs : 'bytes',
    paints: (target) => face(target).paints?.(target),
    most: Math.min(some.most, rest.most),
    encode: (call, target) => face(target).encode(call, target),
    decode: (answer, call, target, asked) => face(target).decode(answer, call, target, asked),
    problem: rest.problem,
  }
}
