import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../base/schema/type.ts'
import { PLAIN_STYLE_SOURCE, plainPage } from '../console/plain-page.ts'
import { route } from '../define-route.ts'

const About = Type.Object(
  {
    name: Type.String({ description: 'The name of the program.' }),
    base_url: Type.String({ description: 'The path to append to this host in a client.' }),
    docs: Type.String({ description: 'The documentation.' }),
    openapi: Type.String({ description: 'The OpenAPI document.' }),
    health: Type.String({ description: 'Whether the gateway is ready.' }),
  },
  { title: 'About', description: 'The name of the service.' },
)

const ABOUT = {
  name: 'Gatehouse',
  base_url: '/v3',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/health/ready',
}

const PAGE = plainPage(
  'Gatehouse',
  `<h1>AI gateway</h1>
<p>Give your client the base URL of this host with <code>/v3</code> behind it, and a key.</p>
<p><a href="/docs">Documentation</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/health/ready">Health</a></p>`,
)

const POLICY =
  `default-src 'none'; style-src ${PLAIN_STYLE_SOURCE}; img-src data:; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'"

export default route({
  method: 'GET',
  path: '/',
  access: 'open',
  summary: 'Get the name of this service',
  description: 'A small page for browsers, JSON for programs.',
  replies: { 200: { description: 'The paths of this service.', schema: About, texts: ['text/html'] } },
  handle: (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.headers.accept?.includes('text/html')) return ABOUT
    reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
    return reply.type('text/html; charset=utf-8').send(PAGE)
  },
})
