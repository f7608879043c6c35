import { type Caller, type NamedModel, policyAllowsModel } from '../../../tenants/access/caller.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { DATA_POLICIES, type DataPolicy } from '../../../contract/admin/policy.ts'
import { Problem, problem } from '../../../contract/problems.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import type { Region } from '../../../platform/providers/provider.ts'
import { shortened } from './shortened.ts'

// What the policies of a project and a key forbid. A target that they forbid is left out; the call is refused if none is left.

/** A model at a provider, as far as policies are about it. */
export type Judged = NamedModel & {
  provider: Pick<Provider, 'name' | 'dataPolicy'>
  regions?: readonly Region[] | undefined
}

/** Undefined if nothing forbids it. A sandbox key calls no provider. */
export function policyProblem(judged: Judged, caller: Caller): Problem | undefined {
  const { policy } = caller
  if (policy === null) return undefined
  const { name, provider, regions } = judged
  if (!policyAllowsModel(caller, judged))
    return refusal('models', `The policy of this project or key does not allow the model '${shortened(name)}'.`)
  if (caller.kind === 'sandbox') return undefined
  if (!keepsDataPolicy(provider, caller)) return refusal('data_policy', whyNot(provider, policy.dataPolicy!))
  if (policy.region && regions && !isInRegion(policy.region, regions))
    return refusal('region', `The model '${shortened(name)}' is not available in the region '${policy.region}'.`)
  return undefined
}

/** Whether it is known that the provider keeps what the policy demands. */
export function keepsDataPolicy(provider: Pick<Provider, 'dataPolicy'>, { policy, kind }: Caller): boolean {
  return !policy?.dataPolicy || kind === 'sandbox' || promises(provider, policy.dataPolicy)
}

/** Whether the provider is known to promise at least this. */
export function promises({ dataPolicy }: Pick<Provider, 'dataPolicy'>, demanded: DataPolicy): boolean {
  return dataPolicy !== undefined && DATA_POLICIES.indexOf(dataPolicy.promise) >= DATA_POLICIES.indexOf(demanded)
}

/**
 * What can be made of the items, without those that a policy forbids. If it is nothing, the reason is that of the first item. Other
 * mistakes in a request are reported even if a policy forbids the rest.
 */
export function withinPolicy<Item, Made>(items: readonly Item[], make: (item: Item) => readonly Made[]): Made[] {
  let first: Problem | undefined
  const all = items.flatMap((item) => {
    try {
      return make(item)
    } catch (error) {
      if (!isOfPolicy(error)) throw error
      first ??= error
      return []
    }
  })
  if (all.length === 0 && first) throw first
  return all
}

function isOfPolicy(error: unknown): error is Problem {
  return error instanceof Problem && error.details.members?.policy !== undefined
}

function refusal(policy: 'models' | 'data_policy' | 'region', message: string): Problem {
  const code = policy === 'region' ? 'region_not_allowed' : 'not_allowed'
  return problem(code, { message, param: 'model', members: { policy } })
}

function whyNot({ name, dataPolicy }: Judged['provider'], demanded: string): string {
  const reason = dataPolicy ? `it only promises '${dataPolicy.promise}'` : 'it is not known to comply'
  return `The data policy '${demanded}' of this project or key does not allow ${name}: ${reason}.`
}
