import type { FastifyRequest } from 'fastify'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { JsonBody } from '../../translation/json/parse-body.ts'
import { isUnknownBareName } from '../../calls/routing/names/resolve-name.ts'
import { isRecord } from '../../base/schema/record.ts'
import { reportedModels } from '../../calls/upstream/reported-models.ts'

/**
 * Asks the local servers for their models if a request names a model that nothing else explains. Undefined for all other
 * requests. Requests share the answers of the servers for ten seconds, so that many unknown names cause few questions.
 */
export function localNames(
  { body, caller, params }: FastifyRequest,
  services: CallServices,
): Promise<unknown> | undefined {
  const value = (body as JsonBody | undefined)?.value
  if (!caller || !isRecord(value)) return undefined
  // In the Gemini format, the path names the model.
  const { model = (params as { model?: string }).model, fallbacks } = value
  const names = Array.isArray(fallbacks) ? [model, ...fallbacks.slice(0, MAX_FALLBACKS)] : [model]
  const isUnknown = names.some((name) => typeof name === 'string' && isUnknownBareName(name, caller, services))
  return isUnknown ? reportedModels(services) : undefined
}

const MAX_FALLBACKS = 3
