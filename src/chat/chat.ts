import type { AppContext } from '../app/context.ts'
import { observe } from '../attempts/observe.ts'
import { tryTargets } from '../attempts/try-targets.ts'
import { type Call, type CallStart, failCall, knownCost, limitCall } from '../calls/call.ts'
import { closeCall } from '../calls/close-call.ts'
import { metadataOf } from '../calls/call-metadata.ts'
import { noteAnswer } from '../calls/answer-facts.ts'
import { callIdsOf } from '../calls/reasoning-memory.ts'
import { unseenInCompletion } from '../calls/unseen-notes.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import { packContent } from '../dialects/packed-content.ts'
import { notesOfEnds } from '../dialects/answer/finish-reason.ts'
import { notesOfCompletion } from '../dialects/answer/omissions.ts'
import { inlineFiles, namesFiles, type Wanted } from '../file-inputs/inline-files.ts'
import { type ChatAttempt, type ChatTarget, route } from '../routing/route.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import { chatWorstCase } from '../upstream/bounds/chat-worst-case.ts'
import { isCustomizedChat } from '../upstream/customized.ts'
import { fileTextsFor } from '../upstream/file-texts.ts'
import { speaksResponses } from '../upstream/responses/speaks-responses.ts'
import { codecFor, type NativeCall } from '../upstream/native-codec.ts'
import { settleWhole, usageOf } from '../upstream/settle.ts'
import { affinityOf } from './affinity.ts'
import { askForChoices, askForStreams } from './many-choices.ts'
import { exactChatCase } from './exact-case.ts'
import { completeAnswer } from './openai-members.ts'
import { type ChunkStream, Relay } from './relay.ts'
import { withPolicy } from './mandatory-hooks.ts'
import { type Hooks, openHooks } from './run-hooks.ts'
import { checkToolModels } from './tool-models.ts'

/** Answers a chat in one piece. */
export async function chat(original: NativeCall, call: Call, context: AppContext): Promise<ChatCompletion> {
  try {
    const batch = context.nextBatch()
    if (batch) await batch
    const prepared = prepare(original, call, context)
    // Nearly always there is nothing to wait for.
    const { input, targets, hooks } = prepared instanceof Promise ? await prepared : prepared
    call.worstCase = chatWorstCase(input, call)
    call.exactCase = exactChatCase(input, call)
    const ask = (attempt: ChatAttempt) => askForChoices(attempt, input)
    const { attempt, reply } = await tryTargets(targets, { call, context, ready: readyOf(call) }, ask)
    recordAnswer(reply, attempt, input)
    return present(hooks ? await hooks.after(reply, { target: attempt.target, input }) : reply, attempt)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, context)
  }
}

/** Answers a chat as a stream. Resolves at the first chunk with content; until then, another target may take over. */
export async function streamChat(original: NativeCall, call: Call, context: AppContext): Promise<ChunkStream> {
  call.stream = true
  try {
    const { input, targets, hooks } = await prepare(original, call, context)
    call.worstCase = chatWorstCase(input, call)
    call.exactCase = exactChatCase(input, call)
    const ask = (attempt: ChatAttempt) => askForStreams(attempt, input)
    const { attempt, reply, left } = await tryTargets(targets, { call, context, ready: readyOf(call) }, ask)
    call.firstTokenAt = context.monotonic()
    return new Relay({ opened: { attempt, stream: reply, left }, input, hooks })
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, context)
    throw failure
  }
}

/**
 * Refuses what a chat that runs later would refuse before it asks anybody. Its files are not opened yet. Returns its first
 * target, and the limits that count the submission.
 */
export async function submitChat(
  original: NativeCall,
  call: Call,
  context: AppContext,
): Promise<{ target: ChatTarget; countedBy: string[] }> {
  openHooks(original.request, call, context)
  const targets = route(original.request, call, context)
  checkToolModels(original, targets, call.caller, context)
  codecFor(targets[0]!, original)
  call.worstCase = chatWorstCase(original, call)
  call.exactCase = exactChatCase(original, call)
  return { target: targets[0]!, countedBy: await context.spendLimits.submit(call, targets) }
}

/** What is sent, and to whom. */
type Prepared = { input: NativeCall; targets: ChatTarget[]; hooks: Hooks | undefined }

