import type { EmbeddedText } from '../../translation/dialects/embedding-codec.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { toNumbers } from './ask-for-vectors.ts'

// Vectors that the gateway compares itself: it has to know which one belongs to which text.

/** Providers number the vectors if they may come in another order. */
export function inOrder(data: readonly EmbeddedText[], count: number): readonly EmbeddedText[] {
  if (data.length !== count)
    throw new UpstreamProblem('garbage', 'the provider sent another number of vectors than texts')
  const ofText = new Map(data.map((one) => [one.index, one]))
  const isNumbered = data.every((_, index) => ofText.has(index))
  return isNumbered ? data.map((_, index) => ofText.get(index)!) : data
}

export function vectorOf({ embedding }: EmbeddedText): number[] {
  if (embedding === undefined) throw new UpstreamProblem('garbage', 'the provider sent no vector for one of the texts')
  return toNumbers(embedding)
}
