import type { ChatRequest } from '../contract/chat.ts'
import { type ChatTarget, type RouteContext, type RoutedCall, route, targetsOf } from './route.ts'
import { isRouterValue } from './router/router-value.ts'
import { targetsOfKind } from './targets-of-kind.ts'

const SERVED = { kinds: ['chat', 'responses'], endpoint: 'responses' } as const

/** Like route, but also allows models that their provider serves on its responses endpoint only. */
export function routeResponses(request: ChatRequest, call: RoutedCall, context: RouteContext): ChatTarget[] {
  const ids = [request.model, ...(request.fallbacks ?? [])]
  if (ids.some(isRouterValue)) return route(request, call, context)
  const targets = targetsOfKind(ids, SERVED, call, context)
  return call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, call, context)) : targets
}

function inSandbox({ id, provider, model }: ChatTarget, call: RoutedCall, context: RouteContext) {
  const [echo] = targetsOf([`sandbox/${provider.simulated ? model : 'echo'}`], call, context)
  return { ...echo!, id }
}
