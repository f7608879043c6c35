import { SignInOptions } from '../../../contract/admin/sign-in.ts'
import { isSsoOnly } from '../../../tenants/sign-in/sso-only.ts'
import { route } from '../../define-route.ts'

const providers = route({
  method: 'GET',
  path: '/sign-in/providers',
  access: 'open',
  summary: 'List ways to sign in',
  description: 'For the page at `/sign-in`.',
  replies: { 200: { description: 'Passwords, and the providers of the config file.', schema: SignInOptions } },
  handle: async (_request, _reply, services) => {
    const { auth } = services.tenants.config
    const providers = auth.oidc.map(({ name, title }) => ({ name, title, url: `/sign-in/oidc/${name}` }))
    return { password: !(await isSsoOnly(auth, services.tenants.db)), providers }
  },
})
export default providers
