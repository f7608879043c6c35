import type { FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../../contract/errors.ts'
import Type from '../../../../base/schema/type.ts'
import { FLOW_COOKIE, readCookie, sessionCookie } from '../../../../tenants/sign-in/cookie.ts'
import { finishOidc } from '../../../../tenants/sign-in/oidc/sign-in.ts'
import { SESSION_SECONDS } from '../../../../tenants/sign-in/sessions.ts'
import { originOf } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'
import { HTML } from '../../../console/send-page.ts'
import { REFUSAL_REPLIES, sendRefusal, sendSignedIn } from '../result-page.ts'
import { oidcServices, providerNamed } from '../oidc.ts'

const callback = route({
  method: 'GET',
  path: '/sign-in/oidc/{name}/callback',
  access: 'open',
  summary: 'Return from an identity provider',
  description: 'Checks what the provider says, opens a session and sets its cookie.',
  // A repeated parameter stays repeated, so that it is refused with a page.
  rawQuery: true,
  query: Type.Object({
    code: Type.Optional(Type.String({ description: 'What the gateway exchanges for tokens.' })),
    state: Type.Optional(Type.String({ description: 'The state that the gateway sent.' })),
    iss: Type.Optional(Type.String({ description: 'Who answers.' })),
    error: Type.Optional(Type.String({ description: 'The reason why there is no code.' })),
  }),
  replies: {
    200: { description: 'A page that continues to the console.', contentType: HTML, schema: Type.String() },
    ...REFUSAL_REPLIES,
    429: { description: 'There were too many attempts from this address.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { config } = services.tenants
    const cookie = readCookie(request.headers.cookie, config, { suffix: FLOW_COOKIE })
    const answer = { query: queryOf(request), cookie, origin: originOf(request) }
    const finished = await finishOidc(providerNamed(request.params.name, services), answer, oidcServices(services))
    if ('refusal' in finished) return sendRefusal(reply, finished.refusal, services)
    return sendSignedIn(reply, sessionCookie(finished.opened.token, SESSION_SECONDS, config), services)
  },
})
export default callback

function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}
