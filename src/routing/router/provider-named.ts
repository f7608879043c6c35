import type { Provider } from '../../config/provider-settings.ts'
import { PROVIDER_ALIASES } from '../../providers/providers.ts'

/** By the name of its row, or by another that users know it by. */
export function providerNamed(name: string, providers: Record<string, Provider>): Provider | undefined {
  const id = Object.hasOwn(providers, name) ? name : PROVIDER_ALIASES.get(name)
  return id !== undefined && Object.hasOwn(providers, id) ? providers[id] : undefined
}
