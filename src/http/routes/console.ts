import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../base/schema/type.ts'
import { CONSOLE_SCREENS } from '../console/screens.ts'
import { ASSET_REPLIES, sendAsset } from '../console/send-asset.ts'
import { HTML, sendConsole } from '../console/send-page.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { route } from '../define-route.ts'
import type { HttpServices, Route, RouteReply } from '../route.ts'

const TEXT: RouteReply = { description: 'The page.', contentType: HTML, schema: Type.String() }
const PAGE_REPLIES = {
  200: TEXT,
  503: {
    description: 'The console is not built, and the page says what to run; or the gateway is starting.',
    schema: ErrorBody,
    texts: [HTML],
  },
}

export const home = page('/', 'Open the console')
export const signIn = page('/sign-in', 'Open the sign-in page')
export const setup = page('/setup', 'Open the page for the first owner and for invitations')
export const screens: readonly Route[] = CONSOLE_SCREENS.map((name) => page(`/${name}`, `Open the console: ${name}`))

export const asset = route({
  method: 'GET',
  path: '/assets/{asset}',
  access: 'open',
  summary: 'Get a script or style of the console',
  description: 'Its name has a hash of its content, so it may be kept for ever.',
  replies: ASSET_REPLIES,
  handle: (request, reply) => sendAsset(request, reply),
})

function page(path: string, summary: string): Route {
  return { method: 'GET', path, access: 'open', summary, replies: PAGE_REPLIES, handle: sendPage }
}

function sendPage(_request: FastifyRequest, reply: FastifyReply, services: HttpServices): Promise<FastifyReply> {
  return sendConsole(reply, services.calls)
}
