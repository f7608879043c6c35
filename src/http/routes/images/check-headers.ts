import { chatFaults } from '../../../contract/chat-rules.ts'
import type { ImageGenerationRequest } from '../../../contract/images.ts'
import { validationProblem } from '../../problems.ts'

/** The same headers are the gateway's own as in a chat. */
export function checkHeaders({ extra_headers }: ImageGenerationRequest): void {
  const faults = chatFaults({ extra_headers })
  if (faults.length > 0) throw validationProblem(faults)
}
