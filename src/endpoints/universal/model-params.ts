import type { TSchema } from '../../base/schema/type.ts'
import { validator } from '../../base/schema/validator.ts'
import { chatIssues } from '../../contract/chat-rules.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { Task } from '../../translation/tasks/feature.ts'
import { GOVERNED_NAMES } from '../../calls/upstream/governed-names.ts'

/**
 * `provider_params` of a task that a model does become fields of a request to that model's endpoint, and are checked like such a
 * request. `fixed` stands for the fields that the task sets.
 */
export function checkModelParams(schema: TSchema, params: Task<unknown>['params'], fixed: object): void {
  const checks = validator(schema)
  const request: Record<string, unknown> = { ...params, ...fixed }
  const loc = ['body', 'provider_params']
  if (!checks.check(request)) throw validationProblemOf(checks.issues(request, loc))
  const headers = chatIssues({ extra_headers: request.extra_headers as ChatRequest['extra_headers'] })
  const placed = headers.map((issue) => ({ ...issue, loc: [...loc, ...issue.loc.slice(1)] }))
  const issues = [...placed, ...GOVERNED_NAMES.issues(params, loc)]
  if (issues.length > 0) throw validationProblemOf(issues)
}
