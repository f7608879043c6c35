import type { FastifyReply } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { HTML, sendConsole } from '../../console/send-page.ts'
import { flowCookie } from '../../../tenants/sign-in/cookie.ts'
import type { SignInRefusal } from '../../../tenants/sign-in/oidc/sign-in.ts'
import type { HttpServices, RouteReply } from '../../route.ts'

// The pages at the end of a sign-in with a provider. Browsers send no Strict cookie with the request that a page of the
// provider leads to, so the answer is a page of ours that leads on.

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** Where a browser goes after a sign-in. */
const NEXT = '/'

export const REFUSALS: Record<SignInRefusal | 'unavailable', { status: number; text: string }> = {
  stale: { status: 400, text: 'This sign-in has expired or was already used. Please sign in again.' },
  failed: { status: 401, text: 'The provider did not confirm this sign-in. Please try again.' },
  disabled: { status: 403, text: 'Your account is disabled. Ask an administrator of this gateway.' },
  other_identity: { status: 403, text: 'Your account or this identity is linked to another account.' },
  unconfirmed: {
    status: 403,
    text: 'An account or an invitation has your e-mail address, but this provider may not open it. Sign in with your password and link the provider to your account, or ask an administrator of this gateway to confirm you; sign in again afterwards.',
  },
  no_access: {
    status: 403,
    text: 'You are signed in at the provider, but have no access here yet. Ask an administrator of this gateway, or sign in with another account.',
  },
  unavailable: { status: 503, text: 'The provider does not answer. Please try again.' },
}

export const REFUSAL_REPLIES: Record<number, RouteReply> = Object.fromEntries(
  [...new Set(Object.values(REFUSALS).map(({ status }) => status))].map((status) => {
    return [
      status,
      { description: 'A page that says why not; JSON where the listener refuses.', schema: ErrorBody, texts: [HTML] },
    ]
  }),
)

/** The console's own page: it takes the code and the state out of the address, and offers another account. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: keyof typeof REFUSALS,
  services: HttpServices,
): Promise<FastifyReply> {
  const { status, text } = REFUSALS[refusal]
  reply.header('set-cookie', flowCookie('', 0, services.tenants.config)).header('cache-control', 'no-store')
  return sendConsole(reply, services.calls, { status, refusal: text })
}

export function sendSignedIn(reply: FastifyReply, sessionCookie: string, services: HttpServices): FastifyReply {
  const page = `<meta http-equiv="refresh" content="0;url=${NEXT}">\n<p>You are signed in. <a href="${NEXT}">Continue</a></p>`
  return send(reply, page, [sessionCookie, flowCookie('', 0, services.tenants.config)])
}

function send(reply: FastifyReply, content: string, cookies: readonly string[]): FastifyReply {
  reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  return reply
    .type(`${HTML}; charset=utf-8`)
    .send(
      `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Sign in · Gatehouse</title>\n${content}\n</html>\n`,
    )
}
