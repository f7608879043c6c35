import type { ChatRequest } from '../../contract/chat.ts'
import type { CheckedText, GuardPhase } from '../../translation/guardrails/check.ts'
import { type ChangeText, mapRequestTexts, requestTexts } from '../../translation/hooks/texts/request-texts.ts'
import { isSealed } from '../../translation/hooks/texts/text-places.ts'

// The texts of a request, a message or any other JSON, for guardrails: taken out, and put back in the same order.

export type Phases = { texts: GuardPhase; arguments: GuardPhase }

/** Everything that may go to a model, and of what it is made. */
export const INPUT: Phases = { texts: 'input', arguments: 'input' }
export const TOOL_RESULTS: Phases = { texts: 'tool_results', arguments: 'tool_results' }
export const OUTPUT: Phases = { texts: 'output', arguments: 'tool_arguments' }
const TOOL_ARGUMENTS: Phases = { texts: 'tool_arguments', arguments: 'tool_arguments' }
export const PHASES = { input: INPUT, tool_results: TOOL_RESULTS, output: OUTPUT, tool_arguments: TOOL_ARGUMENTS }

export type GuardedValue<Value> = {
  value: Value
  texts: CheckedText[]
  /** The same value with other texts. */
  with(texts: readonly string[]): Value
}

/** A message, in a request or in an answer. */
export function guardedMessage<Message extends object>(message: Message, phases: Phases): GuardedValue<Message> {
  const wrapped = { model: '', messages: [message] } as unknown as ChatRequest
  return guarded(message, wrapped, phases, ({ messages }) => messages[0] as unknown as Message)
}

/** A chat without its messages. */
export function guardedFields(request: ChatRequest): GuardedValue<ChatRequest> {
  return guarded(request, { ...request, messages: [] }, INPUT, (fields) => ({ ...fields, messages: request.messages }))
}

/** Any other JSON. */
export function guardedValue<Value>(value: Value, phases: Phases): GuardedValue<Value> {
  const wrapped: ChatRequest = { model: '', messages: [], extra_body: { value } }
  return guarded(value, wrapped, phases, ({ extra_body }) => extra_body?.value as Value)
}

/** What a request in a format of a client says, and its translation does not, except bytes that only a provider can read. */
export function textsBeyond({ model: _, ...body }: Record<string, unknown>, translated: ChatRequest): CheckedText[] {
  const known = new Set(requestTexts(translated))
  const texts: CheckedText[] = []
  mapRequestTexts({ model: '', messages: [], extra_body: body }, (text, isFixed, _isArgument, member) => {
    const isRead = !known.has(text) && !isBytes(text, member) && !(isSealed(member) && NO_BLANKS.test(text))
    if (isRead) texts.push({ text, phase: 'input', isFixed })
    return text
  })
  return texts
}

const NO_BLANKS = /^\S*$/

/** An image or a file as an address has no words. Anywhere else, the same is a text like others. */
const BYTES = /^data:(?:image|audio|video|application|text)\/[\w.+-]{1,64};base64,[\w+/=-]*$/
const ADDRESSES: ReadonlySet<string> = new Set([
  ...['url', 'uri', 'image_url', 'document_url', 'file_url', 'file_data', 'data', 'image', 'images', 'mask', 'file'],
])

function isBytes(text: string, member: string): boolean {
  return ADDRESSES.has(member) && BYTES.test(text)
}

function guarded<Value>(
  value: Value,
  whole: ChatRequest,
  phases: Phases,
  read: (whole: ChatRequest) => Value,
): GuardedValue<Value> {
  const texts: CheckedText[] = []
  const walk = (change: ChangeText) =>
    mapRequestTexts(whole, (text, isFixed, isArgument, member) =>
      !isArgument && isBytes(text, member) ? text : change(text, isFixed, isArgument, member),
    )
  walk((text, isFixed, isArgument) => {
    texts.push({ text, phase: isArgument ? phases.arguments : phases.texts, isFixed })
    return text
  })
  return {
    value,
    texts,
    with: (changed) => {
      let at = 0
      return read(walk(() => changed[at++]!))
    },
  }
}
