import type { ChatRequest, ContentPart } from '../../contract/chat.ts'
import { charsOfData } from '../../files/attachments.ts'
import type { Ability } from './ability.ts'
import { TextMeter } from './text-meter.ts'

// Estimates for content without text. They only order the candidates and exclude those that are far too small.
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_000
/** A file that is only referenced is estimated as a few pages. */
const TOKENS_PER_NAMED_FILE = 3_000
/** A page of a PDF has about 100 KB and 2,000 tokens. */
const BASE64_CHARS_PER_FILE_TOKEN = 64
/** A second of MP3 has about 16 KB and 20 tokens. */
const BASE64_CHARS_PER_AUDIO_TOKEN = 1_000
/** Deeper than any real schema. What lies deeper is not counted. */
const MAX_DEPTH = 64

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
  const content = readContent(request)
  const maxOutputTokens = request.max_completion_tokens ?? request.max_tokens ?? null
  return {
    abilities: abilitiesNeeded(request, content),
    reasoning: thinkingTokens(request) > 0,
    promptTokens: content.meter.tokens + content.otherTokens + content.audioTokens,
    audioTokens: content.audioTokens,
    maxOutputTokens,
    expectedOutputTokens: expectedOutput(request, maxOutputTokens),
  }
}

type Content = { meter: TextMeter; kinds: Set<ContentPart['type']>; otherTokens: number; audioTokens: number }

function readContent({ messages, tools, functions, response_format }: ChatRequest): Content {
  const content: Content = { meter: new TextMeter(), kinds: new Set(), otherTokens: 0, audioTokens: 0 }
  for (const { content: said, tool_calls, reasoning_content } of messages) {
    content.otherTokens += TOKENS_PER_MESSAGE
    if (typeof said === 'string') content.meter.add(said)
    else if (said) for (const part of said) readPart(part, content)
    measure(tool_calls, content.meter)
    measure(reasoning_content, content.meter)
  }
  for (const other of [tools, functions, response_format]) measure(other, content.meter)
  return content
}

function readPart(part: ContentPart, content: Content): void {
  content.kinds.add(part.type)
  if (part.type === 'text') content.meter.add(part.text)
  else if (part.type === 'refusal') content.meter.add(part.refusal)
  else if (part.type === 'image_url') content.otherTokens += TOKENS_PER_IMAGE
  else if (part.type === 'file') content.otherTokens += fileTokens(part.file.file_data)
  else content.audioTokens += Math.ceil(part.input_audio.data.length / BASE64_CHARS_PER_AUDIO_TOKEN)
}

function fileTokens(data: string | undefined): number {
  return data === undefined ? TOKENS_PER_NAMED_FILE : Math.ceil(charsOfData(data) / BASE64_CHARS_PER_FILE_TOKEN)
}

/** Names and texts inside free-form JSON. */
function measure(value: unknown, meter: TextMeter, depth = 0): void {
  if (typeof value === 'string') return meter.add(value)
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const item of value) measure(item, meter, depth + 1)
    return
  }
  for (const name in value) {
    meter.add(name)
    measure((value as Record<string, unknown>)[name], meter, depth + 1)
  }
}

function abilitiesNeeded(request: ChatRequest, { kinds }: Content): Ability[] {
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
  return needed.filter(([, wanted]) => wanted).map(([ability]) => ability)
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
