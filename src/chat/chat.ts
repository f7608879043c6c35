import type { ChatCompletion } from '../contract/chat-reply.ts'
import { attempt } from '../attempts/attempt.ts'
import { type Call, type CallStart, closeCall, failCall, knownCost, limitCall, metadataOf } from '../calls/call.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import { isCustomizedChat } from '../upstream/customized.ts'
import { fileTextsFor } from '../upstream/file-texts.ts'
import { inlineFiles, namesFiles, type Wanted } from '../file-inputs/inline-files.ts'
import { askForAnswers, askForStreams } from './many-choices.ts'
import type { NativeCall } from '../upstream/native-codec.ts'
import { observe } from '../attempts/observe.ts'
import type { AppContext } from '../app/context.ts'
import { callIdsOf } from '../calls/reasoning-memory.ts'
import { type ChunkStream, Relay } from './relay.ts'
import { routeResponses } from '../routing/responses-route.ts'
import { type ChatTarget, route } from '../routing/route.ts'
import { type Hooks, openHooks } from './run-hooks.ts'
import { charsOfMessage, settle, usageOf } from '../upstream/settle.ts'
import { checkToolModels } from './tool-models.ts'

/** A whole answer. */
export async function chat(original: NativeCall, call: Call, context: AppContext): Promise<ChatCompletion> {
  try {
    const batch = context.nextBatch()
    if (batch) await batch
    const prepared = prepare(original, call, context)
    // Nearly always nothing is waited for.
    const { input, targets, hooks } = prepared instanceof Promise ? await prepared : prepared
    const { target, reply } = await attempt(
      targets,
      call,
      context,
      (target, attemptContext) => {
        return askForAnswers(target, attemptContext, input, call, context)
      },
      readyOf(call),
    )
    let chars = 0
    for (const { message } of reply.choices) chars += charsOfMessage(message)
    settle(call, target, input.request, { usage: reply.usage, serviceTier: reply.service_tier, chars })
    observe({ target, startedAt: lastStart(call, context) }, call, context)
    keepReasoning(reply, call, context)
    return present(hooks ? await hooks.after(reply, { target, input }) : reply, target, call, context)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, context)
  }
}

/** A streamed answer. Resolves when the first chunk is there; until then another target may still take over. */
export async function streamChat(original: NativeCall, call: Call, context: AppContext): Promise<ChunkStream> {
  call.stream = true
  try {
    const { input, targets, hooks } = await prepare(original, call, context)
    const { target, reply, credential, left } = await attempt(
      targets,
      call,
      context,
      (target, attemptContext) => {
        return askForStreams(target, attemptContext, input, call, context)
      },
      readyOf(call),
    )
    call.firstTokenAt = context.now()
    const opened = { target, credential, left, stream: reply, startedAt: lastStart(call, context) }
    return new Relay({ opened, input, call, context, hooks })
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, context)
    throw failure
  }
}

function prepare(original: NativeCall, call: Call, context: AppContext) {
  call.isCustomized = () => isCustomizedChat(original)
  const hooks = openHooks(original.request, call, context)
  const targets = routeFor(original, call, context)
  if (checkToolModels(original, targets, call.caller, context)) call.costIsPartial = true
  limitCall(call, targets[0]!.limits.totalMs)
  const input = withReasoning(original, targets, call, context)
  const wanted = wantedBy(targets)
  if (!hooks && !namesFiles(input, wanted)) {
    call.files = fileTextsFor(input, targets, call, context)
    return { input, targets, hooks }
  }
  return changed(input, wanted, targets, hooks, call, context)
}

function wantedBy(targets: readonly ChatTarget[]): Wanted {
  const codecs = targets.map(({ provider }) => chatCodecOf(provider))
  return {
    images: codecs.some(({ images }) => images === 'bytes'),
    texts: codecs.some(({ texts }) => texts === 'read'),
  }
}

/** The responses format also reaches models that their provider serves in no other. */
function routeFor({ request, native }: NativeCall, call: Call, context: AppContext): ChatTarget[] {
  return native?.format === 'responses' ? routeResponses(request, call, context) : route(request, call, context)
}

/** Files first: a hook may want to read them. What hooks have changed may need another model where the router chooses. */
async function changed(
  original: NativeCall,
  wanted: Wanted,
  targets: ChatTarget[],
  hooks: Hooks | undefined,
  call: Call,
  context: AppContext,
) {
  const inlined = namesFiles(original, wanted)
    ? { ...(await inlineFiles(original, wanted, call, context)), native: original.native }
    : original
  const input = hooks ? await hooks.before(inlined) : inlined
  const chosen = input === inlined ? targets : routeFor(input, call, context)
  call.files = fileTextsFor(input, chosen, call, context)
  return { input, targets: chosen, hooks }
}

/** Files are read before a target is asked that takes none. */
function readyOf({ files }: Call) {
  return files && ((target: ChatTarget) => files.readyFor(target))
}

/** Only wires of their own have signed thoughts; others may refuse a field that they do not know. */
function withReasoning(
  original: NativeCall,
  targets: ChatTarget[],
  { caller }: CallStart,
  { reasoning }: AppContext,
): NativeCall {
  if (reasoning.size === 0 || targets.every(({ provider }) => provider.dialect === 'openai')) return original
  const request = reasoning.recall(caller.owner, original.request)
  return request === original.request ? original : { request, native: original.native }
}

/** For clients that do not send them back with the results of their tools. */
function keepReasoning({ choices }: ChatCompletion, { caller }: CallStart, { reasoning }: AppContext) {
  for (const { message } of choices) {
    const { reasoning_details: details, tool_calls } = message as { reasoning_details?: unknown; tool_calls?: unknown }
    if (Array.isArray(details)) reasoning.keep(caller.owner, callIdsOf(tool_calls), details)
  }
}

/** When the attempt began that has just answered. */
function lastStart({ attempts }: Call, { now }: AppContext): number {
  return now() - (attempts.at(-1)?.durationMs ?? 0)
}

/** The provider's answer as ours: our name of the model, what it cost, who answered. */
function present(completion: ChatCompletion, target: ChatTarget, call: Call, context: AppContext): ChatCompletion {
  completion.id ||= `chatcmpl-${context.newId()}`
  completion.created ||= Math.floor(context.now() / 1000)
  completion.model = target.id
  // Clients read the counts without looking whether they are there.
  completion.usage = usageOf(call, completion.usage)
  completion.cost = knownCost(call)
  completion.provider = target.provider.id
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, context)
  return completion
}
