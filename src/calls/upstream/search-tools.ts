import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import type { ChatCall, Note } from '../../translation/dialects/chat-codec.ts'
import { isRecord, textOf } from '../../base/schema/record.ts'
import { isSearchModel, speaksResponses } from './responses/speaks-responses.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'

// A web search that came as a tool of another format. Not every model can search, and most providers refuse the setting.

/** The call as the target can take it, and a note about what it does not get. */
export function fitSearch(call: ChatCall, native: NativeAsk, target: ChatTarget): { call: ChatCall; note?: Note } {
  if (!canSearch(target, call, native)) return withoutSearch(call, native, target)
  return demandsSearch(native.body.tool_choice) ? { call, note: NOT_FORCED } : { call }
}

const NOT_FORCED: Note = {
  field: 'tool_choice',
  action: 'dropped',
  reason: 'this provider always decides itself whether to search',
}

/** Whether the model searches, or its dialect has a tool for it. The simulated provider accepts everything. */
export function canSearch(target: ChatTarget, { request }: ChatCall, native: NativeAsk | undefined): boolean {
  const { provider } = target
  if (speaksResponses(target, { request, native })) return true
  if (provider.simulated || provider.dialect === 'anthropic' || provider.dialect === 'gemini') return true
  return isSearchModel(target)
}

/**
 * Codex always sends the tool in the responses format, so there it is only noted, unless the answer has to use it. Callers of
 * other formats name a tool that they need.
 */
function withoutSearch(call: ChatCall, native: NativeAsk, { name }: ChatTarget): { call: ChatCall; note: Note } {
  const { web_search_options: _, ...request } = call.request
  const reason = `${name ?? 'the provider'} cannot run the tool "web_search" with this model`
  if (native.format !== 'responses') throw cannotTake(['tools'], reason)
  if (demandsSearch(native.body.tool_choice)) throw cannotTake(['tool_choice'], reason)
  return { call: { request }, note: { field: 'web_search_options', action: 'dropped', reason } }
}

function demandsSearch(choice: unknown): boolean {
  return isRecord(choice) && textOf(choice.type).startsWith('web_search')
}
