import type { FastifyReply, FastifyRequest } from 'fastify'
import { SignInOptions } from '../../../contract/admin/sign-in.ts'
import { isSsoOnly } from '../../../sign-in/sso-only.ts'
import type { HttpServices, Route } from '../../services.ts'

const providers: Route = {
  method: 'GET',
  path: '/sign-in/providers',
  access: 'open',
  summary: 'How people can sign in',
  description: 'For the page at `/sign-in`.',
  replies: { 200: { description: 'Passwords, and the providers of the config file.', schema: SignInOptions } },
  handle: async (_request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices): Promise<SignInOptions> => {
    const { auth } = context.config
    const known = auth.oidc.map(({ name, title }) => ({ name, title, url: `/sign-in/oidc/${name}` }))
    return { password: !(await isSsoOnly(auth, context.db)), providers: known }
  },
}
export default providers
