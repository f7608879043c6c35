import { ConfigError } from './config-error.ts'
import type { Provider } from './provider-settings.ts'
import type { ProviderProxy } from './proxy-settings.ts'

type Providers = Readonly<Record<string, Provider>>
type Wish = { setting: string; proxy: ProviderProxy }

/** Which provider is called at which origin. If several are called at the same one, the first that has a credential counts. */
export function providersByOrigin(providers: Providers): Map<string, string> {
  const names = new Map<string, string>()
  const byUse = Object.values(providers).sort((one, other) => Number(other.configured) - Number(one.configured))
  for (const provider of byUse)
    for (const origin of originsOf(provider)) if (!names.has(origin)) names.set(origin, provider.id)
  return names
}

/**
 * The proxies that the config file has for single providers. A local server is reached directly unless its own setting says
 * otherwise. Connections are shared by everything that is called at an origin, so that there is one proxy for each.
 */
export function proxiesByOrigin(providers: Providers): Map<string, Wish> {
  const wishes = new Map<string, Wish>()
  for (const provider of Object.values(providers)) {
    if (provider.proxy === undefined) continue
    const wish = { setting: `providers.${provider.id}.proxy`, proxy: provider.proxy }
    for (const origin of originsOf(provider)) {
      refuseOther(wish, wishes.get(origin))
      wishes.set(origin, wish)
    }
  }
  for (const provider of Object.values(providers))
    if (provider.reportsModels)
      for (const origin of originsOf(provider))
        if (!wishes.has(origin)) wishes.set(origin, { setting: provider.id, proxy: false })
  return wishes
}

/** The settings of proxies that differ. Open connections keep their proxy, so these apply after a restart. */
export function changedProxies(before: Providers, after: Providers): string[] {
  const names = Object.keys({ ...before, ...after })
  return names.filter((name) => before[name]?.proxy !== after[name]?.proxy).map((name) => `providers.${name}.proxy`)
}

function refuseOther({ setting, proxy }: Wish, other: Wish | undefined): void {
  if (!other || other.proxy === proxy) return
  throw new ConfigError(`${setting}: ${other.setting} is for the same address and differs`)
}

/** Of the models, of other services, and of the servers that hand out access tokens. */
function originsOf({ baseUrl, services = {}, credentials, serviceCredential }: Provider): Set<string> {
  const exchanges = [...credentials, serviceCredential].map((credential) => credential?.exchange?.tokenUrl)
  const origins = [baseUrl, ...Object.values(services), ...exchanges].map((url) => URL.parse(url ?? '')?.origin)
  return new Set(origins.filter((origin) => origin !== undefined && origin !== 'null') as string[])
}
