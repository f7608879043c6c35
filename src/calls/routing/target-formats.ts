import type { Caller } from '../../tenants/access/caller.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { Asking, Names } from './names/alias-models.ts'
import { resolvedOrNone } from './names/resolve-name.ts'
import { CHAT_KINDS } from './chat-targets.ts'
import { allowedProvidersOf } from './router/preferences.ts'
import { isRouterValue } from './router/router-value.ts'

/** Which dialects may receive a request that came in another format. */
type TargetFormats = { providers: string[]; dialects: string[] }

/** `dialect`: the wire format of the request, if providers speak it. */
type RequestView = Pick<ChatRequest, 'model' | 'fallbacks' | 'routing'> & { dialect?: string }

/** Names that do not exist are skipped, because routing reports them. */
export function targetFormatsOf(
  { model, fallbacks, routing, dialect }: RequestView,
  caller: Caller,
  services: Names,
): TargetFormats {
  const allowedProviders = allowedProvidersOf(routing, services.config.providers)
  const asking = { caller, kinds: CHAT_KINDS, dialect, allowedProviders }
  const providers = [model, ...(fallbacks ?? [])].flatMap((name) => providersOf(name, asking, services))
  return {
    providers: providers.flatMap((provider) => (provider ? [provider.id] : [])),
    dialects: providers.flatMap((provider) => provider?.dialect ?? []),
  }
}

function providersOf(name: string, asking: Asking, services: Names) {
  if (isRouterValue(name)) return [undefined]
  return resolvedOrNone(name, asking, services)?.models.map(({ provider }) => provider) ?? [undefined]
}
