import type { ChatRequest, Message } from '../../contract/chat.ts'
import { tryParse } from '../../json/try-parse.ts'
import { mapTexts } from '../answers/map-texts.ts'
import { preHook, type PreTools } from '../hook.ts'
import { mapMessages, mapMessageTexts, textsOf } from '../message-texts.ts'
import { redactByEngine, engineKinds } from '../pii/redact-by-engine.ts'
import { findInTexts } from '../pii/find-in-texts.ts'
import { KINDS } from '../pii/personal-data.ts'
import { type Redaction, withPlaceholders } from '../pii/redact-filter.ts'
import { RequestRedaction } from '../redaction.ts'

type Change = (text: string) => string

export default preHook({
  description:
    'Replaces personal data in all messages with placeholders such as `[EMAIL_1]`: in texts and in the arguments of earlier ' +
    'tool calls. Images, files and audio are not searched.',
  params: RequestRedaction,
  async run(request, { kinds, restore }, tools) {
    const redaction = { kinds: kinds ?? KINDS, placeholders: tools.placeholders, isRestored: restore === true }
    if (restore) for (const text of request.messages.flatMap(textsOf)) tools.placeholders.reserve(text)
    const plain = await withoutPatterns(request, redaction, tools)
    const read = engineKinds(kinds)
    return read.length === 0 ? plain : await withoutNames(plain, { ...redaction, kinds: read }, tools)
  },
})

async function withoutPatterns(request: ChatRequest, redaction: Redaction, tools: PreTools): Promise<ChatRequest> {
  const found = await findInTexts(textsIn(request), { kinds: redaction.kinds, tools })
  const hidden = new Map<string, string>()
  return changed(request, (text) => {
    const known = hidden.get(text) ?? withPlaceholders(text, found.get(text) ?? [], redaction)
    hidden.set(text, known)
    return known
  })
}

async function withoutNames(request: ChatRequest, redaction: Redaction, tools: PreTools): Promise<ChatRequest> {
  const hidden = await redactByEngine(textsIn(request), redaction, tools)
  return changed(request, (text) => hidden.get(text) ?? text)
}

function changed(request: ChatRequest, change: Change): ChatRequest {
  return mapMessages(mapMessageTexts(request, change), (message) => changedCalls(message, change))
}

/** All texts are searched together, so they are collected before any is replaced. */
function textsIn(request: ChatRequest): Set<string> {
  const texts = new Set(request.messages.flatMap(textsOf))
  const collect = (text: string) => {
    texts.add(text)
    return text
  }
  for (const message of request.messages) changedCalls(message, collect)
  return texts
}

/** The contract does not check the calls of a message: values that do not look like a call stay unchanged. */
function changedCalls(message: Message, change: Change): Message {
  const tool_calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isCall) : []
  if (tool_calls.length === 0 || tool_calls.length !== (message.tool_calls as unknown[]).length) return message
  const calls = { tool_calls }
  const hidden = mapTexts(calls, (text) => changedArguments(text, change))
  return hidden === calls ? message : { ...message, ...hidden }
}

function isCall(call: unknown): call is { function?: { arguments?: string } } {
  return typeof call === 'object' && call !== null
}

/** Arguments are JSON: a placeholder instead of a bare number would make it invalid. */
function changedArguments(text: string, change: Change): string {
  const value = tryParse(text)
  if (value === undefined) return change(text)
  let changed = false
  const hidden = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== 'string' && typeof one !== 'number') return one
    const before = String(one)
    const after = change(before)
    if (after === before) return one
    changed = true
    return after
  })
  return changed ? hidden : text
}
