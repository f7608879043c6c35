import { PROVIDER_ALIASES } from '../providers/providers.ts'
import type { Provider } from './provider-settings.ts'

/** Finds a provider by its id, or by another name that users know it by. */
export function providerNamed(name: string, providers: Record<string, Provider>): Provider | undefined {
  const id = Object.hasOwn(providers, name) ? name : PROVIDER_ALIASES.get(name)
  return id !== undefined && Object.hasOwn(providers, id) ? providers[id] : undefined
}
