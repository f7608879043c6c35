import { type Fields, isRecord, recordsIn } from '../../base/schema/record.ts'

type Carrier = { reasoning_details?: unknown; provider_content?: unknown }

/** Signed reasoning and the provider's content in one list, for places that have room for one list only. */
export function packContent({ reasoning_details, provider_content }: Carrier): Fields[] {
  const details = recordsIn(reasoning_details)
  return isRecord(provider_content)
    ? [...details, { type: PACKED, provider_content: withoutLists(provider_content) }]
    : details
}

export function unpackContent(packed: readonly Fields[]): { reasoning_details?: Fields[]; provider_content?: Fields } {
  const details = packed.filter(({ type }) => type !== PACKED)
  const provider_content = packed.find(({ type }) => type === PACKED)?.provider_content
  return {
    ...(details.length > 0 && { reasoning_details: details }),
    ...(isRecord(provider_content) && { provider_content }),
  }
}

const PACKED = 'gatehouse.provider_content'

/** The gateway lists the tools of its servers anew in each answer, so the lists need not come back. */
function withoutLists(content: Fields): Fields {
  const blocks = recordsIn(content.blocks)
  const isList = ({ type }: Fields) => type === 'mcp_tools'
  return blocks.some(isList) ? { ...content, blocks: blocks.filter((block) => !isList(block)) } : content
}
