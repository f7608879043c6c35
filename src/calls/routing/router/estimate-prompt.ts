import type { ChatRequest, ContentPart } from '../../../contract/chat.ts'
import { charsOfData } from '../../files/attachments.ts'
import { TextMeter } from './text-meter.ts'

// About how many tokens a prompt has, for choosing a model, and for the bill of a provider that did not count them. The base64 of
// a file is far longer than what a model reads of it.

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

export type PromptEstimate = {
  /** The kinds of parts that it has. */
  kinds: ReadonlySet<ContentPart['type']>
  tokens: number
  /** The part of these tokens that is audio, which has its own price. */
  audioTokens: number
}

export function estimatePrompt(request: ChatRequest, meter = new TextMeter()): PromptEstimate {
  const { kinds, otherTokens, audioTokens } = readContent(request, meter)
  return { kinds, tokens: meter.tokens + otherTokens + audioTokens, audioTokens }
}

type Content = { meter: TextMeter; kinds: Set<ContentPart['type']>; otherTokens: number; audioTokens: number }

function readContent({ messages, tools, functions, response_format }: ChatRequest, meter: TextMeter): Content {
  const content: Content = { meter, kinds: new Set(), otherTokens: 0, audioTokens: 0 }
  for (const { content: messageContent, tool_calls, reasoning_content } of messages) {
    content.otherTokens += TOKENS_PER_MESSAGE
    if (typeof messageContent === 'string') content.meter.add(messageContent)
    else if (messageContent) for (const part of messageContent) readPart(part, content)
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
  else if (part.type === 'input_audio') content.audioTokens += audioTokensOf(part.input_audio.data)
  // Formats of providers have more kinds of parts.
  else measure(part, content.meter)
}

function fileTokens(data: string | undefined): number {
  return data === undefined ? TOKENS_PER_NAMED_FILE : Math.ceil(charsOfData(data) / BASE64_CHARS_PER_FILE_TOKEN)
}

function audioTokensOf(data: string): number {
  return Math.ceil(charsOfData(data) / BASE64_CHARS_PER_AUDIO_TOKEN)
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
