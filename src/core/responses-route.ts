import type { ChatRequest } from '../contract/chat.ts'
import type { Call } from './call.ts'
import { type ChatTarget, type RouteOutside, route, targetsOf } from './route.ts'
import { isRouterValue } from './routing/router-value.ts'
import { targetsOfKind } from './targets-of-kind.ts'

const SERVED = { kinds: ['chat', 'responses'], endpoint: 'responses' } as const

/** As for a chat, and models that a provider serves on its responses endpoint only. */
export function routeResponses(
  request: ChatRequest,
  call: Pick<Call, 'caller' | 'routing' | 'isCustomized'>,
  outside: RouteOutside,
): ChatTarget[] {
  const ids = [request.model, ...(request.fallbacks ?? [])]
  if (ids.some(isRouterValue)) return route(request, call, outside)
  const targets = targetsOfKind(ids, SERVED, call.caller, outside)
  return call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, call, outside)) : targets
}

function inSandbox({ id, provider, model }: ChatTarget, { caller }: Pick<Call, 'caller'>, outside: RouteOutside) {
  const [echo] = targetsOf([`sandbox/${provider.id === 'sandbox' ? model : 'echo'}`], caller, outside)
  return { ...echo!, id }
}
