import type { ChatRequest } from '../../../contract/chat.ts'
import type { NativeAsk } from '../../wire/native-ask.ts'
import { type Fields, isRecord, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { choiceOf } from '../gemini/tools.ts'

// How the model may choose among the tools of a request. The choice in the chat format lacks what only the caller's format can say: a
// choice beside tools of the gateway alone, and their names.

type Asked = { request: ChatRequest; native?: NativeAsk | undefined }

/** A tool that a choice names: in the words of the caller, and in those of the chat format if it has any. */
export type ChosenTool = { own: Fields; chat: Fields | undefined }

type ChoiceWish = {
  mode: 'auto' | 'required' | 'none'
  /** The only tools that may be called. */
  tools?: readonly ChosenTool[]
  /** They are a list of what may be called, which holds for all turns, and not one that has to be called. */
  isList?: boolean
}

const MODES: ReadonlyMap<unknown, ChoiceWish['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/** Undefined if the request does not say. */
export function choiceWish({ request, native }: Asked): ChoiceWish | undefined {
  const own = ownChoice({ request, native })
  if (!isRecord(own)) return modeAlone(own)
  const inChat = native?.format === 'gemini' ? own : recordOf(request.tool_choice)
  if (own.type === 'allowed_tools') return listed(own, inChat)
  const chat = Object.keys(inChat).length > 0 ? inChat : undefined
  return modeAlone(own.type) ?? { mode: 'required', tools: [{ own, chat }] }
}

function ownChoice({ request, native }: Asked): unknown {
  const { format, body = {} } = native ?? {}
  if (format === 'messages' || format === 'responses') return body.tool_choice
  return format === 'gemini' ? choiceOf(body.toolConfig ?? body.tool_config).tool_choice : request.tool_choice
}

function modeAlone(word: unknown): ChoiceWish | undefined {
  const mode = MODES.get(word)
  return mode && { mode }
}

function listed(own: Fields, inChat: Fields): ChoiceWish {
  const { mode, tools } = recordOf(own.allowed_tools ?? own)
  const chat = recordsIn(recordOf(inChat.allowed_tools).tools)
  const named = recordsIn(tools).map((tool, at) => ({ own: tool, chat: chat[at] }))
  return { mode: mode === 'required' ? 'required' : 'auto', tools: named, isList: true }
}
