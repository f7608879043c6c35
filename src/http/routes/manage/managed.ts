import type { FastifyRequest } from 'fastify'
import type { Numbered, NumberedPage } from '../../../contract/manage/paging.ts'
import type { ManagedServices } from '../../../money/managed/managed-keys.ts'
import type { Config } from '../../../platform/config/config.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { ownUrl } from '../../edge/own-url.ts'
import type { HttpServices } from '../../route.ts'

// What the routes at /v3/manage have in common.

/** All of them are off until the config file turns them on. */
export function manageIsOn({ manage }: Config): boolean {
  return manage.enabled
}

/** The use cases of keys, limits and the ledger, asked by a management key for its organization. */
export function managed(request: FastifyRequest, { money, tenants }: HttpServices): ManagedServices {
  const { organization } = request.managementKey
  return askedBy(request, { ...money, keyCache: tenants.keyCache, organization })
}

/** A page with the addresses of the ones beside it. */
export function withNeighbours<Item>(
  { results, total_count }: Numbered<Item>,
  { limit, offset }: NumberedPage,
  request: FastifyRequest,
  services: HttpServices,
) {
  const path = `${ownUrl(request, services)}${request.url.split('?', 1)[0]}`
  const at = (start: number) => `${path}?limit=${limit}&offset=${start}`
  return {
    results,
    limit,
    offset,
    total_count,
    next: offset + results.length < total_count ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
  }
}
