import { WebhookPayload } from '../../contract/webhook.ts'
import { contentOf } from './content.ts'
import type { Operation, Parameter, Schemas } from './shape.ts'

const DESCRIPTION =
  'Posted to the `webhook_receiver` of a job. To check the signature, write the payload as JSON with sorted ' +
  'keys and two spaces of indent, and verify the hexadecimal SHA-256 of that text. The same job may be told of ' +
  'more than once.'

/** The one operation that the gateway calls and does not serve. */
export function webhookOperation(schemas: Schemas): Operation {
  return {
    operationId: 'asyncJobCompleted',
    tags: ['Universal tasks'],
    summary: 'A job is done',
    description: DESCRIPTION,
    parameters: [
      header('X-Service-Webhook', 'Always `true`.'),
      header('X-Service-Signature', 'RSA PKCS#1 v1.5 signature with SHA-256, in hexadecimal.'),
      header('X-Service-Hash-Algorithm', 'Always `SHA256`.'),
    ],
    requestBody: { required: true, content: contentOf(WebhookPayload, schemas) },
    responses: {
      '2XX': { description: 'Taken. 4XX is final too; everything else is tried again, up to three times.' },
    },
  }
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}
