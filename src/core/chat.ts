import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import { askStream, askWhole } from './ask.ts'
import { attempt } from './attempt.ts'
import { type Call, closeCall, failCall, metadataOf } from './call.ts'
import { refuseHooks } from './hooks.ts'
import { inlineFiles, namesFiles } from './inline-files.ts'
import type { Outside } from './outside.ts'
import { relay } from './relay.ts'
import { type ChatTarget, route } from './route.ts'
import { charsOfMessage, settle } from './settle.ts'

/** A whole answer. */
export async function chat(given: ChatCall, call: Call, outside: Outside): Promise<ChatCompletion> {
  try {
    const targets = prepare(given, call, outside)
    const asked = namesFiles(given) ? await inlineFiles(given, call, outside) : given
    const { target, reply } = await attempt(targets, call, outside, (target) => {
      return askWhole(target, asked, call, outside)
    })
    const chars = reply.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
    settle(call, target, asked.request, { usage: reply.usage, serviceTier: reply.service_tier, chars })
    return present(reply, target, call, outside)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

/** A streamed answer. Resolves when the first chunk is there; until then another target may still take over. */
export async function streamChat(given: ChatCall, call: Call, outside: Outside): Promise<AsyncGenerator<ChatChunk[]>> {
  call.stream = true
  try {
    const targets = prepare(given, call, outside)
    const asked = namesFiles(given) ? await inlineFiles(given, call, outside) : given
    const { target, reply } = await attempt(targets, call, outside, (target) => {
      return askStream(target, asked, call, outside)
    })
    call.firstTokenAt = outside.now()
    return relay(reply, target, asked.request, call, outside)
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, outside)
    throw failure
  }
}

function prepare({ request }: ChatCall, call: Call, outside: Outside): ChatTarget[] {
  refuseHooks(request)
  return route(request, call.caller, outside)
}

/** The provider's answer as ours: our name of the model, what it cost, who answered. */
function present(completion: ChatCompletion, target: ChatTarget, call: Call, outside: Outside): ChatCompletion {
  completion.id ??= `chatcmpl-${outside.newId()}`
  completion.created ??= Math.floor(outside.now() / 1000)
  completion.model = target.id
  // Clients read the counts without looking whether they are there.
  if (call.usageEstimate) completion.usage = call.usageEstimate
  completion.cost = call.estimated ? null : call.cost
  completion.provider = target.provider.id
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, outside)
  return completion
}
