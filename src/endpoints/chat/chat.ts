import type { CallServices } from '../../calls/services/call-services.ts'
import { observe } from '../../calls/attempts/observe.ts'
import type { CallPlan } from '../../calls/attempts/plan.ts'
import { runCall, runTurn } from '../../calls/attempts/run-call.ts'
import { type Call, type CallFacts, knownCost } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { keepRedacted } from '../../calls/content-draft.ts'
import { callIdsOf } from '../../calls/reasoning-memory.ts'
import { unseenInCompletion } from '../../calls/unseen-notes.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { packContent } from '../../translation/dialects/packed-content.ts'
import { notesOfEnds } from '../../translation/dialects/answer/finish-reason.ts'
import { settleId, settleNames } from '../../translation/dialects/answer/identifiers.ts'
import { notesOfCompletion } from '../../translation/dialects/answer/omissions.ts'
import { inlineFiles, namesFiles, type InlineOptions } from '../../calls/file-inputs/inline-files.ts'
import { type ChatAttempt, type ChatTarget, type RoutedCall, chatTargets } from '../../calls/routing/chat-targets.ts'
import { chatCodecOf } from '../../calls/upstream/chat-codec-of.ts'
import { chatWorstCase } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { isCustomizedChat } from '../../calls/upstream/customized.ts'
import { withFileTexts } from '../../calls/upstream/file-texts.ts'
import { speaksResponses } from '../../calls/upstream/responses/speaks-responses.ts'
import { codecFor, type AskedChat } from '../../calls/upstream/native-codec.ts'
import { usageOf } from '../../calls/upstream/chat-bill.ts'
import type { ChatInput } from '../../calls/upstream/chat-input.ts'
import type { OpenStream } from '../../calls/upstream/first-chunks.ts'
import { affinityOf } from './affinity.ts'
import { askForChoices, askForStreams } from './many-choices.ts'
import { exactChatCase } from './exact-case.ts'
import { expectedCost } from './expected-cost.ts'
import { completeAnswer } from './openai-members.ts'
import { type ChunkStream, Relay } from './relay.ts'
import { checkHooks, type Hooks, openHooks } from './run-hooks.ts'
import { checkToolModels } from './tool-models.ts'

/** Answers a chat in one piece. */
export function chat(original: AskedChat, call: Call, services: CallServices): Promise<ChatCompletion> {
  return runCall(() => wholePlan(original, call, services), call, services)
}

/** Answers a chat as a stream. Resolves at the first chunk with content; until then, another target may take over. */
export function streamChat(original: AskedChat, call: Call, services: CallServices): Promise<ChunkStream> {
  call.record.streams()
  return runCall(() => streamPlan(original, call, services), call, services)
}

/** One turn of a call whose answer takes several, in one piece. */
export async function chatTurn(original: AskedChat, call: Call, services: CallServices): Promise<ChatCompletion> {
  return await runTurn(await wholePlan(original, call, services), call, services)
}

/** The same as a stream. */
export async function streamTurn(original: AskedChat, call: Call, services: CallServices): Promise<ChunkStream> {
  return await runTurn(await streamPlan(original, call, services), call, services)
}

type ChatPlan<Reply, Answer> = CallPlan<ChatTarget, CallServices, Reply, Answer>

async function wholePlan(
  original: AskedChat,
  call: Call,
  services: CallServices,
): Promise<ChatPlan<ChatCompletion, ChatCompletion>> {
  const batch = services.nextBatch()
  if (batch) await batch
  const prepared = prepare(original, call, services)
  // Nearly always there is nothing to wait for.
  const made = prepared instanceof Promise ? await prepared : prepared
  const { input, hooks } = made
  return {
    ...planOf(made, call),
    ask: (attempt) => askForChoices(attempt, input),
    present: async ({ attempt, reply }) => {
      recordAnswer(reply, attempt)
      return present(hooks ? await hooks.after(reply, { target: attempt.target, input }) : reply, attempt)
    },
  }
}

async function streamPlan(
  original: AskedChat,
  call: Call,
  services: CallServices,
): Promise<ChatPlan<OpenStream, ChunkStream>> {
  const made = await prepare(original, call, services)
  const { input, hooks } = made
  return {
    ...planOf(made, call),
    endsItself: true,
    ask: (attempt) => askForStreams(attempt, input),
    present: ({ attempt, reply, remaining }, ending) => {
      call.record.beganToAnswer(services.monotonic())
      return new Relay({ opened: { attempt, stream: reply, remaining }, input, hooks, ending })
    },
  }
}

