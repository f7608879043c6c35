import { LogoutForm } from '../../../../contract/admin/sign-in.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { problem } from '../../../../contract/problems.ts'
import { endByIssuer } from '../../../../tenants/sign-in/oidc/back-channel-logout.ts'
import { originOf } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'
import { oidcServices, providerNamed } from '../oidc.ts'

const logout = route({
  method: 'POST',
  path: '/sign-in/oidc/{name}/logout',
  access: 'open',
  summary: 'Sign out by the identity provider',
  description:
    'OpenID Connect Back-Channel Logout: a form with a `logout_token`, which the provider has signed. It ends the sessions of that ' +
    'sign-in here.',
  isUrlForm: true,
  form: LogoutForm,
  replies: {
    200: { description: 'The sessions have ended, or there were none.' },
    400: { description: 'The token is not valid, or was used before.', schema: ErrorBody },
    415: { description: 'The body is not a form.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const tokens = new URLSearchParams(String(request.body ?? '')).getAll('logout_token')
    const issuer = providerNamed(request.params.name, services)
    const oidc = oidcServices(services)
    const isDone = tokens.length === 1 && (await endByIssuer(issuer, tokens[0]!, originOf(request), oidc))
    if (!isDone) throw problem('bad_request', { message: 'The logout token is not valid.' })
    return reply.header('cache-control', 'no-store').code(200).send()
  },
})
export default logout
