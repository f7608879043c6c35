import type { ChatRequest } from '../../../contract/chat.ts'
import { CODE, MATH, NUMBERED, STEPS } from './difficulty-words.ts'
import { type Needs, needsOf } from './needs-of.ts'

/** Only the beginning and the end of the last question are read: they say what is wanted, and reading them is cheap. */
const READ_CHARS_EACH_END = 1_000
const MAX_DIFFICULTY = 10

// Points. They add up to a score from 0 (a greeting) to 10 (a long proof with high effort).
const PER_DOUBLING_OF_500_TOKENS = 0.5
const MAX_FOR_LENGTH = 2.5
const FOR_CODE = 1.5
const FOR_MATH = 1.5
const PER_STEP_WORD = 0.8
const MAX_STEP_WORDS = 3
const FOR_SEVERAL_TASKS = 0.7
const FOR_SCHEMA = 0.5
const FOR_TURNS = 0.5
const MANY_TURNS = 8
const SEVERAL_TASKS = 3
const FOR_EFFORT: Record<string, number> = { none: -1, disable: -1, minimal: -1, low: 0.5, medium: 1.5, high: 3 }
const FOR_MAX_EFFORT = 4
const FOR_THINKING = 2

export type Difficulty = {
  /** 0 to 10. */
  score: number
  /** How much each sign that was found has added. */
  signals: Record<string, number>
}

export function difficultyOf(request: ChatRequest, { promptTokens }: Needs = needsOf(request)): Difficulty {
  const question = lastQuestion(request)
  const words = question.toLowerCase()
  const points: [string, number][] = [
    ['length', Math.min(MAX_FOR_LENGTH, Math.log2(1 + promptTokens / 500) * PER_DOUBLING_OF_500_TOKENS)],
    ['code', CODE.test(question) ? FOR_CODE : 0],
    ['math', MATH.test(words) ? FOR_MATH : 0],
    ['steps', countDistinct(STEPS, words, MAX_STEP_WORDS) * PER_STEP_WORD],
    ['tasks', countUpTo(NUMBERED, question, SEVERAL_TASKS) === SEVERAL_TASKS ? FOR_SEVERAL_TASKS : 0],
    ['tools', forTools((request.tools?.length ?? 0) + (request.functions?.length ?? 0))],
    ['schema', request.response_format?.type === 'json_schema' ? FOR_SCHEMA : 0],
    ['turns', request.messages.length > MANY_TURNS ? FOR_TURNS : 0],
    ['effort', forEffort(request)],
  ]
  return summed(points)
}

function summed(points: readonly [string, number][]): Difficulty {
  const signals: Record<string, number> = {}
  let score = 0
  for (const [name, value] of points) {
    if (value === 0) continue
    signals[name] = Math.round(value * 100) / 100
    score += value
  }
  return { score: Math.round(Math.min(MAX_DIFFICULTY, Math.max(0, score)) * 100) / 100, signals }
}

/** The text of the last user message. In an agent's loop, the tool results after it are not the question. */
function lastQuestion({ messages }: ChatRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  if (typeof content === 'string') return bothEnds(content)
  const texts = (content ?? []).filter((part) => part.type === 'text').map(({ text }) => bothEnds(text))
  return bothEnds(texts.length > 2 ? `${texts[0]}\n${texts.at(-1)}` : texts.join('\n'))
}

function bothEnds(text: string): string {
  if (text.length <= 2 * READ_CHARS_EACH_END) return text
  return `${text.slice(0, READ_CHARS_EACH_END)}\n${text.slice(-READ_CHARS_EACH_END)}`
}

function countDistinct(pattern: RegExp, text: string, max: number): number {
  const seen = new Set<string>()
  for (const [word] of text.matchAll(pattern)) {
    seen.add(word)
    if (seen.size === max) break
  }
  return seen.size
}

function countUpTo(pattern: RegExp, text: string, max: number): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) if (++count === max) break
  return count
}

function forTools(count: number): number {
  if (count === 0) return 0
  return count < 5 ? 0.5 : count < 20 ? 1 : 1.5
}

function forEffort({ reasoning_effort, thinking }: ChatRequest): number {
  if (reasoning_effort) return FOR_EFFORT[reasoning_effort] ?? FOR_MAX_EFFORT
  return thinking?.type === 'enabled' || thinking?.type === 'adaptive' ? FOR_THINKING : 0
}
