import { declined } from '../http/declined.ts'

type Filter = readonly string[] | string | null | undefined

/** A caller who asks for pages of one site must not get pages of others, so a filter that a provider does not have is never dropped. */
export function refuseFilters(filters: Readonly<Record<string, Filter>>): void {
  const unsupported = Object.keys(filters).filter((name) => isSet(filters[name]))
  if (unsupported.length > 0) {
    throw declined(`this provider has no ${unsupported.join(', ')}`, 400, 'unsupported_filter')
  }
}

function isSet(value: Filter): boolean {
  return value != null && value.length > 0
}
