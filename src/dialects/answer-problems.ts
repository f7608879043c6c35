import { UpstreamProblem } from '../wire/upstream-problem.ts'

/** No answer has nearly as many; a stream that never stops beginning new ones is broken. */
const MAX_PARTS = 10_000
/** No provider makes more for one request. */
const MAX_CHOICES = 128

/** An answer that is not `what` was asked for; nothing at all is another thing than nonsense. */
export function notAnAnswer(text: string, what: string): UpstreamProblem {
  const kind = text.trim() ? 'garbage' : 'empty'
  return new UpstreamProblem(kind, `the provider answered with something that is not ${what}`)
}

/** What is remembered of the parts of a streamed answer has an end. */
export function refuseEndless({ size }: { readonly size: number }): void {
  if (size >= MAX_PARTS) throw new UpstreamProblem('garbage', 'the answer has too many parts')
}

/** Hooks work on each choice, and so does everything else that reads an answer. */
export function refuseTooManyChoices(count: number): void {
  if (count > MAX_CHOICES) throw new UpstreamProblem('garbage', `the answer has more than ${MAX_CHOICES} choices`)
}

/** An error that says nothing is told by its status. */
export function sentenceOf(said: unknown, status: number): string {
  return typeof said === 'string' && said ? said : `the provider answered with status ${status}`
}
