import { isNestedTooDeeply } from '../../json/nesting.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tooDeep } from '../answer-problems.ts'

/** A brace, or the end of a key. */
const REMAINS_OF_AN_EVENT = /[{}]|":/

/**
 * Refuses data that cannot be read although it may have been a part of the answer. Every event of every format is a JSON
 * object: data without a brace and without a key (nothing, `null`, `ping`) is not what is left of one, and is passed over.
 */
export function refuseUnreadable(data: string): void {
  if (isNestedTooDeeply(data)) throw tooDeep()
  if (REMAINS_OF_AN_EVENT.test(data)) throw unreadable()
}

/** An event of a known kind whose content is not what the format says. */
export function unreadable(): UpstreamProblem {
  return new UpstreamProblem(
    'garbage',
    'the provider sent an event that cannot be read: a part of the answer may be lost',
  )
}

/** A piece of text. Nothing reads as an empty text; a value of another type may have been a part of the answer. */
export function pieceOf(value: unknown): string {
  if (value == null) return ''
  if (typeof value !== 'string') throw unreadable()
  return value
}

/** An object inside of an event, under the same rule. Some hosts send an empty text in the place of nothing. */
export function partOf(value: unknown): Fields {
  if (value == null || value === '') return {}
  if (!isRecord(value)) throw unreadable()
  return value
}

/** A list of objects inside of an event, under the same rule. */
export function partsOf(value: unknown): Fields[] {
  if (value == null || value === '') return []
  if (!Array.isArray(value)) throw unreadable()
  return value.filter((part) => part !== null).map(partOf)
}

/** The beginning of another answer before the end of the first: the two cannot be told apart any more. */
export function secondAnswer(): UpstreamProblem {
  return new UpstreamProblem('garbage', 'the provider began a second answer inside of the first')
}
