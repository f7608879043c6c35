import { type Fields, recordOf, recordsIn, textOf } from '../base/schema/record.ts'
import { GATEWAY_MAKER } from '../translation/formats/gateway/steps.ts'
import { type AnswerDelta, blocksIn } from '../translation/wire/answer.ts'

/** What is being collected of a call whose content is kept. Calls whose content is not kept have none. */
export type ContentDraft = {
  readonly mode: 'redacted' | 'full'
  readonly bytesPerField: number
  readonly days: number
  /** The key whose next requests are recorded, if its project keeps nothing. */
  readonly recordedKey: string | null
  /** Whether the project wants it in spans too. */
  readonly isInSpans: boolean
  /** Told once what is kept, or undefined if nothing is. The spans of the call wait for it. */
  whenKept?: (content: KeptContent | undefined) => void
  /** What the caller sent, or what is left of it after redaction hooks. */
  request: unknown
  /** What the caller gets. Null if it is not kept. */
  answer: unknown
  /** Of a stream: the texts and tool calls of each choice. */
  choices: StreamedChoice[]
  streamedChars: number
  /** Of a whole answer whose format cannot show them. */
  madeCalls?: MadeCalls
  /** Whether the request is what guardrails have left of it. */
  isGuarded?: true
  /** What guardrails have replaced and put back for the caller, by placeholder. What is kept has the placeholders. */
  restored?: ReadonlyMap<string, string>
}

/** In place of a request that guardrails have not let pass. */
const WITHHELD = '[withheld: a guardrail did not let it pass]'

/** What is kept of a call, as it is stored: redacted if the project wants that, and cut. */
export type KeptContent = { readonly request: unknown; readonly answer: unknown }

type StreamedChoice = {
  content: string
  tool_calls: { name: string; arguments: string }[]
  provider_content?: MadeCalls
}

/** Calls of tools that the gateway ran, with their results, as a whole chat completion has them. */
type MadeCalls = { type: typeof GATEWAY_MAKER; blocks: Fields[] }

/** Far more than is kept of a field. */
const MAX_STREAMED_CHARS = 1_000_000

type Delta = Pick<AnswerDelta, 'placedBlocks'> & {
  content?: unknown
  tool_calls?: readonly { index?: number; function?: { name?: string; arguments?: string } }[]
}

/** Adds chunks of a stream, in any of our own chunk types. */
export function noteChunks(draft: ContentDraft, chunks: readonly unknown[]): void {
  for (const chunk of chunks) {
    const { choices } = (typeof chunk === 'object' && chunk !== null ? chunk : {}) as { choices?: unknown }
    if (Array.isArray(choices)) for (const { index, delta } of choices) noteDelta(draft, index ?? 0, delta ?? {})
  }
}

function noteDelta(draft: ContentDraft, index: number, { content, tool_calls, placedBlocks }: Delta): void {
  if (draft.streamedChars > MAX_STREAMED_CHARS || index > 127) return
  draft.choices[index] ??= { content: '', tool_calls: [] }
  const choice = draft.choices[index]
  if (typeof content === 'string') {
    choice.content += content
    draft.streamedChars += content.length
  }
  for (const { index: at = 0, function: called } of tool_calls ?? []) {
    if (at > 127) continue
    choice.tool_calls[at] ??= { name: '', arguments: '' }
    choice.tool_calls[at].name ||= called?.name ?? ''
    choice.tool_calls[at].arguments += called?.arguments ?? ''
    draft.streamedChars += called?.arguments?.length ?? 0
  }
  for (const { type, block } of blocksIn({ placedBlocks }))
    if (type === GATEWAY_MAKER && isCall(block)) noteCall(draft, choice, block)
}

function isCall({ type }: Fields): boolean {
  return type === 'tool_call'
}

function noteCall(draft: ContentDraft, choice: StreamedChoice, block: Fields): void {
  choice.provider_content ??= { type: GATEWAY_MAKER, blocks: [] }
  choice.provider_content.blocks.push(block)
  draft.streamedChars += JSON.stringify(block.input).length + textOf(block.output).length
}

/** What the caller sent is kept as hooks have left it, if it is to be redacted. */
export function keepRedacted(draft: ContentDraft, request: unknown): void {
  if (draft.mode === 'redacted') draft.request = request
}

/**
 * While guardrails look at a request, nothing of it would be kept, and nothing is if they do not let it pass. What they have replaced is
 * not kept either, whatever the project wants to keep. `left`: what they have left of it, or undefined if they have changed nothing.
 */
export async function keepGuarded<Checked>(
  draft: ContentDraft | undefined,
  check: () => Promise<Checked>,
  left: (checked: Checked) => unknown,
): Promise<Checked> {
  if (!draft) return await check()
  const { request } = draft
  draft.request = WITHHELD
  const checked = await check()
  const changed = left(checked)
  draft.request = changed ?? request
  if (changed !== undefined) draft.isGuarded = true
  return checked
}

/** What the caller sent, if it was not in the body. */
export function keepRequest(draft: ContentDraft, request: unknown): void {
  draft.request ??= request
}

export function keepAnswer(draft: ContentDraft, answer: object): void {
  draft.answer = draft.madeCalls ? { ...answer, provider_content: draft.madeCalls } : answer
}

/** For formats that cannot show what the gateway has done for a whole answer. */
export function keepCalls(draft: ContentDraft, content: unknown): void {
  const { type, blocks } = recordOf(content)
  const made = recordsIn(blocks).filter(isCall)
  if (type === GATEWAY_MAKER && made.length > 0) draft.madeCalls = { type, blocks: made }
}
