import { tryParse } from '../../json/try-parse.ts'
import type { StepBudget } from '../step-budget.ts'
import { writeJson } from './write-json.ts'

/** The text is parsed to find out whether it is JSON. */
const CHARS_PER_STEP = 2
const MAX_BEGINNINGS = 20
/**
 * How much is read for all attempts together, in multiples of the text's length: words before the JSON must not cause
 * endless reading.
 */
const MAX_PASSES = 2
/** Short texts are tried from every possible start. */
const SHORT_CHARS = 10_000
const FENCE = '```'
const THINKING = ['<think>', '</think>'] as const

/**
 * Finds the JSON in an answer: unchanged if it is valid, otherwise repaired. Undefined if there is none. Numbers are never
 * parsed and printed again, so long ones keep their digits.
 */
export function healJson(answer: string, budget: StepBudget): string | undefined {
  budget.spend(answer.length / CHARS_PER_STEP)
  const text = withoutReasoning(answer).trim()
  const candidates = [text, ...fenced(text)]
  const whole = candidates.find(isJson)
  if (whole !== undefined) return whole
  for (const one of candidates.reverse()) {
    const written = mended(one, budget)
    if (isJson(written)) return written
  }
  return undefined
}

function isJson(text: string | undefined): text is string {
  return text !== undefined && tryParse(text) !== undefined
}

function withoutReasoning(text: string): string {
  const [open, close] = THINKING
  if (!text.trimStart().startsWith(open)) return text
  const end = text.indexOf(close)
  return end < 0 ? text : text.slice(end + close.length)
}

/** The texts between two fences, or after a fence that is not closed. */
function fenced(text: string): string[] {
  const open = text.indexOf(FENCE)
  if (open < 0) return []
  const start = text.indexOf('\n', open)
  if (start < 0) return []
  const close = text.indexOf(FENCE, start)
  return [text.slice(start, close < 0 ? text.length : close).trim()]
}

/** Repairs the first object or list that can be read, ignoring the words around it. */
function mended(text: string, budget: StepBudget): string | undefined {
  const beginning = /[{[]/g
  let charsLeft = MAX_PASSES * text.length + SHORT_CHARS
  for (let tries = 0; tries < MAX_BEGINNINGS && charsLeft > 0 && beginning.test(text); tries++) {
    const { written, chars } = writeJson(text, beginning.lastIndex - 1, budget)
    if (written !== undefined) return written
    charsLeft -= chars
  }
  return undefined
}
