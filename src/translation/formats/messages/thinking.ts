import type { ChatRequest } from '../../../contract/chat.ts'
import type { MessagesRequest } from '../../../contract/messages.ts'
import { type Fields, recordOf } from '../../../base/schema/record.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

const EFFORTS: readonly unknown[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']
/** The effort that a budget of up to this many tokens stands for. */
const BUDGETS: readonly (readonly [tokens: number, effort: Effort])[] = [
  [2048, 'low'],
  [8192, 'medium'],
]

/** Dialects other than plain chat completions understand the original fields; chat completions only know an effort. */
export function thinkingFields({ thinking, output_config }: MessagesRequest, plain: boolean): Partial<ChatRequest> {
  const requested = recordOf(output_config).effort
  const effort = isEffort(requested) ? requested : undefined
  if (!plain) return { ...(thinking && { thinking }), ...(effort && { reasoning_effort: effort }) }
  const word = thinking ? effortOf(thinking, effort) : effort
  return word ? { reasoning_effort: word } : {}
}

function effortOf({ type, budget_tokens }: Fields, effort: Effort | undefined): Effort {
  if (type === 'disabled') return 'none'
  if (effort) return effort
  if (typeof budget_tokens !== 'number') return 'medium'
  return BUDGETS.find(([tokens]) => budget_tokens <= tokens)?.[1] ?? 'high'
}

function isEffort(value: unknown): value is Effort {
  return EFFORTS.includes(value)
}
