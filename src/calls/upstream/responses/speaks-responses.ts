import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ChatCall } from '../../../translation/dialects/chat-codec.ts'
import { thinkingOptions } from '../../../translation/dialects/request/thinking-options.ts'
import type { RequestFields } from '../../../translation/dialects/request/request-fields.ts'
import { isHostedTool } from '../../../translation/formats/responses/hosted-tools.ts'
import { isRecord } from '../../../base/schema/record.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'

type NativeChatCall = ChatCall & { native?: NativeAsk | undefined }

/**
 * Whether a call goes to the provider's responses endpoint: the model has no other, the caller uses this format too and the
 * provider is known to have it, or chat completions would refuse the call.
 */
export function speaksResponses(target: ChatTarget, { request, native }: NativeChatCall): boolean {
  const { entry, provider } = target
  if (entry?.type === 'responses') return !provider.simulated
  const isOurs = native?.format === 'responses'
  if (isOurs && native.untranslatable?.length && hasEndpoint(target)) return true
  return target.hasResponses === true && (isOurs || isRefusedByChat(request, target))
}

/** The provider has the endpoint, although this model or address may not have it. No other can express the call. */
function hasEndpoint({ provider }: ChatTarget): boolean {
  return provider.openaiEndpoints?.includes('responses') ?? false
}

/** Whether the model accepts `web_search_options`. */
export function isSearchModel({ entry, provider, model }: ChatTarget): boolean {
  return entry?.can.includes('web_search') || provider.searchModels?.test(model) || false
}

function isRefusedByChat(request: ChatRequest, target: ChatTarget): boolean {
  const { entry, traits, provider } = target
  if (request.web_search_options && !isSearchModel(target)) return true
  const { tools, functions } = request
  if (!tools?.length && !functions?.length) return false
  if (tools?.some(isHostedTool)) return true
  // The model behind a deployment with a name of its own is unknown: the endpoint accepts what chat completions may refuse.
  const isRefused = entry ? traits?.chatRefuses?.includes('tools_while_thinking') : provider.responses
  return isRefused === true && thinks(request, traits)
}

function thinks({ thinking, reasoning_effort, messages }: ChatRequest, traits: ChatTarget['traits']): boolean {
  const fields = { messages, ...(isRecord(thinking) && { thinking }), ...(reasoning_effort && { reasoning_effort }) }
  const options = thinkingOptions(fields as RequestFields)
  if (options) return !options.off
  const how = traits?.thinking
  return Boolean(how?.byDefault || how?.always || traits?.lacks?.includes('thinking_with_tools'))
}
