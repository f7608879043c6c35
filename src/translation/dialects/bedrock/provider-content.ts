import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import type { Block } from './content-blocks.ts'
import { reasoningDetail, reasoningIn } from './reasoning-details.ts'

// Blocks of tools that run at Amazon (search, code), images, and every block that is not known here. They travel through the
// caller as `provider_content`.

export const MAKER = 'bedrock'

const CHAT_BLOCK_MEMBERS: ReadonlySet<string> = new Set([
  'text',
  'toolUse',
  'reasoningContent',
  'citationsContent',
  'citation',
])

/** A call that Amazon answers itself is not a call for the caller. */
export function isServerCall(toolUse: unknown): boolean {
  return isRecord(toolUse) && toolUse.type === 'server_tool_use'
}

/** The name of a block that no field of a chat message carries. */
export function serverBlockName(block: Fields): string | undefined {
  if (isServerCall(block.toolUse)) return 'toolUse'
  return Object.keys(block).find((name) => !CHAT_BLOCK_MEMBERS.has(name))
}

/** The blocks of a whole answer; `texts` are their texts. */
export function contentOf(content: readonly Fields[], texts: readonly string[]) {
  const blocks = new ProviderBlocks(MAKER)
  let start = 0
  for (const [at, block] of content.entries()) {
    const end = start + texts[at]!.length
    const name = serverBlockName(block)
    if (name) blocks.raw({ type: 'block', block }, name)
    else if (end > start) blocks.text({ start, end })
    else noteReference(blocks, block)
    start = end
  }
  return blocks.content()
}

function noteReference(blocks: ProviderBlocks, { toolUse, reasoningContent }: Fields): void {
  if (isRecord(toolUse)) blocks.reference({ type: 'tool_use', id: toolUse.toolUseId })
  else if (isRecord(reasoningContent) && reasoningDetail(reasoningIn(reasoningContent)))
    blocks.reference({ type: 'reasoning' })
}

/** A block of a tool that runs at Amazon, while it arrives in pieces. */
export class ServerBlock {
  readonly #name: string
  readonly #member: Fields
  readonly #results: unknown[] = []
  readonly #bytes: Buffer[] = []
  #json = ''

  constructor(start: Fields) {
    this.#name = serverBlockName(start)!
    this.#member = { ...recordOf(start[this.#name]) }
  }

  add(delta: Fields): void {
    const piece = delta[this.#name]
    if (this.#name === 'toolUse') this.#json += textOf(recordOf(piece).input)
    else if (Array.isArray(piece)) for (const result of piece) this.#results.push(result)
    else this.#merge(recordOf(piece))
  }

  whole(): Fields {
    const input = this.#json === '' ? {} : (tryParse(this.#json) ?? { _raw: this.#json })
    const member = {
      ...this.#member,
      ...(this.#name === 'toolUse' && { input }),
      ...(this.#results.length > 0 && { content: this.#results }),
      ...(this.#bytes.length > 0 && { source: { bytes: Buffer.concat(this.#bytes).toString('base64') } }),
    }
    return { [this.#name]: member }
  }

  /** The bytes of an image come in pieces of base64, each of which is complete. */
  #merge({ source, ...piece }: Fields): void {
    Object.assign(this.#member, piece)
    const bytes = textOf(recordOf(source).bytes)
    if (bytes !== '') this.#bytes.push(Buffer.from(bytes, 'base64'))
  }
}

type Parts = { reasoning: Block[]; calls: { id: string; block: Block }[] }

/** An earlier answer in its original order. Calls that it does not mention come last. */
export function inOrder(earlier: readonly Fields[], { reasoning, calls }: Parts): Block[] {
  const thoughts = [...reasoning]
  const remaining = new Map(calls.map(({ id, block }) => [id, block]))
  const blocks = earlier.flatMap(({ type, text, id, block }): Block[] => {
    if (type === 'text') return textOf(text).trim() === '' ? [] : [{ text }]
    if (type === 'reasoning') return thoughts.splice(0, 1)
    if (type === 'block') return isRecord(block) && serverBlockName(block) ? [block] : []
    const call = remaining.get(textOf(id))
    remaining.delete(textOf(id))
    return call ? [call] : []
  })
  return [...blocks, ...remaining.values()]
}
