import { recordOf } from '../../base/schema/record.ts'
import type { CallFacts } from '../../calls/call.ts'
import { problem } from '../../contract/problems.ts'

/** The ticket of a response: the tools that its execution has called, or was about to call. */
type ToolNotes = { tools: readonly string[] }

/** Stores the name of each tool with the job before the tool is called, one after the other. */
export function toolNotes(saveTicket: (notes: ToolNotes) => Promise<void>): NonNullable<CallFacts['beforeToolCall']> {
  const tools = new Set<string>()
  let latest = Promise.resolve()
  return (tool) => {
    tools.add(tool)
    latest = latest.then(() => saveTicket({ tools: [...tools] }))
    return latest
  }
}

/**
 * Another execution of this response was interrupted after it had begun to call tools. They may have done what they were called for, so
 * the response is not made again.
 */
export function demandNoToolCalled(ticket: unknown): void {
  const { tools } = recordOf(ticket) as Partial<ToolNotes>
  if (!tools) return
  const named = tools.join(', ')
  const message = `The gateway was interrupted while it made this response, and had called tools by then (${named}). They may have done what they were called for, so they were not called again.`
  throw problem('internal_error', { message, code: 'interrupted' })
}
