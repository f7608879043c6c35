import { chatIssues } from '../../../contract/chat-rules.ts'
import type { ImageGenerationRequest } from '../../../contract/images.ts'
import { validationProblem } from '../../problems.ts'

/** The gateway reserves the same headers as in a chat. */
export function checkHeaders({ extra_headers }: ImageGenerationRequest): void {
  const issues = chatIssues({ extra_headers })
  if (issues.length > 0) throw validationProblem(issues)
}
