import { DATA_POLICIES, type DataPolicy, type ENDPOINT_SCOPES, type Policy } from '../../contract/admin/policy.ts'
import type { Region } from '../../platform/providers/provider.ts'

export type EndpointScope = (typeof ENDPOINT_SCOPES)[number]

/** What holds for a caller: the policies of its project and of its key together. */
export type CallerPolicy = {
  /** Each of these lists must have a pattern that covers the model. */
  models: readonly (readonly string[])[]
  /** Null allows all. */
  endpoints: readonly EndpointScope[] | null
  dataPolicy: DataPolicy | null
  /** Whether the gateway may mark turns for the cache of a provider. */
  cacheMarks: boolean
  /** The region of the project. The key may have a narrower one. */
  region: Region | null
}

/** Neither policy allows what the other one forbids. Null if nothing is restricted. */
export function combined(project: Policy | null, key: Policy | null, region: Region | null): CallerPolicy | null {
  const both = [project, key].filter((policy) => policy !== null && Object.keys(policy).length > 0) as Policy[]
  if (both.length === 0 && region === null) return null
  return {
    models: both.flatMap(({ models }) => (models ? [models] : [])),
    endpoints: both
      .map(({ endpoints }): readonly EndpointScope[] | null => endpoints ?? null)
      .reduce(intersection, null),
    dataPolicy: DATA_POLICIES.findLast((one) => both.some(({ data_policy: policy }) => policy === one)) ?? null,
    cacheMarks: both.every(({ cache_marks: marks }) => marks !== false),
    region,
  }
}

function intersection<Item>(one: readonly Item[] | null, other: readonly Item[] | null): readonly Item[] | null {
  if (one === null || other === null) return one ?? other
  return one.filter((item) => other.includes(item))
}

/** Whether nothing that the caller sends may be stored: no files, no jobs, no responses. */
export function keepsNothing(policy: CallerPolicy | null): boolean {
  return policy?.dataPolicy === 'zero_retention'
}

/** As it is stored: a member that is null restricts nothing. */
export function withoutNulls(policy: Policy): Policy {
  return Object.fromEntries(Object.entries(policy).filter(([, member]) => member !== null))
}
