import type { Call } from '../../calls/call.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk, ChatCompletion } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import { guardsOf } from '../../calls/guardrails/guarded-body.ts'
import { guardedNative, guardedRequest } from '../../calls/guardrails/guarded-request.ts'
import type { Guards } from '../../calls/guardrails/guards.ts'
import { guardStage } from '../../calls/guardrails/guard-stage.ts'
import { OutsideStage } from '../../calls/guardrails/outside-stage.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import type { Attachments } from '../../calls/files/attachments.ts'
import type { ChatInput } from '../../calls/upstream/chat-input.ts'
import { answerStage } from '../../translation/hooks/answers/answer-stage.ts'
import { filterStage } from '../../translation/hooks/answers/filter-stage.ts'
import { chunkLike, inOrder, type Stage } from '../../translation/hooks/answers/stage.ts'
import type { Phase, PostHook, PreHook } from '../../translation/hooks/hook.ts'
import { hookIssues, type NamedHook, postHooksOf, preHooksOf } from '../../translation/hooks/index.ts'
import { LongWork } from '../../translation/hooks/long-work.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { restoreFilter } from '../../translation/hooks/pii/restore-filter.ts'
import { StepBudget } from '../../translation/hooks/step-budget.ts'
import { Watch, watched } from '../../translation/hooks/watch.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { notesOfChunk } from '../../translation/dialects/answer/omissions.ts'
import { type AnsweredChat, checkTask, postTools, preTools } from './hook-tools.ts'
import type { CallServices } from '../../calls/services/call-services.ts'

/** For all hooks of a call together, on the event loop: about 10 ms for work that an engine could do too, and 60 ms for streams. */
const MAX_SHORT_STEPS = 200_000
const MAX_STREAM_STEPS = 1_500_000

/**
 * Undefined if the request has no hooks and no guardrail applies to it, so that most calls pay nothing for them. Check the hooks
 * first. `models`: all names of models that the call may be about.
 */
export function openHooks(
  request: ChatRequest,
  call: Call,
  services: CallServices,
  models: () => readonly string[] = () => [request.model],
): Hooks | undefined {
  const placeholders = new Placeholders()
  const guards = guardsOf(call, models, services, { placeholders })
  if (!namesHooks(request) && !guards) return undefined
  const hooks = { pre: preHooksOf(request), post: postHooksOf(request) }
  return new Hooks({ ...hooks, guards, placeholders }, call, services)
}

/** Throws if a hook is invalid, or runs a task that is not available here. */
export function checkHooks(request: ChatRequest, call: Call, services: CallServices): void {
  if (!namesHooks(request)) return
  refuseInvalid(request)
  for (const { hook, params, loc } of [...preHooksOf(request), ...postHooksOf(request)]) {
    if (hook.task) checkTask(hook.task(params), { loc, call, services })
  }
}

function namesHooks({ pre_hooks, post_hooks }: ChatRequest): boolean {
  return Boolean(pre_hooks?.length || post_hooks?.length)
}

type Opened = {
  pre: NamedHook<PreHook>[]
  post: NamedHook<PostHook>[]
  guards: Guards | undefined
  placeholders: Placeholders
}

/** The hooks of one call, in the order in which the request names them, and the guardrails that apply to it. */
export class Hooks {
  readonly #pre: NamedHook<PreHook>[]
  readonly #post: NamedHook<PostHook>[]
  readonly #call: Call
  readonly #services: CallServices
  #guards: Guards | undefined
  readonly #placeholders: Placeholders
  readonly #shortWork = new StepBudget(MAX_SHORT_STEPS)
  readonly #streamWork = new StepBudget(MAX_STREAM_STEPS)
  readonly #longWork: LongWork

  constructor({ pre, post, guards, placeholders }: Opened, call: Call, services: CallServices) {
    this.#pre = pre
    this.#post = post
    this.#guards = guards
    this.#placeholders = placeholders
    this.#call = call
    this.#services = services
    this.#longWork = new LongWork(() => services.loopSlot(call.caller.owner))
  }

