import type { ChatRequest, ContentPart, Message } from '../../contract/chat.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { keepGuarded } from '../content-draft.ts'
import { guardedFiles, hasUnreadFile } from './guarded-files.ts'
import {
  type GuardedValue,
  guardedFields,
  guardedMessage,
  INPUT,
  type Phases,
  textsBeyond,
  TOOL_RESULTS,
} from './guarded-texts.ts'
import type { Guards } from './guards.ts'

/** The chat as it may be sent. Throws if it is blocked. */
export async function guardedRequest(request: ChatRequest, guards: Guards): Promise<ChatRequest> {
  if (!guards.checks('input')) return request
  const { content, local } = guards
  const left = await keepGuarded(
    content,
    () => requestLeft(request, guards),
    (one) => (one === request ? undefined : one),
  )
  // Callers get what was replaced back in the answer; what is kept of the answer does not.
  if (content && local.restored) content.restored = local.restored
  return left
}

async function requestLeft(request: ChatRequest, guards: Guards): Promise<ChatRequest> {
  await guards.local.reserve(request.messages.flatMap((message) => guardedMessage(message, INPUT).texts))
  if (request.messages.some(hasUnreadFile)) guards.unscanned('file')
  const guarded: GuardedValue<Message | ChatRequest>[] = request.messages.map((message) =>
    guardedMessage(message, phasesOf(message)),
  )
  const checked = await guards.checked([...guarded, guardedFields(request)])
  const fields = checked.pop() as ChatRequest
  const messages: Message[] = []
  for (const message of checked as Message[]) messages.push(await withCheckedFiles(message, guards))
  if (messages.every((message, at) => message === request.messages[at])) return fields
  return { ...fields, messages }
}

/** The message with its text files as they may be sent. */
async function withCheckedFiles(message: Message, guards: Guards): Promise<Message> {
  const files = guardedFiles(message, phasesOf(message).texts)
  if (files.length === 0) return message
  const left = await guards.checked(files)
  if (left.every((part, index) => part === files[index]!.value)) return message
  const parts = [...(message.content as ContentPart[])]
  for (const [index, { at }] of files.entries()) parts[at] = left[index]!
  return { ...message, content: parts } as Message
}

/**
 * A request in a format of a client, whose translation was checked. What only that format says is checked here. If something may
 * have to be kept from passing, it is not sent as the client wrote it, because it may have more than its translation.
 */
export async function guardedNative(native: NativeAsk, translated: ChatRequest, guards: Guards): Promise<NativeAsk> {
  const guarded = guards.enforces('output') ? { ...native, isAnswerGuarded: true } : native
  if (!guards.checks('input')) return guarded
  const { write: _, body, ...asked } = guarded
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => !isTranslated(name, native.format)))
  if (!guards.enforces('input')) {
    await report(native.isStale ? own : body, translated, guards)
    return guarded
  }
  const { content } = guards
  const left = await keepGuarded(
    content,
    () => guards.value(own, 'input'),
    // What has been kept of a chat that was changed does not have these members.
    (value) => (value === own || content?.isGuarded ? undefined : { ...body, ...value }),
  )
  return { ...asked, body: { ...body, ...left }, isStale: true }
}

/** Only reports what is found, also in what the translation of the request does not have. */
async function report(body: Record<string, unknown>, translated: ChatRequest, guards: Guards): Promise<void> {
  const texts = textsBeyond(body, translated)
  await keepGuarded(
    guards.content,
    () => guards.checked(texts.map((text) => ({ value: body, texts: [text], with: () => body }))),
    () => undefined,
  )
}

/** Where each format has the conversation, which its translation has, too. */
const CONVERSATIONS: Readonly<Record<NativeAsk['format'], string>> = {
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
  completions: 'prompt',
  cohere: 'messages',
}

function isTranslated(member: string, format: NativeAsk['format']): boolean {
  return member === 'model' || member === CONVERSATIONS[format]
}

function phasesOf({ role }: Message): Phases {
  return role === 'tool' || role === 'function' ? TOOL_RESULTS : INPUT
}
