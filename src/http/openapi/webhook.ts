import { WebhookPayload } from '../../contract/webhook.ts'
import { contentOf } from './content.ts'
import type { Operation, Parameter, Schemas } from '../../contract/openapi/document.ts'

const DESCRIPTION =
  'Posted to the `webhook_receiver` of a job. The signature is over the raw body: verify the hexadecimal SHA-256 of its ' +
  'bytes before you parse them. The body is canonical JSON: sorted keys, two spaces of indent, numbers as ECMAScript writes ' +
  'them, with their digits kept where the value would change otherwise. The same job may be reported more than once. ' +
  '`webhook-signature` is a second signature, in the form of Standard Webhooks: verify it as well, and ' +
  'refuse a `webhook-timestamp` that is more than five minutes off, so that a recorded webhook cannot be replayed.'

/**
 * The only operation that the gateway calls instead of serving it. It is a callback of the request that names its address, and not
 * in the section `webhooks` of the document: openapi-generator writes Python for that section that is no Python.
 */
export function webhooks(schemas: Schemas): NonNullable<Operation['callbacks']> {
  return { async_job_completed: { '{$request.body#/webhook_receiver}': { post: webhookOperation(schemas) } } }
}

function webhookOperation(schemas: Schemas): Operation {
  return {
    operationId: 'asyncJobCompleted',
    tags: ['Universal tasks'],
    summary: 'Job ended',
    description: DESCRIPTION,
    security: [],
    parameters: [
      header('X-Service-Webhook', 'Always `true`.'),
      header('X-Service-Signature', 'RSA PKCS#1 v1.5 signature with SHA-256, in hexadecimal.'),
      header('X-Service-Hash-Algorithm', 'Always `SHA256`.'),
      header('X-Service-Key-Id', 'The id of the RSA key that signed the webhook.'),
      header('webhook-id', 'The same for all attempts to send this webhook.'),
      header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
      header('webhook-signature', '`v1a,` and the base64 of the Ed25519 signature of `id.timestamp.body`.'),
    ],
    requestBody: { required: true, content: contentOf(WebhookPayload, schemas) },
    responses: {
      '2XX': {
        description:
          'Accepted. After a 5XX, no answer in time or a failed connection, the webhook is sent again, up to three times. After ' +
          'a 3XX or 4XX it is not: redirects are not followed.',
      },
    },
  }
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}
