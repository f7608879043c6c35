import type { FastifyRequest } from 'fastify'
import { type ResolvedModel, withoutCollection } from '../../../calls/routing/names/resolved-model.ts'
import type { Names } from '../../../calls/routing/names/alias-models.ts'
import { resolvedOrNone } from '../../../calls/routing/names/resolve-name.ts'
import { isRouterValue } from '../../../calls/routing/router/router-value.ts'

/** The providers of Google's own models. Clients of this format write the names of its models without a provider. */
const GOOGLES = ['google', 'vertex']

/** The model that the path of a request names. A name without a provider that means nothing here is one of Google's. */
export function modelIn(request: FastifyRequest<{ Params: { model: string } }>, services: Names): string {
  const name = withoutCollection(request.params.model)
  if (isRouterValue(name) || name.includes('/') || modelsOf(name, request, services).length > 0) return name
  const { providers } = services.config
  const provider = GOOGLES.find((id) => providers[id]?.configured) ?? GOOGLES[0]!
  return `${provider}/${name}`
}

/** What a name stands for; nothing if it is unknown, which is reported later. */
export function modelsOf(
  name: string,
  { caller }: Pick<FastifyRequest, 'caller'>,
  services: Names,
): readonly ResolvedModel[] {
  return resolvedOrNone(name, { caller }, services)?.models ?? []
}
