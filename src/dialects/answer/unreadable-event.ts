import { UpstreamProblem } from '../../wire/upstream-problem.ts'

/** A brace, or the end of a key. */
const REMAINS_OF_AN_EVENT = /[{}]|":/

/**
 * Refuses data that cannot be read although it may have been a part of the answer. Every event of every format is a JSON
 * object: data without a brace and without a key (nothing, `null`, `ping`) is not what is left of one, and is passed over.
 */
export function refuseUnreadable(data: string): void {
  if (REMAINS_OF_AN_EVENT.test(data)) throw unreadable()
}

/** An event of a known kind whose content is not what the format says. */
export function unreadable(): UpstreamProblem {
  return new UpstreamProblem(
    'garbage',
    'the provider sent an event that cannot be read: a part of the answer may be lost',
  )
}

/** The beginning of another answer before the end of the first: the two cannot be told apart any more. */
export function secondAnswer(): UpstreamProblem {
  return new UpstreamProblem('garbage', 'the provider began a second answer inside of the first')
}
