import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../schema/type.ts'
import type { Route } from '../services.ts'
import { PAGE_POLICY, SETUP_PAGE, SIGN_IN_PAGE, SIGN_IN_SCRIPT, SIGN_IN_STYLE } from '../admin/sign-in-page.ts'

export const signIn = asset('/sign-in', 'The page for signing in', 'text/html', SIGN_IN_PAGE)
export const setup = asset('/setup', 'The page of the first owner, and of invitations', 'text/html', SETUP_PAGE)
export const script = asset('/assets/sign-in.js', 'The script of these pages', 'text/javascript', SIGN_IN_SCRIPT)
export const style = asset('/assets/sign-in.css', 'The style of these pages', 'text/css', SIGN_IN_STYLE)

function asset(path: string, summary: string, type: string, text: string): Route {
  return {
    method: 'GET',
    path,
    access: 'open',
    summary,
    replies: { 200: { description: 'The text.', contentType: type, schema: Type.String() } },
    handle: (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'referrer-policy': 'no-referrer' })
      return reply.type(`${type}; charset=utf-8`).send(text)
    },
  }
}
