import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { ConfigError } from '../platform/config/config-error.ts'
import { proxiesByOrigin } from '../platform/config/provider-origins.ts'
import { type TrustedProxies, trustProxies } from '../platform/net/addresses/client-address.ts'
import { type Network, parseNetworks } from '../platform/net/addresses/networks.ts'
import { ConnectProbe } from '../platform/net/connect-probe.ts'
import { type Egress, type EgressOptions, openEgress } from '../platform/net/egress/guarded-fetch.ts'
import type { Trust } from '../platform/net/http1/dialer.ts'
import type { Http2Client } from '../platform/net/http2/http2-client.ts'
import { openProxies } from '../platform/net/proxy/choose-proxy.ts'
import { openUpstream, type Upstream } from '../platform/net/upstream.ts'

/** The ways out of the gateway, all but one through the operator's proxies. */
export type OpenNetwork = {
  upstream: Upstream
  /** For the metadata server of this machine, which no proxy may be asked for. */
  direct: Upstream
  /** For addresses that callers name. */
  openEgress(config: Config, ownListeners: EgressOptions['ownListeners']): Egress
  openProbe(monotonic: () => number): ConnectProbe
  /** For a collector with an authority or a client certificate of its own. */
  openTrusting(trust: Trust): Upstream
  /** For a collector that speaks gRPC. */
  openHttp2(origin: string, trust: Trust | undefined): Promise<Http2Client>
}

export function openNetwork(config: Config, log: Logger, maxConnections = config.upstreamConnections): OpenNetwork {
  const { httpsProxy, httpProxy, noProxy, providers } = config
  const chooseProxy = openProxies({ httpsProxy, httpProxy, noProxy, byOrigin: proxiesByOrigin(providers) })
  const proxyFailed = (reason: string) => log.warn({ reason }, 'an address that a caller named cannot be reached')
  return {
    upstream: openUpstream({ chooseProxy, maxConnections }),
    direct: openUpstream({ maxConnections }),
    openEgress: ({ allowNetworks }, ownListeners) =>
      openEgress({ allow: readNetworks('ALLOW_NETWORKS', allowNetworks), ownListeners, chooseProxy, proxyFailed }),
    openProbe: (monotonic) => new ConnectProbe(monotonic, chooseProxy),
    openTrusting: (trust) => openUpstream({ chooseProxy, trust }),
    openHttp2: async (origin, trust) => {
      const { Http2Client } = await import('../platform/net/http2/http2-client.ts')
      return new Http2Client(origin, { trust, chooseProxy })
    },
  }
}

/** Throws a ConfigError for a network that cannot be read. */
export function checkNetworks(config: Config): void {
  proxiesFor(config)
  readNetworks('ALLOW_NETWORKS', config.allowNetworks)
}

export function proxiesFor({ trustedProxies }: Config): TrustedProxies {
  return trustProxies(readNetworks('TRUSTED_PROXIES', trustedProxies.join(',')))
}

function readNetworks(variable: string, text: string): Network[] {
  try {
    return parseNetworks(text)
  } catch (error) {
    throw new ConfigError(`${variable}: ${(error as Error).message}`)
  }
}
