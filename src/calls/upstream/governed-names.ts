import { SpeechRequest, TranscriptionForm, TranscriptionRequest } from '../../contract/audio.ts'
import { ChatRequest } from '../../contract/chat.ts'
import { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { FieldNames } from '../../base/schema/field-names.ts'
import { ImageEditRequest } from '../../contract/images.ts'
import { BatchEmbedContentsRequest, EmbedContentRequest } from '../../contract/gemini/embed-content.ts'
import { GeminiCountRequest, GenerateContentRequest } from '../../contract/gemini/generate-content.ts'
import { CompletionsRequest } from '../../contract/legacy/completions.ts'
import { MessagesRequest } from '../../contract/messages.ts'
import { ModerationsRequest } from '../../contract/moderations.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { CohereChatRequest } from '../../contract/cohere/chat.ts'
import { EmbedRequest } from '../../contract/cohere/embed.ts'
import { RerankRequest } from '../../contract/cohere/rerank.ts'
import { ResponsesRequest } from '../../contract/responses.ts'
import { CountTokensRequest } from '../../contract/tokens.ts'
import { UniversalAsyncRequest } from '../../contract/universal.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import { isRecord } from '../../base/schema/record.ts'
import {
  FOR_EVERY_CHAT_PROVIDER,
  FOR_EVERY_PROVIDER,
  RETAINING_FIELDS,
  WIRE_FIELDS,
} from '../../platform/providers/governed-fields.ts'
import { NestedNames } from './nested-names.ts'
import { PROVIDERS } from '../../platform/providers/providers.ts'

const CONTRACTS = [
  ...[ChatRequest, MessagesRequest, ResponsesRequest, CountTokensRequest, EmbeddingsRequest, ModerationsRequest],
  ...[GenerateContentRequest, GeminiCountRequest, EmbedContentRequest, BatchEmbedContentsRequest],
  ...[ImageEditRequest, SpeechRequest, TranscriptionForm, TranscriptionRequest, UniversalAsyncRequest],
  ...[RerankRequest, CompletionsRequest, EmbedRequest, CohereChatRequest],
]

/** Every field that the gateway reads, checks, bills or drops, on any endpoint. */
export const GOVERNED_NAMES = new FieldNames([
  ...CONTRACTS.flatMap(({ properties }) => Object.keys(properties)),
  ...GATEWAY_FIELDS,
  ...WIRE_FIELDS,
  ...[FOR_EVERY_PROVIDER, FOR_EVERY_CHAT_PROVIDER, RETAINING_FIELDS].flatMap((table) => Object.keys(table)),
  ...Object.values(PROVIDERS).flatMap(({ governedFields = {} }) => Object.keys(governedFields)),
])

/** The cost is computed from the usage, so the gateway always requests it from a stream. */
const STREAM_NAMES = new FieldNames(['include_usage'])

const NESTED_NAMES = new NestedNames(CONTRACTS, GOVERNED_NAMES)

/** Like `spellingIssues`, at every depth that a provider reads. */
export function nestedSpellingIssues(body: unknown): ValidationIssue[] {
  const issues = spellingIssues(body)
  return issues.length === 0 && isRecord(body) ? NESTED_NAMES.issues(body) : issues
}

/** Finds names at the top of a body, and in its `extra_body`, that are only spelled differently from a governed field. */
export function spellingIssues(body: unknown): ValidationIssue[] {
  if (!isRecord(body)) return []
  const issues = GOVERNED_NAMES.issues(body, ['body'])
  const { extra_body, stream_options } = body
  if (isRecord(extra_body)) issues.push(...GOVERNED_NAMES.issues(extra_body, ['body', 'extra_body']))
  if (isRecord(stream_options)) issues.push(...STREAM_NAMES.issues(stream_options, ['body', 'stream_options']))
  return issues
}