/** How targets are asked, whether for a stream or for a whole answer. */
function planOf({ input, targets, asking }: Prepared, call: Call) {
  const { files } = input
  return {
    ...asking,
    targets,
    worstCase: chatWorstCase(input),
    exactCase: exactChatCase(input, call),
    expectedCost: (target: ChatTarget) => expectedCost(input.request, target),
    // Files are read before a target is asked that does not accept files.
    ready: files && ((target: ChatTarget) => files.readyFor(target)),
  }
}

/** What the request says about how targets are chosen and asked. */
function askingOf(original: AskedChat, { caller, record }: Pick<Call, 'caller' | 'record'>) {
  const { request } = original
  return {
    isCustomized: () => isCustomizedChat(original),
    format: original.native?.format,
    affinity: request.routing?.sticky === false ? undefined : affinityOf(request, caller.owner, record.labels.session),
    retries: request.routing?.retries ?? undefined,
  }
}

/**
 * Refuses what a chat that runs later would refuse before it asks a provider. Its files are not opened yet. Returns its first
 * target, and the limits that count the submission.
 */
export async function submitChat(
  original: AskedChat,
  call: Call,
  services: CallServices,
): Promise<{ target: ChatTarget; countedBy: string[] }> {
  checkHooks(original.request, call, services)
  const targets = chatTargets(original.request, routedBy(askingOf(original, call), call), services)
  checkToolModels(original, targets, call.caller, services)
  codecFor(targets[0]!, original)
  const cases = { worstCase: chatWorstCase(original), exactCase: exactChatCase(original, call) }
  const { caller, endpoint, signal, record } = call
  const limited = { caller, endpoint, signal, labels: record.labels }
  return { target: targets[0]!, countedBy: await services.spendLimits.submit(limited, targets, cases) }
}

/** Who asks, for the choice of targets. */
function routedBy({ isCustomized, affinity, format }: ReturnType<typeof askingOf>, call: Call): RoutedCall {
  return {
    caller: call.caller,
    isCustomized,
    affinity,
    routed: (decision) => call.record.routed(decision),
    note: (note) => call.record.noteRequest([note]),
    dialect: format && DIALECT_OF[format],
  }
}

/** The dialect that clients of a format speak. Requests of the others are translated for every provider. */
const DIALECT_OF: Readonly<Record<string, string>> = { messages: 'anthropic', gemini: 'gemini' }

/** What is sent, and to whom. */
type Prepared = {
  input: ChatInput
  targets: ChatTarget[]
  asking: ReturnType<typeof askingOf>
  hooks: Hooks | undefined
}

/** Checks the request, chooses the targets, and completes the input. Only files and hooks have to be waited for. */
function prepare(original: AskedChat, call: Call, services: CallServices): Prepared | Promise<Prepared> {
  checkHooks(original.request, call, services)
  const asking = askingOf(original, call)
  const routed = routedBy(asking, call)
  const targets = chatTargets(original.request, routed, services)
  const hooks = openHooks(original.request, call, services, () => modelsOf(original, targets))
  if (checkToolModels(original, targets, call.caller, services)) call.spending.missesFees()
  call.time.limit(targets[0]!.timeouts.totalMs)
  const input = withReasoning(original, targets, call, services)
  const inlining = wantedBy(targets, hooks)
  const prepared = { input, targets, asking, hooks }
  if (hooks || namesFiles(input, inlining)) return withFilesAndHooks(prepared, { inlining, routed, call, services })
  return { ...prepared, input: withFileTexts(input, targets, { call, services }) }
}

/** Adds signed reasoning that the client did not send back. Chat completions have none, and may refuse an unknown field. */
function withReasoning(
  original: AskedChat,
  targets: readonly ChatTarget[],
  { caller }: CallFacts,
  { reasoning }: Pick<CallServices, 'reasoning'>,
): AskedChat {
  if (reasoning.size === 0 || targets.every((target) => isPlainChat(target, original))) return original
  const request = reasoning.recall(caller.owner, original.request)
  return request === original.request ? original : { request, native: original.native }
}

