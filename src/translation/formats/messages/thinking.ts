import type { ChatRequest } from '../../../contract/chat.ts'
import type { MessagesRequest } from '../../../contract/messages.ts'
import { recordOf } from '../../../base/schema/record.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

const EFFORTS: readonly unknown[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']
export function thinkingFields({ thinking, output_config }: MessagesRequest): Partial<ChatRequest> {
  const { effort } = recordOf(output_config)
  return { ...(thinking && { thinking }), ...(isEffort(effort) && { reasoning_effort: effort }) }
}

function isEffort(value: unknown): value is Effort {
  return EFFORTS.includes(value)
}
