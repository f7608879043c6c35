import { isLoopback, parseNoProxy } from './no-proxy.ts'
import { type HttpProxy, toProxy } from './proxy.ts'

/** Where a connection is to go. */
type Destination = { origin: string; isSecure: boolean; hostname: string; port: number }

/** The proxy for a connection; undefined if it goes there directly. */
export type ChooseProxy = (destination: Destination) => HttpProxy | undefined

type ProxySettings = {
  httpsProxy?: string | undefined
  httpProxy?: string | undefined
  noProxy?: string | undefined
  /** The operator's wish for single origins, which comes before everything else; `false` means no proxy. */
  byOrigin?: ReadonlyMap<string, { setting: string; proxy: string | false }>
}

export function openProxies({ httpsProxy, httpProxy, noProxy = '', byOrigin = new Map() }: ProxySettings): ChooseProxy {
  const secure = httpsProxy ? toProxy('HTTPS_PROXY', httpsProxy) : undefined
  const plain = httpProxy ? toProxy('HTTP_PROXY', httpProxy) : undefined
  const isExcepted = parseNoProxy(noProxy)
  const own = new Map<string, HttpProxy | undefined>()
  for (const [origin, { setting, proxy }] of byOrigin) own.set(origin, proxy ? toProxy(setting, proxy) : undefined)
  return (destination) => {
    if (own.has(destination.origin)) return own.get(destination.origin)
    const proxy = destination.isSecure ? secure : plain
    return !proxy || isLoopback(destination.hostname) || isExcepted(destination) ? undefined : proxy
  }
}
