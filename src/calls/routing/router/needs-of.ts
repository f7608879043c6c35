import type { ChatRequest } from '../../../contract/chat.ts'
import type { Ability } from './ability.ts'
import { estimatePrompt, type PromptEstimate } from './estimate-prompt.ts'

/** The likely length of an answer, unless the caller sets a lower limit. */
const ANSWER_TOKENS = { low: 200, medium: 500, high: 1_200 }
const THINKING_TOKENS: Record<string, number> = { low: 500, medium: 2_000, high: 8_000, xhigh: 16_000, max: 16_000 }

export type Needs = {
  abilities: Ability[]
  /** Whether a reasoning model is preferred. Others can answer too, without reasoning. */
  reasoning: boolean
  promptTokens: number
  /** The part of the prompt that is audio, which has its own price. */
  audioTokens: number
  /** The caller's limit per answer. */
  maxOutputTokens: number | null
  /** For all answers together. The cost is estimated with this. */
  expectedOutputTokens: number
}

export function needsOf(request: ChatRequest): Needs {
  const prompt = estimatePrompt(request)
  const maxOutputTokens = request.max_completion_tokens ?? request.max_tokens ?? null
  return {
    abilities: abilitiesNeeded(request, prompt),
    reasoning: thinkingTokens(request) > 0,
    promptTokens: prompt.tokens,
    audioTokens: prompt.audioTokens,
    maxOutputTokens,
    expectedOutputTokens: expectedOutput(request, maxOutputTokens),
  }
}

function abilitiesNeeded(request: ChatRequest, { kinds }: PromptEstimate): Ability[] {
  const { modalities, audio, response_format, web_search_options, stream } = request
  const tools = hasTools(request)
  const schema = response_format?.type === 'json_schema'
  const needed: [Ability, boolean][] = [
    ['vision', kinds.has('image_url')],
    ['files', kinds.has('file')],
    ['audio_input', kinds.has('input_audio')],
    ['audio_output', modalities?.includes('audio') === true || Boolean(audio)],
    ['image_output', modalities?.includes('image') === true],
    ['tools', tools],
    ['json_schema', schema],
    ['json_schema_with_tools', schema && tools],
    ['web_search', Boolean(web_search_options)],
    ['streaming', stream === true],
  ]
  return needed.filter(([, isNeeded]) => isNeeded).map(([ability]) => ability)
}

function hasTools({ tools, functions }: ChatRequest): boolean {
  return Boolean(tools?.length || functions?.length)
}

function expectedOutput(request: ChatRequest, max: number | null): number {
  const answer = ANSWER_TOKENS[request.verbosity ?? 'medium'] + thinkingTokens(request)
  return Math.min(answer, max ?? Number.POSITIVE_INFINITY) * (request.n ?? 1)
}

function thinkingTokens({ reasoning_effort, thinking }: ChatRequest): number {
  const byEffort = THINKING_TOKENS[reasoning_effort ?? ''] ?? 0
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return byEffort
  const budget = thinking.budget_tokens
  return typeof budget === 'number' && budget > 0 ? budget : Math.max(byEffort, THINKING_TOKENS.medium!)
}
