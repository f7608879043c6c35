import Type from '../../../base/schema/type.ts'
import { webhookKeysOf } from '../../webhook-keys-of.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/webhooks/public-key',
  access: 'key',
  summary: 'Get the public key for webhooks',
  description:
    'PEM. Keep it in your configuration; `X-Service-Key-Id` on a webhook says which key signed it. ' +
    '`/v3/webhooks/public-key/ed25519` has the key of the second signature, which covers the time too.',
  replies: { 200: { description: 'The public key.', contentType: 'application/x-pem-file', schema: Type.String() } },
  handle: (_request, reply, services) => {
    return reply.header('content-type', 'application/x-pem-file').send(webhookKeysOf(services.jobs).publicPem)
  },
})
