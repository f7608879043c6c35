import type { ReplyMessage } from '../../../contract/chat-reply.ts'
import type { ServerStep } from '../server-step.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// What a provider did by itself, as blocks of this format.

export type Block = Fields & { type: string }

/** Blocks that the gateway wrote for a provider with another format. What they say comes back in the sealed block. */
const MARK = /^(srvtoolu|mcptoolu)_gatehouse_/

export function isOurStep({ id, tool_use_id }: Fields): boolean {
  return MARK.test(textOf(id)) || MARK.test(textOf(tool_use_id))
}

const NAMES: Readonly<Record<ServerStep['kind'], string>> = {
  search: 'web_search',
  fetch: 'web_fetch',
  code: 'code_execution',
  mcp: 'mcp',
  'mcp tools': 'mcp',
  approval: 'mcp',
}

/** A call and its result; a step without a result is a call only. */
export function stepBlocks(step: ServerStep, index: number): Block[] {
  if (step.kind === 'mcp tools' || step.kind === 'approval') return []
  if (step.kind === 'mcp') return mcpBlocks(step, `mcptoolu_gatehouse_${index}`)
  const id = `srvtoolu_gatehouse_${index}`
  const name = NAMES[step.kind]
  const call = { type: 'server_tool_use', id, name, input: step.input }
  if (step.output === undefined) return [call]
  return [call, { type: `${name}_tool_result`, tool_use_id: id, content: resultOf(step, name) }]
}

function mcpBlocks({ name, mcpServer, input, output, isError }: ServerStep, id: string): Block[] {
  const call = { type: 'mcp_tool_use', id, name, server_name: mcpServer, input }
  if (output === undefined) return [call]
  const content = [{ type: 'text', text: output }]
  return [call, { type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content }]
}

function resultOf({ kind, isError, output = '', sources, input }: ServerStep, name: string): unknown {
  if (kind === 'code') {
    const logs = isError ? { stdout: '', stderr: output } : { stdout: output, stderr: '' }
    return { type: 'code_execution_result', ...logs, return_code: isError ? 1 : 0, content: [] }
  }
  if (isError) return { type: `${name}_tool_result_error`, error_code: 'unavailable' }
  if (kind === 'search')
    return sources.map((source) => ({ type: 'web_search_result', ...source, encrypted_content: '', page_age: null }))
  const source = { type: 'text', media_type: 'text/plain', data: output }
  return { type: 'web_fetch_result', url: textOf(input.url), content: { type: 'document', source } }
}

/** The provider's own blocks of this format, in their order; undefined if the message has none. */
export function ownBlocks(message: ReplyMessage, own: { thoughts: Block[]; calls: Block[] }): Block[] | undefined {
  const { type, blocks, omitted } = recordOf(message.provider_content)
  if (type !== 'anthropic' || recordsIn(omitted).length > 0) return undefined
  const thoughts = [...own.thoughts]
  return recordsIn(blocks).flatMap((block): Block[] => {
    if (block.type === 'text') return [textBlock(block, message.content ?? '')]
    if (block.type === 'thinking') return thoughts.splice(0, 1)
    if (block.type !== 'tool_use') return [block as Block]
    const call = own.calls.find(({ id }) => id === block.id)
    return call ? [{ ...block, ...call }] : []
  })
}

function textBlock({ start_index, end_index, ...more }: Fields, answerText: string): Block {
  return { ...more, type: 'text', text: answerText.slice(toNumber(start_index), toNumber(end_index)) }
}

/** Blocks of an earlier answer that a chat message has no field for, with references to those that it has. */
export function contentOfTurn(blocks: readonly Fields[]): { provider_content?: Fields } {
  const own = blocks.filter((block) => !isOurStep(block))
  if (own.every(({ type }) => CHAT_REQUEST_TYPES.has(type))) return {}
  let start_index = 0
  const carried = own.map(({ text, ...block }) => {
    if (block.type === 'redacted_thinking' || block.type === 'thinking') return { type: 'thinking' }
    if (block.type === 'tool_use') return withoutInput(block)
    if (block.type !== 'text') return text === undefined ? block : { ...block, text }
    const range = { start_index, end_index: start_index + textOf(text).length }
    start_index = range.end_index
    return { ...block, ...range }
  })
  return { provider_content: { type: 'anthropic', blocks: carried } }
}

const CHAT_REQUEST_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'image',
  'document',
])

function withoutInput({ name: _, input: __, ...call }: Fields): Fields {
  return call
}