function isPlainChat(target: ChatTarget, call: AskedChat): boolean {
  return target.provider.dialect === 'openai' && !speaksResponses(target, call)
}

/** Which files the targets need as bytes or as text. Guardrails read text files, too. */
function wantedBy(targets: readonly ChatTarget[], hooks: Hooks | undefined): InlineOptions {
  const codecs = targets.map(({ provider }) => chatCodecOf(provider))
  return {
    images: codecs.some(({ images }) => images === 'bytes'),
    texts: hooks?.readsFiles || codecs.some(({ texts }) => texts === 'read'),
  }
}

/** Every name that a guardrail may know the model by. */
function modelsOf({ request }: AskedChat, targets: readonly ChatTarget[]): string[] {
  return [request.model, ...targets.map(({ id }) => id)]
}

type Preparing = { inlining: InlineOptions; routed: RoutedCall; call: Call; services: CallServices }

/** Files come first, because a hook may read them. If a hook changed the request, the router may choose other targets. */
async function withFilesAndHooks(
  { input: original, targets, asking, hooks }: Prepared,
  { inlining, routed, call, services }: Preparing,
): Promise<Prepared> {
  const inlined: ChatInput = namesFiles(original, inlining)
    ? { ...(await inlineFiles(original, inlining, call, services)), native: original.native }
    : original
  let input = hooks ? await throughHooks(inlined, hooks) : inlined
  let chosen = targets
  // Every round adds a guardrail at least, so there is an end.
  for (let before = inlined; hooks && input !== before; ) {
    chosen = chatTargets(input.request, routed, services)
    before = input
    input = await hooks.alsoFor(() => modelsOf(input, chosen), before)
  }
  const { content } = call.record
  if (input !== inlined && content) keepRedacted(content, input.request)
  const passed = hooks && ((text: string) => hooks.fileText(text))
  return { input: withFileTexts(input, chosen, { call, services, passed }), targets: chosen, asking, hooks }
}

async function throughHooks(inlined: ChatInput, hooks: Hooks): Promise<ChatInput> {
  const input = withNative(await hooks.before(inlined), inlined)
  if (!input.native) return input
  const native = await hooks.native(input.native, inlined.request)
  return native === input.native ? input : { ...input, native }
}

/** Hooks do not change the body that the client sent, so it is only used for what the changed chat cannot express. */
function withNative(changed: AskedChat, before: ChatInput): ChatInput {
  if (changed === before) return before
  const { native, attachments } = before
  const withFiles = attachments ? { ...changed, attachments } : changed
  return native ? { ...withFiles, native: { ...native, isStale: true } } : withFiles
}

/** Records how an answer ended, how long it took, and its signed reasoning. */
function recordAnswer(reply: ChatCompletion, attempt: ChatAttempt): void {
  const { call, services } = attempt
  if (call.trace) call.record.ended(reply)
  call.record.note(notesOfEnds(reply.choices))
  observe(attempt, reply.choices.length)
  keepReasoning(reply, call, services)
}

/** Keeps signed reasoning for clients that do not send it back with the results of their tools. */
function keepReasoning(
  { choices }: ChatCompletion,
  { caller }: CallFacts,
  { reasoning }: Pick<CallServices, 'reasoning'>,
): void {
  for (const { message } of choices) {
    reasoning.keep(caller.owner, callIdsOf(message.tool_calls), packContent(message))
  }
}

/** Turns the provider's answer into ours: with our name of the model, the cost, and the provider. */
function present(completion: ChatCompletion, { target, call, services }: ChatAttempt): ChatCompletion {
  // Hooks may have omitted something, too.
  call.record.note([...notesOfCompletion(completion), ...unseenInCompletion(completion, call)])
  settleId(completion)
  settleNames(completion)
  completion.id ||= `chatcmpl-${services.newId()}`
  completion.created ||= Math.floor(services.now() / 1000)
  completion.model = target.id
  if (target.provider.dialect !== 'openai') completeAnswer(completion)
  // Clients read the token counts without checking that they are there.
  completion.usage = usageOf(call.spending, completion.usage)
  completion.cost = knownCost(call)
  completion.provider = target.provider.id
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, services)
  return completion
}