/** Checks the request, chooses the targets, and completes the input. Only files and hooks have to be waited for. */
function prepare(asked: NativeCall, call: Call, context: AppContext): Prepared | Promise<Prepared> {
  const original = withPolicy(asked, call.caller)
  call.isCustomized = () => isCustomizedChat(original)
  call.retries = original.request.routing?.retries ?? undefined
  call.affinity = affinityOf(original.request, call.caller.owner)
  const hooks = openHooks(asked.request, call, context)
  const targets = route(original.request, call, context)
  if (checkToolModels(original, targets, call.caller, context)) call.costIsPartial = true
  limitCall(call, targets[0]!.timeouts.totalMs)
  const input = withReasoning(original, targets, call, context)
  const wanted = wantedBy(targets)
  const prepared = { input, targets, hooks }
  if (hooks || namesFiles(input, wanted)) return withFilesAndHooks(prepared, wanted, call, context)
  call.files = fileTextsFor(input, targets, call, context)
  return prepared
}

/** Adds signed reasoning that the client did not send back. Chat completions have none, and may refuse an unknown field. */
function withReasoning(
  original: NativeCall,
  targets: readonly ChatTarget[],
  { caller }: CallStart,
  { reasoning }: AppContext,
): NativeCall {
  if (reasoning.size === 0 || targets.every((target) => isPlainChat(target, original))) return original
  const request = reasoning.recall(caller.owner, original.request)
  return request === original.request ? original : { request, native: original.native }
}

function isPlainChat(target: ChatTarget, call: NativeCall): boolean {
  return target.provider.dialect === 'openai' && !speaksResponses(target, call)
}

/** Which files the targets need as bytes or as text. */
function wantedBy(targets: readonly ChatTarget[]): Wanted {
  const codecs = targets.map(({ provider }) => chatCodecOf(provider))
  return {
    images: codecs.some(({ images }) => images === 'bytes'),
    texts: codecs.some(({ texts }) => texts === 'read'),
  }
}

/** Files come first, because a hook may read them. If a hook changed the request, the router may choose other targets. */
async function withFilesAndHooks(
  { input: original, targets, hooks }: Prepared,
  wanted: Wanted,
  call: Call,
  context: AppContext,
): Promise<Prepared> {
  const inlined = namesFiles(original, wanted)
    ? { ...(await inlineFiles(original, wanted, call, context)), native: original.native }
    : original
  const input = hooks ? withNative(await hooks.before(inlined), inlined) : inlined
  if (input !== inlined && call.content?.mode === 'redacted') call.content.request = input.request
  const chosen = input === inlined ? targets : route(input.request, call, context)
  call.files = fileTextsFor(input, chosen, call, context)
  return { input, targets: chosen, hooks }
}

/** Formats whose body is still needed after a change: for the provider's own tools, and for the settings of a completion. */
const KEPT_NATIVE: ReadonlySet<string | undefined> = new Set(['responses', 'completions'])

/** Hooks do not change the body that the client sent, so it is only used for what the changed chat cannot express. */
function withNative(changed: NativeCall, before: NativeCall): NativeCall {
  if (changed === before || !KEPT_NATIVE.has(before.native?.format)) return changed
  return { ...changed, native: { ...before.native!, isStale: true } }
}

/** Files are read before a target is asked that does not accept files. */
function readyOf({ files }: Call) {
  return files && ((target: ChatTarget) => files.readyFor(target))
}

/** Records what an answer cost, how long it took, and its signed reasoning. */
function recordAnswer(reply: ChatCompletion, attempt: ChatAttempt, { request }: NativeCall): void {
  const { call, context } = attempt
  settleWhole(attempt, request, reply)
  if (call.trace) noteAnswer(call, reply)
  const notes = notesOfEnds(reply.choices)
  if (notes.length > 0) call.notes = [...call.notes, ...notes]
  observe(attempt, reply.choices.length)
  keepReasoning(reply, call, context)
}

/** Keeps signed reasoning for clients that do not send it back with the results of their tools. */
function keepReasoning({ choices }: ChatCompletion, { caller }: CallStart, { reasoning }: AppContext): void {
  for (const { message } of choices) {
    reasoning.keep(caller.owner, callIdsOf(message.tool_calls), packContent(message))
  }
}

/** Turns the provider's answer into ours: with our name of the model, the cost, and the provider. */
function present(completion: ChatCompletion, { target, call, context }: ChatAttempt): ChatCompletion {
  // Hooks may have omitted something, too.
  const omissions = [...notesOfCompletion(completion), ...unseenInCompletion(completion, call)]
  if (omissions.length > 0) call.notes = [...call.notes, ...omissions]
  completion.id ||= `chatcmpl-${context.newId()}`
  completion.created ||= Math.floor(context.now() / 1000)
  completion.model = target.id
  if (target.provider.dialect !== 'openai') completeAnswer(completion)
  // Clients read the token counts without checking that they are there.
  completion.usage = usageOf(call, completion.usage)
  completion.cost = knownCost(call)
  completion.provider = target.provider.id
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, context)
  return completion
}
