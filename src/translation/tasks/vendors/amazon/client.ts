import type { Tools } from '../../feature.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'

/** Services with Amazon's JSON protocol, which has one address per service and names the operation in a header. */
const TARGETS = {
  comprehend: 'Comprehend_20171127',
  rekognition: 'RekognitionService',
  textract: 'Textract',
  transcribe: 'Transcribe',
  translate: 'AWSShineFrontendService_20170701',
}

type AmazonService = keyof typeof TARGETS

export async function askAmazon<Reply>(
  tools: Tools,
  operation: `${AmazonService}.${string}`,
  fields: Fields,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  const [service, name] = operation.split('.') as [AmazonService, string]
  const payload = { ...jsonPayload(fields), type: 'application/x-amz-json-1.1' }
  const headers = { 'x-amz-target': `${TARGETS[service]}.${name}` }
  return await askForJson(tools, { service, path: '/', payload, headers }, read)
}