  /**
   * The request after the pre hooks and the guardrails. What a request adds to itself comes first, so that guardrails see all of it;
   * hooks that send the content to a provider come after them, and guardrails see what these have changed. If something has changed it,
   * its source text is dropped.
   */
  async before(input: ChatInput): Promise<ChatInput> {
    let { request } = input
    for (const named of this.#pre) if (!named.hook.task) request = await this.#runPre(named, { ...input, request })
    if (this.#guards) request = await guardedRequest(request, this.#guards)
    const checked = request
    for (const named of this.#pre) if (named.hook.task) request = await this.#runPre(named, { ...input, request })
    if (this.#guards && request !== checked) request = await guardedRequest(request, this.#guards)
    return request === input.request ? input : { request }
  }

  /** Whether guardrails read the text files of the request. */
  get readsFiles(): boolean {
    return this.#guards?.checks('input') ?? false
  }

  /** The text of a file, which a model is sent in place of the file, as it may be sent. Throws if it is blocked. */
  async fileText(text: string): Promise<string> {
    return this.#guards ? await this.#guards.value(text, 'input') : text
  }

  /**
   * The router has chosen other targets for the changed request: guardrails that apply to them, and did not apply before, look at it,
   * and at its answer. The same input if there are none.
   */
  async alsoFor(models: () => readonly string[], input: ChatInput): Promise<ChatInput> {
    const own = { placeholders: this.#placeholders, before: this.#guards }
    const added = guardsOf(this.#call, models, this.#services, own)
    if (!added) return input
    this.#guards = this.#guards?.with(added) ?? added
    const native = input.native && (await guardedNative(input.native, input.request, added))
    return { ...input, request: await guardedRequest(input.request, added), native }
  }

  /** What only the caller's own format says of the request. */
  async native(native: NativeAsk, translated: ChatRequest): Promise<NativeAsk> {
    return this.#guards ? await guardedNative(native, translated, this.#guards) : native
  }

  async after(completion: ChatCompletion, answered: AnsweredChat): Promise<ChatCompletion> {
    let result = completion
    for (const stage of [...this.#stages(answered), ...this.#restoring()]) result = await stage.whole(result)
    return result
  }

  /** For streams: returns what may be passed on of each batch, and what is left at the end. */
  stream(answered: AnsweredChat): HookedStream {
    const outside = this.#guards?.services.lookAtAnswers ? new OutsideStage(this.#guards) : undefined
    return new HookedStream(
      { stages: this.#stages(answered), outside, last: this.#restoring() },
      this.#call,
      this.#services,
    )
  }

  async #runPre({ action, hook, params, loc }: NamedHook<PreHook>, input: ChatInput): Promise<ChatRequest> {
    const { request, attachments } = input
    if (hook.task && this.#services.dryRun) {
      this.#services.dryRun.skipped(action)
      return request
    }
    const watch = this.#watch(action, 'pre')
    const tools = preTools({ ...this.#runOf(loc, attachments), flag: watch.flag })
    let result = request
    try {
      result = await watch.timed(() => hook.run(request, params, tools))
      return result
    } finally {
      watch.note(result !== request)
    }
  }

  /** Guardrails have the last word. Personal data is restored after them, so that nothing else sees it, and no provider. */
  #stages(answered: AnsweredChat): Stage[] {
    const stages = this.#post.map((named) => this.#stageOf(named, answered))
    if (this.#guards?.checks('output')) stages.push(guardStage(this.#guards))
    return stages
  }

  #restoring(): Stage[] {
    if (!this.#placeholders.hasValues) return []
    const restoring = filterStage(
      () => restoreFilter(this.#placeholders, this.#streamWork),
      (text) => this.#placeholders.restoreAll(text, this.#longWork),
    )
    return [watched(restoring, this.#watch('restore_pii', 'post'))]
  }

  #stageOf({ action, hook, params, loc }: NamedHook<PostHook>, answered: AnsweredChat): Stage {
    const watch = this.#watch(action, 'post')
    const tools = postTools({ ...this.#runOf(loc, answered.input.attachments), flag: watch.flag }, answered)
    if (hook.kind === 'answer') {
      return watched(
        answerStage(async (answer) => await hook.run(answer, params, tools), hook.holds(params), this.#reserve),
        watch,
      )
    }
    const filter = filterStage(hook.open(params, tools), hook.wholeText?.(params, tools))
    const onWhole = hook.onWhole?.(params, tools)
    return watched(onWhole ? inOrder(filter, answerStage(onWhole, true, this.#reserve)) : filter, watch)
  }

  readonly #reserve = (bytes: number) => this.#call.memory?.tryHold(bytes) ?? true

  #runOf(loc: NamedHook<PreHook>['loc'], attachments: Attachments | undefined) {
    return {
      attachments,
      loc,
      call: this.#call,
      services: this.#services,
      placeholders: this.#placeholders,
      shortWork: this.#shortWork,
      streamWork: this.#streamWork,
      longWork: this.#longWork,
    }
  }

  #watch(action: string, phase: Phase): Watch {
    return new Watch(action, phase, this.#services.monotonic, (run) => this.#call.record.hookRan(run))
  }
}

/** Passes chunks through all stages. */
export class HookedStream {
  readonly #stages: readonly Stage[]
  readonly #outside: OutsideStage | undefined
  /** What comes behind the services and models that look at the stream. */
  readonly #restoring: readonly Stage[]
  readonly #call: Call
  readonly #services: CallServices
  #last: ChatChunk | undefined
  #latest: ChatChunk | undefined
  /** The answers that have begun and not ended. */
  readonly #open = new Set<number>()

  constructor({ stages, outside, last }: StreamStages, call: Call, services: CallServices) {
    this.#stages = outside ? stages : [...stages, ...last]
    this.#outside = outside
    this.#restoring = outside ? last : []
    this.#call = call
    this.#services = services
  }

  feed(chunks: ChatChunk[]): ChatChunk[] {
    return this.#passed(fed(this.#stages, chunks))
  }

  /** The same where services or models look at the stream. */
  async feedOutside(chunks: ChatChunk[]): Promise<ChatChunk[]> {
    const passed = fed(this.#stages, chunks)
    return this.#passed(fed(this.#restoring, this.#outside ? await this.#outside.feed(passed) : passed))
  }

  get asksOutside(): boolean {
    return this.#outside !== undefined
  }

  #passed(passed: ChatChunk[]): ChatChunk[] {
    this.#noteOmissions(passed)
    this.#note(passed)
    return this.#call.wantsMetadata ? this.#withoutLast(passed) : passed
  }

  /** What one stage has held back goes through the stages after it before they end. */
  async end(): Promise<ChatChunk[]> {
    let batch: ChatChunk[] = []
    for (const stage of this.#stages) batch = [...stage.feed(batch), ...(await stage.end())]
    if (this.#outside) batch = [...(await this.#outside.feed(batch)), ...(await this.#outside.end())]
    for (const stage of this.#restoring) batch = [...stage.feed(batch), ...(await stage.end())]
    this.#noteOmissions(batch)
    const chunks = this.#last ? [this.#last, ...batch] : batch
    const last = chunks.at(-1)
    if (!last || !this.#call.wantsMetadata) return chunks
    return [...chunks.slice(0, -1), { ...last, gatehouse: metadataOf(this.#call, this.#services) }]
  }

  /** The end of a stream that was blocked after something of it had been passed on. */
  blocked(): ChatChunk[] {
    const held = this.#last ? [this.#last] : []
    if (!this.#latest) return held
    const choices = [...this.#open].map((index) => ({ index, delta: {}, finish_reason: 'content_filter' as const }))
    const end = {
      ...chunkLike(this.#latest, choices),
      ...(this.#call.wantsMetadata && { gatehouse: metadataOf(this.#call, this.#services) }),
    }
    return [...held, end]
  }

  #note(passed: readonly ChatChunk[]): void {
    this.#latest = passed.at(-1) ?? this.#latest
    for (const { choices } of passed)
      for (const { index, finish_reason } of choices) {
        if (finish_reason) this.#open.delete(index)
        else this.#open.add(index)
      }
  }

  /** A hook omits what it cannot read. What the provider's answer already lacked is noted before. */
  #noteOmissions(chunks: readonly ChatChunk[]): void {
    const notes = chunks.flatMap(notesOfChunk).filter(({ reason }) => !this.#isNoted(reason))
    this.#call.record.note(notes)
  }

  #isNoted(reason: string): boolean {
    return this.#call.record.notes.some((note) => note.reason === reason)
  }

  /** The first chunk lists the pre hooks. The last one lists the post hooks too, so a chunk that may be the last waits for the next. */
  #withoutLast(chunks: ChatChunk[]): ChatChunk[] {
    if (!this.#last && !chunks.some(isEnding)) return chunks
    const all = this.#last ? [this.#last, ...chunks] : chunks
    this.#last = all.at(-1)
    return all.slice(0, -1)
  }
}

type StreamStages = { stages: readonly Stage[]; outside: OutsideStage | undefined; last: readonly Stage[] }

function fed(stages: readonly Stage[], chunks: ChatChunk[]): ChatChunk[] {
  return stages.reduce((batch, stage) => stage.feed(batch), chunks)
}

function isEnding({ choices }: ChatChunk): boolean {
  return choices.some(({ finish_reason }) => finish_reason)
}

function refuseInvalid(request: ChatRequest): void {
  const detail = hookIssues(request)
  const [first] = detail
  if (!first) return
  throw problem('validation_error', { message: first.msg, param: first.loc.slice(1).join('.'), detail })
}
