import Type from '../../../../base/schema/type.ts'
import { webhookKeysOf } from '../../../webhook-keys-of.ts'
import { route } from '../../../define-route.ts'

const PublicKey = Type.Object(
  {
    public_key: Type.String({ description: '`whpk_` and the base64 of the 32 bytes of the key.' }),
    pem: Type.String({ description: 'The same key as PEM.' }),
  },
  { title: 'WebhookTimestampKey', description: 'The Ed25519 key that verifies `webhook-signature`.' },
)

export default route({
  method: 'GET',
  path: '/v3/webhooks/public-key/ed25519',
  access: 'key',
  summary: 'Get the Ed25519 key for webhooks',
  description:
    'The Ed25519 key of the signature in `webhook-signature` (Standard Webhooks, `v1a`), which covers the id, the time of ' +
    'the attempt and the body. Both keys are rotated together.',
  replies: { 200: { description: 'The public key.', schema: PublicKey } },
  handle: (_request, _reply, services) => {
    const { standard, pem } = webhookKeysOf(services.jobs).timestampKey
    return { public_key: standard, pem }
  },
})
