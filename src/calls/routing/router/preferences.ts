import { didYouMean } from '../../../base/schema/nearest-name.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { problem } from '../../../contract/problems.ts'
import { HOST_SORTS, type HostSort, type Routing, type RoutingSort } from '../../../contract/routing.ts'
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
    allowedProviders: allowedProvidersOf(routing, providers),
  }
}

/** The ids of the only providers that may be asked; null if all may be. */
export function allowedProvidersOf(
  routing: Routing | null | undefined,
  providers: Record<string, Provider>,
): readonly string[] | null {
  return routing?.allowed_providers?.map((name, index) => checkedProvider(name, index, providers)) ?? null
}

/** Refuses settings of the router in a request that names its models itself: nothing would be chosen by them. */
export function refuseRouterSettings({ quality_cost, sort }: Routing): void {
  // All hosts of a model are equally good.
  const given = [...(sort === 'quality' ? ['sort'] : []), ...(quality_cost == null ? [] : ['quality_cost'])]
  if (given.length === 0) return
  const message = 'Only the router uses this: name it as the `model` (`@service`), or leave this out'
  const detail = given.map((field) => valueError(['body', 'routing', field], message))
  throw problem('validation_error', { message: `routing.${given[0]}: ${message}.`, param: 'routing', detail })
}

/** The order of the hosts of a model that the caller names. */
export function hostSortOf(routing: Routing | null | undefined): HostSort | undefined {
  return HOST_SORTS.find((sort) => sort === routing?.sort)
}

function checkedProvider(name: string, index: number, providers: Record<string, Provider>): string {
  const provider = providerNamed(name, providers)
  if (provider) return provider.chatOf ?? provider.id
  const message = `There is no provider '${name}' here.${didYouMean(name, Object.keys(providers))}`
  const detail = [valueError(['body', 'routing', 'allowed_providers', index], message)]
  throw problem('validation_error', { message, param: 'routing', detail })
}
