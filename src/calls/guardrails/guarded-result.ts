import { type Fields, isRecord, recordOf } from '../../base/schema/record.ts'
import type { Guards } from './guards.ts'

/** The result of a tool of an MCP server, as it may be passed on. Pictures, sounds and the bytes of files are not read. */
export async function guardedResult(result: Fields, guards: Pick<Guards, 'json' | 'unscanned'>): Promise<Fields> {
  const { content, ...others } = result
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  const apart = blocks.map(withoutBytes)
  if (apart.some(({ bytes }) => bytes !== undefined)) guards.unscanned('file')
  const texts = Array.isArray(content) ? { ...others, content: apart.map(({ block }) => block) } : result
  const checked: Fields = { ...(await guards.json(texts, 'tool_results')) }
  if (!Array.isArray(content) || !Array.isArray(checked.content)) return checked
  return { ...checked, content: checked.content.map((block, at) => withBytes(block, apart[at]?.bytes)) }
}

type Apart = { block: unknown; bytes?: Fields }

function withoutBytes(block: unknown): Apart {
  if (!isRecord(block)) return { block }
  if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string') {
    const { data, ...rest } = block
    return { block: rest, bytes: { data } }
  }
  if (!isRecord(block.resource) || typeof block.resource.blob !== 'string') return { block }
  const { blob, ...resource } = block.resource
  return { block: { ...block, resource }, bytes: { blob } }
}

function withBytes(block: unknown, bytes: Fields | undefined): unknown {
  if (!bytes || !isRecord(block)) return block
  return 'data' in bytes ? { ...block, ...bytes } : { ...block, resource: { ...recordOf(block.resource), ...bytes } }
}
