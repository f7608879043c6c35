import { costPartsOf } from '../../money/billing/cost-parts.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { needsOf } from '../../calls/routing/router/needs-of.ts'
import { tokensOf } from '../../calls/routing/router/score.ts'

/** What an answer of usual length would cost, in USD; null if the price is not known. */
export function expectedCost(request: ChatRequest, { entry }: ChatTarget): number | null {
  const expected = { tokens: tokensOf(needsOf(request)), usage: undefined, request, serviceTier: request.service_tier }
  return costPartsOf(entry, expected).cost
}
