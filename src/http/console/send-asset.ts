import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../../contract/problems.ts'
import Type from '../../base/schema/type.ts'
import { sendCompressed } from '../cached/compressed.ts'
import { UNCHANGED } from '../cached/etag.ts'
import { ASSET_TYPES } from './asset.ts'
import { servedBundle } from './bundle.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

const YEAR_SECONDS = 365 * DAY_SECONDS

export const ASSET_REPLIES = {
  200: { description: 'The text.', contentType: Object.values(ASSET_TYPES), schema: Type.String() },
  304: UNCHANGED,
}

/** Sends a script or a style that a page of ours names. */
export async function sendAsset(
  request: FastifyRequest<{ Params: { asset: string } }>,
  reply: FastifyReply,
  isServed: (name: string) => boolean = () => true,
): Promise<FastifyReply> {
  const { asset: name } = request.params
  const bundle = isServed(name) ? await servedBundle().catch(() => undefined) : undefined
  const found = bundle?.assets.get(name)
  if (!found) throw problem('not_found', { message: 'This file of the page no longer exists. Reload the page.' })
  reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
  return await sendCompressed(request, reply, found)
}
