import type { Message } from '../../contract/chat.ts'
import { tryParse } from '../../json/try-parse.ts'
import { mapTexts } from '../answers/map-texts.ts'
import { preHook } from '../hook.ts'
import { mapMessages, mapMessageTexts, textsOf } from '../message-texts.ts'
import { KINDS } from '../pii/personal-data.ts'
import { type Redaction, redacted, redactedInTurns } from '../pii/redact-filter.ts'
import { RequestRedaction } from '../redaction.ts'

export default preHook({
  description:
    'Replaces personal data in all messages by placeholders such as `[EMAIL_1]`: in texts and in the arguments of earlier ' +
    'tool calls. Pictures, files and sound are not looked at.',
  params: RequestRedaction,
  async run(request, { kinds, restore }, { placeholders }) {
    const texts = request.messages.flatMap(textsOf)
    if (restore) for (const text of texts) placeholders.reserve(text)
    const redaction = { kinds: kinds ?? KINDS, placeholders, isRestored: restore === true }
    const hidden = new Map<string, string>()
    for (const text of texts) if (!hidden.has(text)) hidden.set(text, await redactedInTurns(text, redaction))
    const changed = mapMessageTexts(request, (text) => hidden.get(text) ?? text)
    return mapMessages(changed, (message) => withoutCallData(message, redaction))
  },
})

/** The contract leaves the calls of a message unchecked: what does not look like one stays as it is. */
function withoutCallData(message: Message, redaction: Redaction): Message {
  const tool_calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isCall) : []
  if (tool_calls.length === 0 || tool_calls.length !== (message.tool_calls as unknown[]).length) return message
  const calls = { tool_calls }
  const hidden = mapTexts(calls, (text) => redactedArguments(text, redaction))
  return hidden === calls ? message : { ...message, ...hidden }
}

function isCall(call: unknown): call is { function?: { arguments?: string } } {
  return typeof call === 'object' && call !== null
}

/** Arguments are JSON: a placeholder in the place of a bare number would break it. */
function redactedArguments(text: string, redaction: Redaction): string {
  const value = tryParse(text)
  if (value === undefined) return redacted(text, redaction)
  let changed = false
  const hidden = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== 'string' && typeof one !== 'number') return one
    const before = String(one)
    const after = redacted(before, redaction)
    if (after === before) return one
    changed = true
    return after
  })
  return changed ? hidden : text
}
