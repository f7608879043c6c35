import type { Provider } from '../../../platform/config/provider-settings.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { problem } from '../../../contract/problems.ts'
import type { Routing, RoutingSort } from '../../../contract/routing.ts'
import { providerNamed } from '../../../platform/config/provider-named.ts'

/** Halfway between the best and the cheapest. */
const DEFAULT_QUALITY_COST = 5

/** The caller's preferences, completed with defaults. */
export type RoutingPreferences = {
  sort: RoutingSort | null
  qualityCost: number
  allowedProviders: readonly string[] | null
}

export function preferencesOf(
  routing: Routing | null | undefined,
  providers: Record<string, Provider>,
): RoutingPreferences {
  return {
    sort: routing?.sort ?? null,
    qualityCost: routing?.quality_cost ?? DEFAULT_QUALITY_COST,
    allowedProviders: routing?.allowed_providers?.map((name, index) => known(name, index, providers)) ?? null,
  }
}

function known(name: string, index: number, providers: Record<string, Provider>): string {
  const provider = providerNamed(name, providers)
  if (provider) return provider.id
  const message = `There is no provider '${name}' here.`
  const detail = [valueError(['body', 'routing', 'allowed_providers', index], message)]
  throw problem('validation_error', { message, param: 'routing', detail })
}
