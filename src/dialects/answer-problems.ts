import { UpstreamProblem } from '../contract/upstream-problem.ts'

/** An answer that is not `what` was asked for; nothing at all is another thing than nonsense. */
export function notAnAnswer(text: string, what: string): UpstreamProblem {
  const kind = text.trim() ? 'garbage' : 'empty'
  return new UpstreamProblem(kind, `the provider answered with something that is not ${what}`)
}

/** An error that says nothing is told by its status. */
export function sentenceOf(said: unknown, status: number): string {
  return typeof said === 'string' && said ? said : `the provider answered with status ${status}`
}
