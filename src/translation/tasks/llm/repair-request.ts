import type { ChatRequest } from '../../../contract/chat.ts'
import type { ChatCompletion } from '../../../contract/chat-reply.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'

const MAX_ISSUES_SHOWN = 20

/** The same request again, with the errors of the first answer. */
export function repairRequest(
  previous: ChatRequest,
  completion: ChatCompletion,
  issues: readonly ValidationIssue[],
): ChatRequest {
  const written = completion.choices[0]?.message.content
  // Providers refuse an empty message.
  const answer = written ? [{ role: 'assistant' as const, content: written }] : []
  const messages = [...previous.messages, ...answer, { role: 'user' as const, content: orderFor(previous, issues) }]
  return { ...previous, messages }
}

/** The schema is repeated in the text: a provider that cannot enforce it may not have shown it to the model. */
function orderFor({ response_format }: ChatRequest, issues: readonly ValidationIssue[]): string {
  const reported = issues
    .slice(0, MAX_ISSUES_SHOWN)
    .map(({ loc, msg }) => `- ${loc.join('.') || 'the whole answer'}: ${msg}`)
  const { schema } = (response_format as { json_schema: { schema: unknown } }).json_schema
  return `Your answer could not be used:
${reported.join('\n')}

Do the task again and give the whole answer as one JSON object of this schema, and nothing else:
${JSON.stringify(schema)}`
}
