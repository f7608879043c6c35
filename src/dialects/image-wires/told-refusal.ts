import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { problem } from '../openai/problem.ts'

const UNSAFE = /content_policy|moderat|nsfw|safety (check|system|filter)|sensitive (content|information)|flagged/i

/** Whether a reason for a failure is about what the image shows. */
export function isUnsafe(reason: string): boolean {
  return UNSAFE.test(reason)
}

/** OpenAI's errors of those who tell a refusal by its words alone. */
export function reportedProblem(status: number, text: string): UpstreamProblem {
  const found = problem(status, text)
  const { kind, message, code = '', param } = found
  if (kind !== 'bad_request' || !isUnsafe(`${code} ${message}`)) return found
  return new UpstreamProblem('content_policy', message, { status, ...(code && { code }), ...(param && { param }) })
}
