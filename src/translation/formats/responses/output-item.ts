import type { Fields } from '../../../base/schema/record.ts'

/** An output item. Its id depends on its position, so that it is the same in complete and streamed answers. */
export type OutputItem = Fields & { type: string; id: string }

/** The prefixes of ids. Providers of this format refuse other prefixes. */
export type ItemKind = 'rs' | 'msg' | 'fc' | 'ctc' | 'ws' | 'ci' | 'mcp' | 'mcpl' | 'mcpr'

export function itemId(kind: ItemKind, responseId: string, position: number): string {
  return `${kind}_${responseId.replace(/^resp_/, '')}_${position}`
}
