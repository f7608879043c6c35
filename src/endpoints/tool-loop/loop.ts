import type { Call } from '../../calls/call.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import type { ChatRequest, Message } from '../../contract/chat.ts'
import type { FinishReason, ToolCall } from '../../contract/chat-reply.ts'
import { type Fields, isRecord, listOf, recordsIn, textOf } from '../../base/schema/record.ts'
import type { PlacedBlock } from '../../translation/wire/answer.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { GATEWAY_MAKER } from '../../translation/formats/gateway/steps.ts'
import { linkedSources } from './linked-sources.ts'
import type { Conversation, GatewayTool, Source } from './gateway-tool.ts'
import { type AllowedCall, resultMessage, runCalls } from './run-calls.ts'
import { inTurns, type TurnMessage } from './transcript.ts'
import type { Toolset } from './toolset.ts'
import type { TurnChoice } from './turn-choices.ts'

/** A model that never answers is asked this often. */
const MAX_ROUNDS = 10
const MAX_CALLS = 50
const BETWEEN_TURNS = '\n\n'

/** What one turn of the model said. */
export type Turn = {
  text: string
  calls: readonly ToolCall[]
  finish: FinishReason | null
  reasoning_content?: unknown
  reasoning_details?: unknown
  provider_content?: unknown
}

/** What follows a turn: blocks for the caller, and the end of the answer, if it is the last turn. */
export type Followed = { placed: PlacedBlock[]; end?: AnswerEnd | undefined }
type AnswerEnd = { finish: FinishReason | null; calls: readonly ToolCall[] }

type AskedOfLoop = {
  /** Without the tools that the gateway runs. */
  asked: AskedChat
  tools: Toolset
  /** Calls that the caller has approved, by their ids. */
  approved: ReadonlySet<string>
  /** Their arguments as they may go to their tools. */
  approvedArguments(json: string): Promise<string>
  /** What tools were asked and have answered is shown. Hooks that look at texts of an answer do not read it. */
  showsSteps: boolean
}

/**
 * The turns of one answer: what the model is asked next, which of its calls the gateway makes, and what of all that the caller sees.
 * Whole and streamed answers go the same way.
 */
export class ToolLoop implements Conversation {
  readonly #asked: AskedChat
  readonly #tools: Toolset
  readonly #approved: ReadonlySet<string>
  readonly #approvedArguments: AskedOfLoop['approvedArguments']
  readonly #showsSteps: boolean
  readonly #call: Call
  readonly #blocks: Fields[] = []
  #messages: Message[]
  #rounds = 0
  #callsLeft: number
  #uses = new Map<GatewayTool, number>()
  #text = ''

  constructor({ asked, tools, approved, approvedArguments, showsSteps }: AskedOfLoop, call: Call) {
    this.#asked = asked
    this.#tools = tools
    this.#approved = approved
    this.#approvedArguments = approvedArguments
    this.#showsSteps = showsSteps
    this.#call = call
    this.#messages = inTurns(asked.request.messages)
    this.#callsLeft = Math.min(tools.maxCalls ?? MAX_CALLS, MAX_CALLS)
  }

