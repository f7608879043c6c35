import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ManagementScope } from '../../contract/admin/people.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import { networkOf } from '../../tenants/access/client-network.ts'
import { isManagementKey } from '../../tenants/people/manage-tokens.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import { type ManagementKey, managementKeyOf } from '../../tenants/sign-in/tokens.ts'
import { admit } from '../admission.ts'
import { readToken } from '../auth.ts'
import type { HttpServices } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What a program manages with, at `/v3/manage`. */
    managementKey: ManagementKey
  }
}

type Done = (error?: Error) => void

/** The same for whatever is no management key, so that it does not say whether another key is valid. */
const NEEDS_MANAGEMENT_KEY = problem('invalid_api_key', {
  message:
    'This endpoint needs a management key (gate_manage_…). An API key cannot manage an organization. An operator creates a ' +
    'management key as a token of a service account with `scopes`.',
  headers: { 'www-authenticate': 'Bearer' },
})

/** How long a key may wait to be looked up. Networks take turns. */
const MAX_WAIT_MS = 5_000

/** Finds the service account that asks, and refuses a key without the scope. The use case checks what its roles allow. */
export function requireManagementKey(services: HttpServices, scope: ManagementScope | 'self' | undefined) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    identify(request, services).then((found) => {
      request.managementKey = found
      request.actor = found.actor
      done(refusalOf(found, scope) ?? admit(request, reply, ownerOf(found), services))
    }, done)
  }
}

async function identify(request: FastifyRequest, { active, edge }: HttpServices): Promise<ManagementKey> {
  const key = readToken(request)
  if (key === undefined || !isManagementKey(key)) throw NEEDS_MANAGEMENT_KEY
  const network = networkOf(request)
  await edge.managementLookups.acquireWithin(MAX_WAIT_MS, network)
  try {
    const found = await managementKeyOf(key, active.current.tenants)
    if (found) return found
    throw NEEDS_MANAGEMENT_KEY
  } finally {
    edge.managementLookups.release(network)
  }
}

function refusalOf({ token }: ManagementKey, scope: ManagementScope | 'self' | undefined): Problem | undefined {
  if (scope === undefined || scope === 'self' || token.scopes.includes(scope)) return undefined
  return notYours(`This management key does not have the scope ${scope}.`)
}

/** Requests of a service account share its places. */
function ownerOf({ actor }: ManagementKey): string {
  return `management ${actor.id}`
}
