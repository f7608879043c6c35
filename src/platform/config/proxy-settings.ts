import { isRecord } from '../../base/schema/record.ts'
import { ConfigError } from './config-error.ts'

// Outbound proxies: HTTPS_PROXY, HTTP_PROXY and NO_PROXY for everything, and `proxy` in the section of a provider.

/** What the operator wants for one provider; `false` means no proxy. */
export type ProviderProxy = string | false

/** The address of a proxy. Like curl, it takes an address without a scheme. Errors do not repeat it: it may hold a password. */
export function proxyAddress(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.pathname === '/'
  if (isPlain && !url.search && !url.hash && canDecode(url)) return url.href
  throw new ConfigError('should be the address of an HTTP proxy, such as http://user:password@host:3128')
}

function canDecode({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

type SplitProviders = {
  /** The providers that the config file describes. */
  custom: unknown
  proxies: Record<string, ProviderProxy>
}

/** Takes `proxy` out of the section of each provider. A section with nothing else belongs to a provider that we know. */
export function splitProxies(section: unknown): SplitProviders {
  if (!isRecord(section)) return { custom: section, proxies: {} }
  const proxies: Record<string, ProviderProxy> = {}
  const custom: Record<string, unknown> = {}
  for (const [id, entry] of Object.entries(section)) {
    if (!isRecord(entry) || !('proxy' in entry)) custom[id] = entry
    else {
      const { proxy, ...rest } = entry
      proxies[id] = readProxy(id, proxy)
      if (Object.keys(rest).length > 0) custom[id] = rest
    }
  }
  return { custom, proxies }
}

function readProxy(id: string, value: unknown): ProviderProxy {
  if (value === false) return false
  try {
    return proxyAddress(value)
  } catch (error) {
    throw new ConfigError(`providers.${id}.proxy: ${(error as Error).message}, or false`)
  }
}
