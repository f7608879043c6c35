import type { ProviderContent } from '../../../contract/provider-content.ts'
import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, listOf, textOf } from '../../../base/schema/record.ts'
import type { Span } from '../citation.ts'
import { ANSWER_TOOL } from '../json-answer.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import type { Block, MessagesBody, ThinkingBlock, ToolUseBlock } from './messages-body.ts'
import { reasoningDetail } from './reasoning-details.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

// Blocks of tools that run at Anthropic (web search, code, MCP, …), and every block type that is not known here. They travel
// through the caller as `provider_content`. https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools

export const MAKER = 'anthropic'

/** Blocks that other fields of a chat message carry. */
const CHAT_BLOCK_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])

export function isServerBlock({ type }: Fields): boolean {
  return typeof type === 'string' && !CHAT_BLOCK_TYPES.has(type)
}

/** Notes a block of the answer; `span` is its place in the text. */
export function noteBlock(blocks: ProviderBlocks, block: Fields, span: Span): void {
  if (block.type === 'text') blocks.text(span, sourcesOf(block))
  else if (block.type === 'tool_use') noteCall(blocks, block, span)
  else if (reasoningDetail(block)) blocks.reference({ type: 'thinking' })
  else if (isServerBlock(block)) blocks.raw(block)
}

/** The provider's sources, with what it needs to recognise them. */
function sourcesOf({ citations }: Fields): Fields {
  return listOf(citations).length > 0 ? { citations } : {}
}

/** A call that code made says so in `caller`, and has to come back with it. */
function noteCall(blocks: ProviderBlocks, { name, input: _, ...call }: Fields, span: Span): void {
  if (name === ANSWER_TOOL) return blocks.text(span)
  const isByCode = isRecord(call.caller) && call.caller.type !== 'direct'
  blocks.reference(isByCode ? call : { type: 'tool_use', id: call.id }, isByCode)
}

/** The blocks of a whole message; `lengthOf` is the length of their text in the answer. */
export function contentOf(
  content: readonly Fields[],
  container: unknown,
  lengthOf: (block: Fields) => number,
): { provider_content?: ProviderContent } {
  const blocks = new ProviderBlocks(MAKER)
  let start = 0
  for (const block of content) {
    const end = start + lengthOf(block)
    noteBlock(blocks, block, { start, end })
    start = end
  }
  return blocks.content(container)
}

/** A block that arrives in pieces: texts are appended, and the input is parsed at the end. */
export class ServerBlock {
  readonly #block: Fields
  readonly #citations: unknown[] = []
  #json = ''

  constructor(block: Fields) {
    this.#block = { ...block }
  }

  add({ type, ...piece }: Fields): void {
    if (type === 'input_json_delta') this.#json += textOf(piece.partial_json)
    else if (type === 'citations_delta') this.#citations.push(piece.citation)
    else for (const name in piece) this.#block[name] = joined(this.#block[name], piece[name])
  }

  whole(): Fields {
    return {
      ...this.#block,
      ...(this.#json !== '' && { input: tryParse(this.#json) ?? { _raw: this.#json } }),
      ...(this.#citations.length > 0 && { citations: this.#citations }),
    }
  }
}

function joined(before: unknown, piece: unknown): unknown {
  return typeof before === 'string' && typeof piece === 'string' ? before + piece : (piece ?? before)
}

type Parts = { reasoning: ThinkingBlock[]; calls: ToolUseBlock[] }

/** An earlier answer in its original order. Calls that it does not mention come last. */
export function inOrder(earlier: readonly Fields[], { reasoning, calls }: Parts): Block[] {
  const thoughts = [...reasoning]
  const remaining = new Map(calls.map((call) => [call.id, call]))
  const blocks = earlier.flatMap((block): Block[] => {
    if (block.type === 'thinking') return thoughts.splice(0, 1)
    if (block.type === 'text') return /\S/.test(textOf(block.text)) ? [block as Block] : []
    if (block.type !== 'tool_use') return isServerBlock(block) ? [block as Block] : []
    const call = remaining.get(textOf(block.id))
    remaining.delete(textOf(block.id))
    return call ? [{ ...block, ...call }] : []
  })
  return [...blocks, ...remaining.values()]
}

/** A turn that was paused ends with a block of a server tool, and is continued by sending it back. */
export function endsPaused(turns: readonly { content: readonly object[] }[]): boolean {
  const last = turns.at(-1)?.content.at(-1)
  return last !== undefined && isServerBlock(last as Fields)
}

/** Tools that run in a container. */
const IN_CONTAINER = /^code_execution_|^web_(search|fetch)_20(2[6-9]|[3-9])/

/** The container of the conversation so far, for tools that can use it. Skills that the caller names are loaded into it. */
export function continueContainer(messages: readonly Fields[], body: MessagesBody & { container?: unknown }): void {
  const contents = messages.flatMap(({ provider_content }) => (isRecord(provider_content) ? [provider_content] : []))
  const last = contents.findLast(({ type, container }) => type === MAKER && isRecord(container))
  const id = textOf((last?.container as Fields | undefined)?.id)
  const canUse = body.tools?.some((tool) => 'type' in tool && IN_CONTAINER.test(toText(tool.type)))
  if (!id || !canUse || typeof body.container === 'string') return
  body.container = isRecord(body.container) ? { id, ...body.container } : id
}
