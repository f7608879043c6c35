import type { TaskOf } from '../feature.ts'
import { declined } from '../http/declined.ts'
import type search from '../web/search/feature.ts'

type Filter = 'include_domains' | 'exclude_domains' | 'country'

/** A caller who asks for pages of one site must not get pages of others, so a filter is never dropped. */
export function refuseFilters({ input }: TaskOf<typeof search>, filters: readonly Filter[]): void {
  const unsupported = filters.filter((filter) => isSet(input[filter]))
  if (unsupported.length > 0) {
    throw declined(`this provider has no ${unsupported.join(', ')}`, 400, 'unsupported_filter')
  }
}

function isSet(value: readonly string[] | string | null | undefined): boolean {
  return value != null && value.length > 0
}