  /** What comes before the first turn: the lists of tools, and calls that the caller has approved. */
  async begin(): Promise<PlacedBlock[]> {
    const placed = this.#tools.lists.flatMap((block) => this.#place(block))
    if (this.#approved.size === 0) return placed
    const waiting = this.#messages
      .flatMap(({ tool_calls }) => recordsIn(tool_calls))
      .filter(({ id }) => {
        return this.#approved.has(textOf(id))
      })
    const allowed = waiting.flatMap((call) => this.#allow(call as ToolCall) ?? [])
    for (const { called } of allowed) called.arguments = await this.#approvedArguments(called.arguments || '{}')
    const blocks = await runCalls(allowed, this.#call, this)
    const results = new Map(blocks.map((block) => [block.id, resultMessage(block)]))
    this.#messages = this.#messages.map((message) => results.get(textOf(message.tool_call_id)) ?? message)
    return [...placed, ...blocks.flatMap((block) => this.#place(block))]
  }

  /** The next request. In the last round the model may not call anything, so that it has to answer. */
  nextRequest(): AskedChat {
    const isFirst = this.#rounds === 0
    this.#rounds++
    this.#call.spending.freeUnused()
    const { request, native } = this.#asked
    const { tool_choice, stream } = request
    const tools = [...(request.tools ?? []), ...this.#tools.declarations]
    const { first, later } = this.#tools.choices
    const choice = this.#isLastRound ? NO_CALL : isFirst ? first : later
    const chosen = choice?.chat ?? tool_choice
    const changed: ChatRequest = {
      ...request,
      messages: this.#messages,
      tools,
      ...(chosen != null && { tool_choice: chosen }),
      ...(stream && { stream_options: { ...request.stream_options, include_usage: true } }),
    }
    return { request: changed, native: native && this.#tools.inNative(native, choice) }
  }

  /** Makes the calls of a turn that are the gateway's, and says what comes next. */
  async follow(turn: Turn): Promise<Followed> {
    const start = this.textBefore(turn).length + this.#text.length
    this.#text += this.textBefore(turn) + turn.text
    const { reasoning_details, provider_content } = turn
    const ours = turn.calls.filter(({ function: called }) => this.#tools.has(called?.name))
    const theirs = turn.calls.filter((call) => !ours.includes(call))
    const isLast = ours.length === 0 || turn.finish === 'length' || turn.finish === 'content_filter'
    this.#blocks.push({
      type: 'turn',
      ...(!isLast && theirs.length === 0 && reasoning_details != null && { reasoning_details }),
      ...(isRecord(provider_content) && { provider_content }),
    })
    if (turn.text) this.#blocks.push({ type: 'text', start_index: start, end_index: this.#text.length })
    if (isLast) return { placed: [], end: { finish: turn.finish, calls: theirs } }
    if (this.#isLastRound) return this.#giveUp(theirs)
    return await this.#makeCalls(turn, ours, theirs)
  }

  /** Texts of turns follow each other in one text. */
  textBefore({ text }: Pick<Turn, 'text'>): string {
    return text && this.#text && !this.#text.endsWith('\n') ? BETWEEN_TURNS : ''
  }

  mentions(text: string): boolean {
    const written = JSON.stringify(text).slice(1, -1)
    return this.#messages.some(
      (message) => message.role !== 'assistant' && JSON.stringify(message.content).includes(written),
    )
  }

  /** Of the text so far. */
  get textLength(): number {
    return this.#text.length
  }

  /** Whether the gateway makes the calls of this function. */
  runs(name: string): boolean {
    return this.#tools.has(name)
  }

  /** What the caller gets at the end beside the text: what was done, and the sources that the text links to. */
  closing(own: unknown): { provider_content?: Fields; annotations?: Fields[] } {
    const hasSteps = this.#blocks.some(({ type }) => type !== 'turn' && type !== 'text')
    if (!hasSteps) return isRecord(own) ? { provider_content: own } : {}
    const annotations = linkedSources(this.#text, this.#sources(), !this.#showsSteps)
    const sources = annotations.length > 0 ? { annotations } : {}
    if (this.#showsSteps) return { provider_content: { type: GATEWAY_MAKER, blocks: this.#blocks }, ...sources }
    this.#call.record.note([{ field: 'message.provider_content', action: 'dropped', reason: UNREAD }])
    const shown = this.#blocks.filter(isApprovalRequest)
    return { ...(shown.length > 0 && { provider_content: { type: GATEWAY_MAKER, blocks: shown } }), ...sources }
  }

  #sources(): Source[] {
    return this.#blocks.flatMap(({ sources }) => listOf(sources) as Source[])
  }

  /** Functions of the caller may still be called when the gateway calls nothing any more. */
  get #isLastRound(): boolean {
    return this.#rounds >= MAX_ROUNDS || (this.#callsLeft <= 0 && !this.#asked.request.tools?.length)
  }

  /** The model was told that it may not call anything, and has called all the same. */
  #giveUp(theirs: readonly ToolCall[]): Followed {
    const reason = `the model still called tools after ${this.#rounds} rounds`
    this.#call.record.note([{ field: 'tools', action: 'lowered', reason }])
    return { placed: [], end: { finish: 'length', calls: theirs } }
  }

  async #makeCalls(turn: Turn, ours: readonly ToolCall[], theirs: readonly ToolCall[]): Promise<Followed> {
    const waiting = ours.filter((call) => this.#tools.find(call.function?.name)?.needsApproval)
    const allowed = ours.filter((call) => !waiting.includes(call)).flatMap((call) => this.#allow(call) ?? [])
    const made = await runCalls(allowed, this.#call, this)
    const requests = waiting.map((call) => this.#approvalRequest(call))
    const placed = [...made, ...requests].flatMap((block) => this.#place(block))
    if (theirs.length > 0) return { placed, end: { finish: 'tool_calls', calls: theirs } }
    if (waiting.length > 0) return { placed, end: { finish: 'stop', calls: [] } }
    this.#messages = [...this.#messages, turnMessage(turn), ...made.map(resultMessage)]
    return { placed }
  }

  #allow(call: ToolCall): AllowedCall | undefined {
    const tool = this.#tools.find(call.function?.name)
    if (!tool || !call.function) return undefined
    const uses = (this.#uses.get(tool) ?? 0) + 1
    this.#uses.set(tool, uses)
    this.#callsLeft--
    const refusal =
      this.#callsLeft < 0 || uses > (tool.maxUses ?? MAX_CALLS) ? 'This tool may not be used any more.' : undefined
    return { called: { id: call.id, ...call.function }, tool, refusal }
  }

  #approvalRequest(call: ToolCall): Fields {
    const { name, server } = this.#tools.find(call.function?.name)!
    const input = tryParse(call.function?.arguments || '{}')
    return { type: 'approval_request', id: call.id, name, server, input: isRecord(input) ? input : {} }
  }

  #place(block: Fields): PlacedBlock[] {
    this.#blocks.push(block)
    return this.#showsSteps || isApprovalRequest(block) ? [{ type: GATEWAY_MAKER, block }] : []
  }
}

/** Words of the model, which hooks and guardrails have read. The caller has to decide about them. */
function isApprovalRequest({ type }: Fields): boolean {
  return type === 'approval_request'
}

const UNREAD = 'a post hook or a guardrail filters the answer, and does not read what tools have said'

const NO_CALL: TurnChoice = { chat: 'none', responses: 'none' }

function turnMessage({ text, calls, reasoning_content, reasoning_details, provider_content }: Turn): TurnMessage {
  return {
    role: 'assistant',
    content: text || null,
    tool_calls: [...calls],
    ...(reasoning_content != null && { reasoning_content }),
    ...(reasoning_details != null && { reasoning_details }),
    ...(isRecord(provider_content) && { provider_content }),
  } as TurnMessage
}
