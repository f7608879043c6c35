import { countedFields } from './anthropic.ts'
import { pathSegment } from '../../../translation/wire/path-segment.ts'
import { type Counter, post } from './counter.ts'

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html

const VERSION = 'bedrock-2023-05-31'
/** Bedrock requires these fields; they do not change the count. */
const MAX_TOKENS = 1_024

/** Bedrock counts only for Claude, and in Claude's own format, which is the format of the request. */
export const bedrock: Counter = {
  encode: ({ request }, { baseUrl, model }) => {
    const body = { anthropic_version: VERSION, max_tokens: MAX_TOKENS, ...countedFields(request) }
    const input = { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString('base64') } }
    return post(`${baseUrl}/model/${pathSegment(model)}/count-tokens`, { input })
  },
  decode: (answer) => (answer as { inputTokens?: unknown }).inputTokens,
}
