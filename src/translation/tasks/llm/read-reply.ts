import type { TSchema } from '../../../base/schema/type.ts'
import type { ChatCompletion } from '../../../contract/chat-reply.ts'
import { jsonInvalid } from '../../../base/schema/issue-messages.ts'
import { issues } from '../../../base/schema/validation-issues.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import type { Feature, Task } from '../feature.ts'
import { fitAnswer } from './fit-answer.ts'
import { llmTaskOf } from './llm-tasks.ts'
import { parseAnswer } from './parse-answer.ts'

/** The task's output from the model's text, or the errors in it. */
export function readReply(
  feature: Feature,
  task: Task<unknown>,
  completion: ChatCompletion,
): { output: unknown } | { issues: ValidationIssue[] } {
  const { answerSchema: expected, rules, complete } = llmTaskOf(feature)
  const parsed = parseAnswer(completion.choices[0]?.message.content ?? '')
  if (!parsed) return { issues: [jsonInvalid([])] }
  const answer = fitAnswer(expected, parsed)
  const wrong = issuesIn(expected, answer)
  const unfit = wrong.length > 0 ? wrong : rules(answer, task)
  if (unfit.length > 0) return { issues: unfit }
  const output = complete(answer, task)
  const misshapen = issuesIn(feature.output, output)
  return misshapen.length > 0 ? { issues: misshapen } : { output }
}

/** The schema is not compiled: a model takes seconds to answer, and compiling costs more than it saves for one answer. */
function issuesIn(schema: TSchema, value: unknown): ValidationIssue[] {
  return issues(schema as JsonSchema, value, [])
}
