import type { ChatRequest } from '../contract/chat.ts'
import type { Call } from '../calls/call.ts'
import { type ChatTarget, type RouteContext, route, targetsOf } from './route.ts'
import { isRouterValue } from './router/router-value.ts'
import { targetsOfKind } from './targets-of-kind.ts'

const SERVED = { kinds: ['chat', 'responses'], endpoint: 'responses' } as const

/** As for a chat, and models that a provider serves on its responses endpoint only. */
export function routeResponses(
  request: ChatRequest,
  call: Pick<Call, 'caller' | 'routing' | 'isCustomized'>,
  context: RouteContext,
): ChatTarget[] {
  const ids = [request.model, ...(request.fallbacks ?? [])]
  if (ids.some(isRouterValue)) return route(request, call, context)
  const targets = targetsOfKind(ids, SERVED, call.caller, context)
  return call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, call, context)) : targets
}

function inSandbox({ id, provider, model }: ChatTarget, { caller }: Pick<Call, 'caller'>, context: RouteContext) {
  const [echo] = targetsOf([`sandbox/${provider.simulated ? model : 'echo'}`], caller, context)
  return { ...echo!, id }
}
