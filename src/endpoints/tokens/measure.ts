import type { CountTokensRequest } from '../../contract/tokens.ts'
import type { Family } from './family.ts'
import { measureBlocks } from './measure-blocks.ts'
import { Sheet } from './sheet.ts'

/** Collects what has to be counted of a request in the messages format. */
export function measure(request: CountTokensRequest, family: Family): Sheet {
  const { system, messages, tools, tool_choice } = request
  const sheet = new Sheet()
  sheet.add(family.base)
  if (system != null) {
    sheet.add(family.perSystem)
    measureBlocks(system, { family, sheet, countsReasoning: false })
  }
  const requested = lastQuestion(messages)
  for (const [index, { content }] of messages.entries()) {
    sheet.add(family.perMessage)
    measureBlocks(content, { family, sheet, countsReasoning: index > requested })
  }
  if (tools && tools.length > 0) family.tools(tools, String(tool_choice?.type ?? 'auto'), sheet)
  return sheet
}

/** Models do not see the reasoning from before the last user question again. Tool results are not questions. */
function lastQuestion(messages: CountTokensRequest['messages']): number {
  return messages.findLastIndex(({ role, content }) => {
    return role === 'user' && (typeof content === 'string' || content.some(({ type }) => type !== 'tool_result'))
  })
}
