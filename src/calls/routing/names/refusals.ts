import type { Model, ModelType } from '../../../platform/catalog/catalog.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { problem } from '../../../contract/problems.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import { type Caller, type NamedModel, scopesAllowModel } from '../../../tenants/access/caller.ts'
import { shortened } from '../router/shortened.ts'
import type { ResolvedModel } from './resolved-model.ts'
import { policyProblem } from '../router/policy-refusals.ts'

/** Says when a provider ended a model, so that the caller does not look for a mistake in its name. */
export function endedModel(what: string, day: string) {
  return problem('model_not_found', {
    message: `${what} ended on ${day}: the provider no longer serves it.`,
    param: 'model',
  })
}

/**
 * Refuses models that their provider has ended, unless the operator says that it still serves them. An image model of another
 * endpoint is wrong there, ended or not.
 */
export function refuseEnded(models: readonly ResolvedModel[], kind: ModelType = 'image'): void {
  for (const { id, entry, provider } of models) {
    const isOfImages = entry?.type === 'image' && kind !== 'image'
    if (entry?.ended && !provider.servesEnded && !isOfImages)
      throw endedModel(`The model '${shortened(id)}'`, entry.ended)
  }
}

/** Refuses models of another kind, and names the endpoint that serves them. */
export function refuseOtherKinds(models: readonly ResolvedModel[], kind: ModelType, endpoint: string): void {
  const others = models.filter((resolved) => isOther(resolved, kind))
  if (others.length === 0) return
  const names = others
    .map(
      ({ id, entry }) => `'${shortened(id)}' (supports: ${entry ? ENDPOINT_OF[entry.type] : 'others'}${endOf(entry)})`,
    )
    .join(', ')
  const message = `Model(s) do not support the ${endpoint} endpoint: ${names}`
  throw problem('unsupported_endpoint', { message, param: 'model' })
}

function endOf(entry: Model | undefined): string {
  return entry?.ended ? `; it ended on ${entry.ended}` : ''
}

/**
 * A model that is not in the catalog may be of any kind that its provider has. Chats are translated for a model that its
 * provider serves on its responses endpoint only.
 */
function isOther({ entry, provider }: ResolvedModel, kind: ModelType): boolean {
  if (!entry) return kind === 'chat' && !provider.dialect
  return entry.type !== kind && !(kind === 'chat' && entry.type === 'responses')
}

/** Whether an endpoint that serves these kinds can be asked for this model, as far as the catalog knows. */
export function isOfKinds(resolved: ResolvedModel, kinds: readonly ModelType[]): boolean {
  return kinds.some((kind) => !isOther(resolved, kind))
}

const ENDPOINT_OF: Record<ModelType, string> = {
  chat: '/chat/completions',
  image: '/images/generations',
  responses: '/responses',
  embedding: '/embeddings',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  moderation: '/moderations',
  rerank: '/rerank',
  video: '/universal-ai/async',
}

/** Refuses models that the key, its region or our credentials do not allow. */
export function refuseForbidden(resolved: ResolvedModel, caller: Caller): void {
  const { id, provider, regions } = resolved
  if (caller.scopes && !scopesAllowModel(caller, namedOf(resolved)))
    throw problem('not_allowed', { message: `This key may not use the model '${shortened(id)}'.`, param: 'model' })
  refuseByPolicy(resolved, caller)
  if (!isInRegion(caller.region, regions)) throw outsideRegion(`The model '${shortened(id)}'`, caller)
  if (!provider.configured && caller.kind !== 'sandbox') throw notConfigured(provider)
}

/** Refuses models that the policies of the project and the key do not allow. */
export function refuseByPolicy(resolved: ResolvedModel, caller: Caller): void {
  if (caller.policy === null) return
  const { provider, regions } = resolved
  const refusal = policyProblem({ ...namedOf(resolved), provider, regions }, caller)
  if (refusal) throw refusal
}

/** A scope for an alias is a scope for its targets, but only for a call that names the alias. */
function namedOf({ id, provider, model, via }: ResolvedModel): NamedModel {
  return { name: id, requested: via?.requested, isIndirect: provider.indirectModels?.test(model) }
}

export function outsideRegion(what: string, { region }: Pick<Caller, 'region'>) {
  return problem('region_not_allowed', {
    message: `${what} is not available in the region '${region}'.`,
    param: 'model',
  })
}

/** Names what is really missing: the operator may have listed other variables than the usual one. */
export function notConfigured({ name, missing }: Provider) {
  const variables = missing?.variables.join(missing.all ? ' and ' : ' or ')
  const set = variables ? `Set ${variables} and restart` : undefined
  const message =
    missing?.for === 'address'
      ? `${name} has no complete address here. ${set}.`
      : `${name} has no credential here. ${set ? `${set}, or add` : 'Add'} a credential with POST /admin/credentials.`
  return problem('provider_not_configured', { message, param: 'model' })
}

/** The caller names a model, and allows only providers that it would not be asked of. */
export function noneAllowed(
  { name, models }: { name: string; models: readonly ResolvedModel[] },
  allowed: readonly string[],
) {
  const providers = [...new Set(models.map(({ provider }) => provider.id))].join(', ')
  const message = `'${shortened(name)}' would go to ${providers}, but \`routing.allowed_providers\` allows only ${allowed.join(', ')}.`
  const detail = [valueError(['body', 'routing', 'allowed_providers'], message)]
  return problem('validation_error', { message, param: 'routing', detail })
}

/** An alias of the store that the gateway cannot use, and the field that has to be changed. */
export function notValid(alias: string, fault: string) {
  const message = `The alias '${shortened(alias)}' is not valid: ${fault}. Its operator can change it with PATCH /admin/aliases.`
  return problem('provider_not_configured', { code: 'alias_not_valid', message, param: 'model' })
}
