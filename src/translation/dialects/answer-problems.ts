import { isNestedTooDeeply } from '../json/nesting.ts'
import { CONTEXT_OVERFLOW } from '../wire/context-overflow.ts'
import { type ProblemKind, UpstreamProblem } from '../wire/upstream-problem.ts'

/** No real answer has nearly as many parts; a stream that keeps starting new ones is broken. */
const MAX_PARTS = 10_000
/** No provider generates more choices for one request. */
const MAX_CHOICES = 128

/** The problem of an answer that is not `what` was requested. An empty answer is a problem of another kind than nonsense. */
export function notAnAnswer(text: string, what: string): UpstreamProblem {
  if (isNestedTooDeeply(text)) return tooDeep()
  const kind = text.trim() ? 'garbage' : 'empty'
  return new UpstreamProblem(kind, `the provider answered with something that is not ${what}`)
}

/** JSON that is nested more deeply than it can be passed on. */
export function tooDeep(): UpstreamProblem {
  return new UpstreamProblem('garbage', 'the provider sent JSON that is nested too deeply')
}

/** Limits what is remembered of the parts of a streamed answer. */
export function refuseEndless({ size }: { readonly size: number }): void {
  if (size >= MAX_PARTS) throw new UpstreamProblem('garbage', 'the answer has too many parts')
}

/** Hooks, and everything else that reads an answer, work on each choice. */
export function refuseTooManyChoices(count: number): void {
  if (count > MAX_CHOICES) throw new UpstreamProblem('garbage', `the answer has more than ${MAX_CHOICES} choices`)
}

/** A prompt that is too long has one code, whatever the provider calls it. */
export function codeOf(kind: ProblemKind, code: string | undefined): { code?: string } {
  if (kind === 'context_length') return { code: CONTEXT_OVERFLOW }
  return code ? { code } : {}
}

/** An error without a message is described by its status. */
export function sentenceOf(message: unknown, status: number): string {
  return typeof message === 'string' && message ? message : `the provider answered with status ${status}`
}
