import type { Tools } from '../../feature.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'

/** Services that speak Amazon's JSON protocol: one address, the operation in a header. */
const TARGETS = {
  comprehend: 'Comprehend_20171127',
  rekognition: 'RekognitionService',
  textract: 'Textract',
  transcribe: 'Transcribe',
  translate: 'AWSShineFrontendService_20170701',
}

export type AmazonService = keyof typeof TARGETS

export async function askAmazon<Reply>(
  tools: Tools,
  service: AmazonService,
  operation: string,
  fields: Fields,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  const payload = { ...jsonPayload(fields), type: 'application/x-amz-json-1.1' }
  const headers = { 'x-amz-target': `${TARGETS[service]}.${operation}` }
  return await askForJson(tools, { service, path: '/', payload, headers }, read)
}
