import type { ChatCompletion } from '../contract/chat-reply.ts'
import { attempt } from './attempt.ts'
import { type Call, closeCall, failCall, knownCost, limitCall, metadataOf } from './call.ts'
import { chatFaceOf } from './chat-face-of.ts'
import { isCustomizedChat } from './customized.ts'
import { fileTextsFor } from './file-texts.ts'
import { inlineFiles, namesFiles, type Wanted } from './inline-files.ts'
import { askForAnswers, askForStreams } from './many-choices.ts'
import type { NativeCall } from './native-face.ts'
import { observe } from './observe.ts'
import type { Outside } from './outside.ts'
import { callIdsOf } from './reasoning-memory.ts'
import { type ChunkStream, Relay } from './relay.ts'
import { routeResponses } from './responses-route.ts'
import { type ChatTarget, route } from './route.ts'
import { type Hooks, openHooks } from './run-hooks.ts'
import { charsOfMessage, settle, usageOf } from './settle.ts'
import { checkToolModels } from './tool-models.ts'

/** A whole answer. */
export async function chat(given: NativeCall, call: Call, outside: Outside): Promise<ChatCompletion> {
  try {
    const turn = outside.nextTurn()
    if (turn) await turn
    const prepared = prepare(given, call, outside)
    // Nearly always nothing is waited for.
    const { asked, targets, hooks } = prepared instanceof Promise ? await prepared : prepared
    const { target, reply } = await attempt(
      targets,
      call,
      outside,
      (target, chance) => {
        return askForAnswers(target, chance, asked, call, outside)
      },
      readyOf(call),
    )
    let chars = 0
    for (const { message } of reply.choices) chars += charsOfMessage(message)
    settle(call, target, asked.request, { usage: reply.usage, serviceTier: reply.service_tier, chars })
    observe({ target, startedAt: lastStart(call, outside) }, call, outside)
    keepThoughts(reply, call, outside)
    return present(hooks ? await hooks.after(reply, { target, asked }) : reply, target, call, outside)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

/** A streamed answer. Resolves when the first chunk is there; until then another target may still take over. */
export async function streamChat(given: NativeCall, call: Call, outside: Outside): Promise<ChunkStream> {
  call.stream = true
  try {
    const { asked, targets, hooks } = await prepare(given, call, outside)
    const { target, reply, credential, left } = await attempt(
      targets,
      call,
      outside,
      (target, chance) => {
        return askForStreams(target, chance, asked, call, outside)
      },
      readyOf(call),
    )
    call.firstTokenAt = outside.now()
    const opened = { target, credential, left, stream: reply, startedAt: lastStart(call, outside) }
    return new Relay({ opened, asked, call, outside, hooks })
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, outside)
    throw failure
  }
}

function prepare(given: NativeCall, call: Call, outside: Outside) {
  call.isCustomized = () => isCustomizedChat(given)
  const hooks = openHooks(given.request, call, outside)
  const targets = routeFor(given, call, outside)
  if (checkToolModels(given, targets, call.caller, outside)) call.costIsPartial = true
  limitCall(call, targets[0]!.limits.totalMs)
  const asked = withThoughts(given, targets, call, outside)
  const wanted = wantedBy(targets)
  if (!hooks && !namesFiles(asked, wanted)) {
    call.files = fileTextsFor(asked, targets, call, outside)
    return { asked, targets, hooks }
  }
  return changed(asked, wanted, targets, hooks, call, outside)
}

function wantedBy(targets: readonly ChatTarget[]): Wanted {
  const faces = targets.map(({ provider }) => chatFaceOf(provider))
  return { images: faces.some(({ images }) => images === 'bytes'), texts: faces.some(({ texts }) => texts === 'read') }
}

/** The responses format also reaches models that their provider serves in no other. */
function routeFor({ request, native }: NativeCall, call: Call, outside: Outside): ChatTarget[] {
  return native?.format === 'responses' ? routeResponses(request, call, outside) : route(request, call, outside)
}

/** Files first: a hook may want to read them. What hooks have changed may need another model where the router chooses. */
async function changed(
  given: NativeCall,
  wanted: Wanted,
  targets: ChatTarget[],
  hooks: Hooks | undefined,
  call: Call,
  outside: Outside,
) {
  const inlined = namesFiles(given, wanted)
    ? { ...(await inlineFiles(given, wanted, call, outside)), native: given.native }
    : given
  const asked = hooks ? await hooks.before(inlined) : inlined
  const chosen = asked === inlined ? targets : routeFor(asked, call, outside)
  call.files = fileTextsFor(asked, chosen, call, outside)
  return { asked, targets: chosen, hooks }
}

/** Files are read before a target is asked that takes none. */
function readyOf({ files }: Call) {
  return files && ((target: ChatTarget) => files.readyFor(target))
}

/** Only wires of their own have signed thoughts; others may refuse a field that they do not know. */
function withThoughts(given: NativeCall, targets: ChatTarget[], { caller }: Call, { reasoning }: Outside): NativeCall {
  if (reasoning.size === 0 || targets.every(({ provider }) => provider.dialect === 'openai')) return given
  const request = reasoning.recall(caller.owner, given.request)
  return request === given.request ? given : { request, native: given.native }
}

/** For clients that do not send them back with the results of their tools. */
function keepThoughts({ choices }: ChatCompletion, { caller }: Call, { reasoning }: Outside) {
  for (const { message } of choices) {
    const { reasoning_details: details, tool_calls } = message as { reasoning_details?: unknown; tool_calls?: unknown }
    if (Array.isArray(details)) reasoning.keep(caller.owner, callIdsOf(tool_calls), details)
  }
}

/** When the attempt began that has just answered. */
function lastStart({ attempts }: Call, { now }: Outside): number {
  return now() - (attempts.at(-1)?.durationMs ?? 0)
}

/** The provider's answer as ours: our name of the model, what it cost, who answered. */
function present(completion: ChatCompletion, target: ChatTarget, call: Call, outside: Outside): ChatCompletion {
  completion.id ||= `chatcmpl-${outside.newId()}`
  completion.created ||= Math.floor(outside.now() / 1000)
  completion.model = target.id
  // Clients read the counts without looking whether they are there.
  completion.usage = usageOf(call, completion.usage)
  completion.cost = knownCost(call)
  completion.provider = target.provider.id
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, outside)
  return completion
}
