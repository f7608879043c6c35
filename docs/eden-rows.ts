// What the hosted original has, and what becomes of it here: the tables of docs/migration.md. `test/eden-rows.test.ts` checks the rows
// against the routes, the contract, the headers and the errors of the gateway.

type Outcome = 'same' | 'different' | 'not here'

export type Row = {
  /** `POST /v3/search`, `routing.sort`, `x-edenai-tags`, `422`. */
  name: string
  outcome: Outcome
  /** What is different, or why it is not here. */
  how?: string
}

/** A field of a request or an answer. `on`: the title of its schema. `proof`: the test of one that stands in no schema. */
type FieldRow = Row & { on: string; proof?: string }

/** What is no endpoint, field, header or error. `proof`: the test that shows it, or undefined for what is not here. */
type BehaviourRow = Row & { proof?: string }

/** An error. `code`: ours for it. */
type ErrorRow = Row & { code?: string }

/** A header. `proof`: the test that sends or reads it. */
type HeaderRow = Row & { proof: string }

const same = (...names: string[]): Row[] => names.map((name) => ({ name, outcome: 'same' }))
const different = (name: string, how: string): Row => ({ name, outcome: 'different', how })
const absent = (name: string, how: string): Row => ({ name, outcome: 'not here', how })

/** A field that is read before the schema is checked, or passed on without being read. `proof`: the test that sends it. */
function outside(row: Row, proof: string): Row & { proof: string } {
  return { ...row, proof }
}

const ROUTING_IN_NAMES = 'a 422; write the wish into the name of the model: `tts-1:cost`, `tts-1@eu`'

const USAGE_PARAMETERS: readonly Row[] = [
  ...same('step', 'begin', 'end', 'feature', 'subfeature', 'provider', 'billing'),
  different('phase', 'calls here have no phases, so none matches'),
]

const OFF = 'off until the config file turns it on'

export const ENDPOINTS: readonly Row[] = [
  ...same('POST /v3/chat/completions', 'POST /v3/responses', 'GET /v3/responses/{response_id}'),
  ...same('DELETE /v3/responses/{response_id}', 'POST /v3/v1/messages', 'POST /v3/v1/messages/count_tokens'),
  ...same('POST /v3/embeddings', 'POST /v3/moderations', 'POST /v3/images/generations', 'POST /v3/images/edits'),
  ...same('POST /v3/audio/speech', 'POST /v3/audio/transcriptions'),
  different('GET /v3/models', 'needs a key, and lists what this key can call; `?all=true` lists the whole catalog'),
  different('GET /v3/embeddings/models', 'as `/v3/models`'),
  different('GET /v3/moderations/models', 'as `/v3/models`'),
  different('GET /v3/images/models', 'as `/v3/models`'),
  different('GET /v3/audio/speech/models', 'as `/v3/models`'),
  different('GET /v3/audio/transcriptions/models', 'as `/v3/models`'),
  absent('GET /v3/audio/voices', 'the voices of a provider are in its own documentation'),
  absent('GET /v3/info/audio/tts/voices', 'the voices of a provider are in its own documentation'),
  different('GET /v3/info', 'needs a key, and lists providers that are set up'),
  different('GET /v3/info/{feature}', 'as `/v3/info`'),
  different('GET /v3/info/{feature}/{subfeature}', 'as `/v3/info`'),
  different(
    'POST /v3/universal-ai',
    'a provider that fails is an error with a status, and no 200 with `status: fail`; `cost` is a number',
  ),
  different('POST /v3/universal-ai/async', '`cost` is a number; the answer has `job_id` beside `public_id`'),
  different('GET /v3/universal-ai/async', 'the same; items also have `job_id`'),
  different('GET /v3/universal-ai/async/{job_id}', '`cost` is a number, null if the price is not known'),
  ...same('DELETE /v3/universal-ai/async/{job_id}', 'POST /v3/universal-ai/collections'),
  ...same('GET /v3/universal-ai/collections', 'GET /v3/universal-ai/collections/{collection_id}'),
  ...same(
    'DELETE /v3/universal-ai/collections/{collection_id}',
    'POST /v3/universal-ai/collections/{collection_id}/items',
  ),
  ...same('GET /v3/universal-ai/collections/{collection_id}/items'),
  ...same('DELETE /v3/universal-ai/collections/{collection_id}/items/{item_id}'),
  ...same('POST /v3/upload', 'GET /v3/upload', 'DELETE /v3/upload', 'POST /v3/upload/delete'),
  different(
    'POST /v3/videos',
    'a provider alone, or an alias, may stand for a model; an unknown name is a 404 and not a 400',
  ),
  different('GET /v3/videos', 'the same; `order` as at OpenAI'),
  different('GET /v3/videos/{video_id}', 'also has the prompt, the size and the requested length'),
  different('GET /v3/videos/{video_id}/content', 'sends the bytes, without a redirect'),
  ...same('DELETE /v3/videos/{video_id}', 'GET /v3/videos/models', 'POST /v3/search', 'POST /v3/search/{provider}'),
  ...same('GET /v3/search/models'),
  absent('POST /v3/alpha/decisions', 'alpha, for the models of one vendor; a chat with a JSON schema does it'),
  absent('GET /v3/alpha/decisions/models', 'see above'),
  absent('DELETE /v3/router/cache', 'for the staff of the original; the router keeps no candidates'),
  different('POST /v3/manage/auth-keys', `${OFF}; the key has the roles of the same service account`),
  different('GET /v3/manage/auth-keys', `${OFF}; the keys of the same service account`),
  different('DELETE /v3/manage/auth-keys/{id}', OFF),
  different('POST /v3/manage/keys', `${OFF}; names are unique in a project, which the key may name`),
  different('GET /v3/manage/keys', OFF),
  different('GET /v3/manage/keys/{id}', OFF),
  different('PATCH /v3/manage/keys/{id}', OFF),
  different('DELETE /v3/manage/keys/{id}', OFF),
  different('POST /v3/manage/keys/{id}/rotate', OFF),
  different('GET /v3/manage/keys/{id}/usage', `${OFF}; a query that is not valid is a 422 and not a 400`),
  different('GET /v3/manage/usage', `${OFF}; a query that is not valid is a 422 and not a 400`),
  different('GET /v3/manage/members', `${OFF}; without \`guardrail\`, \`tokens\` and groups`),
  different('PATCH /v3/manage/members/{email}/role', `${OFF}; the roles are those of [people.md](people.md)`),
  different('GET /v3/manage/whoami', OFF),
  absent('GET /v3/manage/groups', 'there are no groups; roles may follow those of an identity provider'),
]

/** By the title of the schema that has the field. */
function on(title: string, rows: readonly (Row & { proof?: string })[]): FieldRow[] {
  return rows.map((row) => ({ ...row, on: title }))
}

export const FIELDS: readonly FieldRow[] = [
  ...on('ChatRequest', [
    different('model', '`@edenai` is `@service`; `model:latency` and `model@eu` as there'),
    different('fallbacks', 'the same; the hosts of a bare name are tried for each'),
    different('router_candidates', 'up to 2,000 names, also of aliases'),
    ...same('pre_hooks', 'post_hooks', 'session_id', 'reasoning_effort', 'thinking', 'web_search_options'),
    ...same('image_config', 'stream_options', 'response_format', 'modalities', 'user'),
    different('top_logprobs', '1 to 20; 0 is a 422'),
    different('service_tier', 'also `scale` and `priority`, as later there'),
    different('extra_headers', 'credentials are refused, and so is what would choose another payer or address'),
    different('metadata', 'texts in it are tags of the call'),
    outside(
      {
        name: 'tags',
        outcome: 'different',
        how: 'of every JSON body; the rules are those of the header `x-edenai-tags`',
      },
      'test/e2e/formats/original-words.test.ts',
    ),
    outside(
      { name: 'prompt_cache_key', outcome: 'same', how: 'passed on, and the name of the session if there is no other' },
      'test/e2e/ledger/sessions.test.ts',
    ),
    outside(
      {
        name: 'prompt_cache_retention',
        outcome: 'different',
        how: 'passed on; how long a conversation stays with its provider does not depend on it',
      },
      'test/e2e/policies/policies.test.ts',
    ),
    absent('plugins', 'never in a published API; dropped with a note'),
    absent('preset', 'aliases with `defaults`'),
  ]),
  ...on('Routing', [
    different('sort', '`exact` is the host with the fewest failures; the router also has `quality`'),
    different('quality_cost', '5 if it is absent; the original takes the best model then, which is 0'),
    ...same('allowed_providers', 'allow_fallbacks'),
    different(
      'sticky',
      'on for every model, from the first call and without an end; there: ten minutes after each cached read, where such tokens have a discount',
    ),
  ]),
  ...on('MessagesRequest', same('fallbacks', 'router_candidates', 'routing', 'session_id', 'max_tokens')),
  ...on('ResponsesRequest', same('fallbacks', 'router_candidates', 'routing', 'session_id', 'previous_response_id')),
  ...on('ResponsesRequest', same('store', 'background', 'include', 'truncation', 'metadata')),
  ...on('ResponseObject', [
    ...same('id', 'status', 'output', 'usage', 'provider', 'error'),
    different('cost', 'null if the price is not known'),
    absent('provider_time', 'the header `x-gatehouse-metadata` gives the times of all attempts'),
  ]),
  ...on(
    'EmbeddingsRequest',
    same('model', 'input', 'encoding_format', 'dimensions', 'user', 'metadata', 'extra_headers'),
  ),
  ...on('EmbeddingsReply', same('data', 'usage', 'cost', 'provider')),
  ...on('ModerationsRequest', same('input', 'model')),
  ...on('ImageGenerationRequest', [
    ...same('model', 'prompt', 'n', 'size', 'quality', 'response_format', 'extra_headers'),
    absent('routing', ROUTING_IN_NAMES),
  ]),
  ...on('ImageEditRequest', same('images', 'mask')),
  ...on('ImageReference', same('file_id', 'image_url')),
  ...on('ImageResponse', same('created', 'data', 'usage', 'cost', 'provider')),
  ...on('SpeechRequest', [
    ...same('model', 'input', 'voice', 'response_format', 'speed', 'instructions'),
    absent('routing', ROUTING_IN_NAMES),
  ]),
  ...on('TranscriptionRequest', same('model', 'file_id', 'file_url', 'language', 'prompt', 'response_format')),
  ...on('TranscriptionRequest', same('timestamp_granularities', 'temperature', 'user')),
  ...on('Transcription', same('text', 'usage', 'cost', 'provider')),
  ...on('Collection', same('collection_id', 'model', 'name')),
  ...on('CollectionItems', same('collection_id', 'item_ids')),
  ...on('DeletedItem', same('collection_id', 'item_id', 'deleted')),
  ...on('UniversalRequest', same('model', 'input', 'fallbacks', 'provider_params', 'show_original_response')),
  ...on('UniversalAsyncRequest', same('webhook_receiver', 'user_webhook_parameters')),
  ...on('UniversalJob', [
    ...same('public_id', 'status', 'provider', 'feature', 'subfeature', 'model', 'created_at', 'output', 'error'),
    different('cost', 'a number, and null if the price is not known'),
    ...same('original_response'),
  ]),
  ...on('ChatCompletion', [
    ...same('provider', 'usage'),
    different('cost', 'null if the price is not known'),
    different(
      'edenai_metadata',
      '`is_byok` is always true; the `status` of an attempt is null if there was none; `auto.selection` is never `default`, and `auto.quality_cost` is what was applied; no correction in the error of a stream',
    ),
  ]),
  ...on(
    'UploadedFile',
    same('file_id', 'file_name', 'file_size', 'file_mimetype', 'purpose', 'metadata', 'created_at', 'expires_at'),
  ),
  ...on('ModelObject', [
    ...same(
      'id',
      'created',
      'owned_by',
      'model_name',
      'context_length',
      'description',
      'source',
      'capabilities',
      'pricing',
      'list_pricing',
    ),
    different('discount', 'always null: there is no reseller'),
    ...same('regions', 'alias_of'),
  ]),
  ...on('SearchRequest', [
    ...same('query', 'model', 'max_results', 'search_domain_filter', 'country'),
    different('fallbacks', 'only here'),
  ]),
  ...on('SearchReply', same('id', 'results', 'provider', 'cost')),
  ...on('UploadForm', same('file', 'purpose', 'expires_in_days')),
  ...on('DeletedFiles', same('deleted_count')),
  ...on('VideoRequest', [
    ...same(
      'model',
      'prompt',
      'seconds',
      'size',
      'seed',
      'provider_params',
      'webhook_receiver',
      'user_webhook_parameters',
    ),
    ...same('input_reference'),
  ]),
  ...on('CreateManagedKeyRequest', [
    ...same('name', 'token_type', 'member', 'balance', 'active_balance', 'balance_reset_period'),
    ...same('balance_reset_amount', 'expire_time'),
    different('project', 'only here'),
    absent('default_tags', 'tags are in the request'),
  ]),
  ...on('ManagedKey', [
    ...same('id', 'name', 'token_type', 'member', 'masked', 'balance', 'expire_time', 'revoked', 'revoked_at'),
    different('active_balance', 'a balance that is not enforced goes on counting'),
    ...same('balance_reset_period', 'balance_reset_amount'),
  ]),
  ...on('RotatedManagedKey', same('secret', 'masked', 'name')),
  ...on('CreateAuthKeyRequest', same('name', 'scopes')),
  ...on('ManagementIdentity', same('id', 'name', 'scopes')),
  ...on('ManagedMember', same('email', 'fullname', 'is_confirmed', 'role', 'is_org_owner')),
  ...on('MemberUsage', same('user', 'total_cost')),
  ...on('TokenUsage', same('token', 'data')),
  ...on('FeatureUsage', [
    ...same('total_cost', 'details', 'cost_per_provider'),
    different('unpriced', 'only here: calls whose price is not known are not in `total_cost`'),
  ]),
  ...on('Video', [
    ...same('id', 'object', 'status', 'created_at', 'completed_at', 'expires_at', 'model', 'error', 'provider'),
    ...same('cost', 'remixed_from_video_id'),
    different('progress', '0 or 100: providers do not say it'),
    different('seconds', 'the requested length, on every answer'),
    different('size', 'on every answer'),
  ]),
]

/** A parameter of a query: the endpoint, and the parameter after the question mark. */
export const PARAMETERS: readonly Row[] = [
  ...of('GET /v3/models', same('view')),
  ...of('GET /v3/embeddings/models', same('view')),
  ...of('GET /v3/moderations/models', same('view')),
  ...of('GET /v3/images/models', same('view')),
  ...of('GET /v3/audio/speech/models', same('view')),
  ...of('GET /v3/audio/transcriptions/models', same('view')),
  ...of('GET /v3/info/{feature}/{subfeature}', same('format')),
  ...of('GET /v3/universal-ai/async', same('feature', 'subfeature', 'status', 'page', 'limit')),
  ...of('GET /v3/universal-ai/collections', same('model', 'page', 'limit')),
  ...of('GET /v3/upload', same('purpose', 'page', 'limit')),
  ...of('GET /v3/videos', same('limit', 'after')),
  ...of('GET /v3/manage/keys', same('limit', 'offset')),
  ...of('GET /v3/manage/keys/{id}/usage', USAGE_PARAMETERS),
  ...of('GET /v3/manage/usage', [...USAGE_PARAMETERS, ...same('token', 'key_id', 'user', 'group_by')]),
]

function of(endpoint: string, rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, name: `${endpoint}?${row.name}` }))
}

const NAMES_TEST = 'test/e2e/models/bare-names.test.ts'

/** What is no endpoint, field, header or error. */
export const BEHAVIOURS: readonly BehaviourRow[] = [
  { name: 'a bare name is shared by its hosts, weighted by price', outcome: 'same', proof: NAMES_TEST },
  { name: 'hosts that fail come last and stay', outcome: 'same', proof: NAMES_TEST },
  { name: 'what `fallbacks` name twice is asked twice', outcome: 'same', proof: NAMES_TEST },
  { name: 'suffixes `:cost`, `:speed`, `:latency`, `:exact` and `@eu`', outcome: 'same', proof: NAMES_TEST },
  {
    name: 'automatic cache marks for Claude',
    outcome: 'different',
    how: 'on the last turn, from the second turn of a conversation on; `"cache_marks": false` turns them off in a request, an alias or the policy of a project',
    proof: 'test/e2e/chat/claude-cache-marks.test.ts',
  },
  {
    name: 'hooks `pdf_text_extract` and `json_heal`',
    outcome: 'same',
    proof: 'test/e2e/chat/chat-hooks.test.ts',
  },
  {
    name: 'the path `/v3/llm/…` of older clients',
    outcome: 'same',
    proof: 'test/e2e/formats/other-paths.test.ts',
  },
  {
    name: 'the MCP server',
    outcome: 'different',
    how: 'at `/v3/mcp`; the tools have names of their own ([mcp.md](mcp.md))',
    proof: 'test/e2e/mcp/mcp-server.test.ts',
  },
  {
    name: 'the host for the EU',
    outcome: 'different',
    how: 'the region of a key, or `model@eu`',
    proof: NAMES_TEST,
  },
  {
    name: 'sandbox keys',
    outcome: 'different',
    how: 'simulated answers that repeat the prompt; `provider` is `sandbox`',
    proof: 'test/e2e/keys/management.test.ts',
  },
  {
    name: 'guardrails of the original',
    outcome: 'not here',
    how: 'scopes of keys, policies and [limits](budgets.md) say who may call what',
  },
  { name: 'a cache of responses', outcome: 'not here', how: 'every call asks a provider' },
  { name: 'credits and their balance', outcome: 'not here', how: 'you pay the providers' },
  { name: '`/v2`', outcome: 'not here', how: 'keys and usage are at `/v3/manage`, tasks at `/v3/universal-ai`' },
]

export const HEADERS: readonly HeaderRow[] = [
  { name: 'authorization', outcome: 'same', proof: 'test/e2e/chat/chat-request.test.ts' },
  { name: 'x-api-key', outcome: 'same', proof: 'test/e2e/formats/messages.test.ts' },
  {
    name: 'x-edenai-metadata',
    outcome: 'same',
    proof: 'test/e2e/formats/original-words.test.ts',
  },
  {
    name: 'x-edenai-tags',
    outcome: 'different',
    how: 'up to 16 tags, values of up to 256 bytes; no reserved prefix; 422 and not 400',
    proof: 'test/e2e/formats/original-words.test.ts',
  },
  { name: 'x-session-id', outcome: 'same', proof: 'test/e2e/ledger/sessions.test.ts' },
  { name: 'x-claude-code-session-id', outcome: 'same', proof: 'test/e2e/ledger/sessions.test.ts' },
  { name: 'x-session-affinity', outcome: 'same', proof: 'src/calls/origin/origin.test.ts' },
  {
    name: 'x-edenai-provider',
    outcome: 'same',
    how: 'on searches and speech; all answers have `x-gatehouse-provider`',
    proof: 'test/e2e/formats/original-words.test.ts',
  },
  {
    name: 'x-edenai-cost',
    outcome: 'same',
    how: 'on searches and speech; all answers have `x-gatehouse-cost`',
    proof: 'test/e2e/formats/original-words.test.ts',
  },
  { name: 'x-edenai-webhook', outcome: 'same', proof: 'test/e2e/jobs/webhooks.test.ts' },
  {
    name: 'x-edenai-signature',
    outcome: 'different',
    how: 'the same signature with your own key; also as `X-Service-Signature`',
    proof: 'test/e2e/jobs/webhooks.test.ts',
  },
  { name: 'x-edenai-hash-algorithm', outcome: 'same', proof: 'test/e2e/jobs/webhooks.test.ts' },
  {
    name: 'user-agent',
    outcome: 'different',
    how: 'webhooks come from `Gatehouse/Webhooks`',
    proof: 'test/e2e/jobs/webhooks.test.ts',
  },
  { name: 'retry-after', outcome: 'same', proof: 'test/e2e/limits/limits.test.ts' },
]

export const ERRORS: readonly ErrorRow[] = [
  { name: '400', outcome: 'same', code: 'unsupported_endpoint', how: 'a model on the wrong endpoint' },
  {
    name: '401',
    outcome: 'different',
    code: 'invalid_api_key',
    how: 'also without a key, where the original says 403',
  },
  {
    name: '402',
    outcome: 'different',
    code: 'budget_exhausted',
    how: 'a budget of yours, and no credit of an account',
  },
  { name: '403', outcome: 'same', code: 'not_allowed', how: 'the key may not use the model or the endpoint' },
  { name: '404', outcome: 'same', code: 'model_not_found', how: 'an unknown model' },
  { name: '408', outcome: 'different', how: 'a provider that is too slow is a 504, `upstream_timeout`' },
  { name: '409', outcome: 'same', code: 'conflict', how: 'a running job cannot be deleted' },
  { name: '413', outcome: 'same', code: 'too_large', how: 'a file that is too large' },
  { name: '415', outcome: 'same', code: 'unsupported_media_type', how: 'a type of file that a provider does not take' },
  { name: '422', outcome: 'same', code: 'validation_error', how: 'with the list `detail`' },
  {
    name: '429',
    outcome: 'same',
    code: 'rate_limit_exceeded',
    how: 'a limit of yours; `rate_limited` is the provider’s',
  },
  { name: '451', outcome: 'same', code: 'region_not_allowed', how: 'the model is not available in the region' },
  { name: '502', outcome: 'different', code: 'upstream_error', how: 'a provider failed, also on `/v3/universal-ai`' },
  { name: '503', outcome: 'same', code: 'overloaded', how: 'the provider has too much to do' },
  {
    name: '{"detail": …}',
    outcome: 'different',
    how: 'every error has `error: { message, type, code, param }`; `detail` only with a 422',
  },
]

const NO_FORMAT = 'answers only with fields that each account defines, so that there is no format to translate'
const NO_HOST = 'ran at an address of the original’s own; no public one was found'

/** Providers of tasks that the original has beside those of docs/tasks.md. */
export const TASK_PROVIDERS: readonly Row[] = [
  different('image/generation/leonardo', 'names a model: `image/generation/leonardo/<model>`'),
  different('image/generation/stabilityai', 'names a model: `image/generation/stability/<model>`'),
  absent('audio/tts/lovoai', 'the reference that could be read names neither its voices nor where recordings are kept'),
  absent('audio/tts/gradium', 'makes no MP3, which callers of this task get unless they ask for another format'),
  absent('audio/speech_to_text_async/gradium', 'takes at most 300 seconds of WAV, PCM or Opus per request'),
  absent('ocr/financial_parser/extracta', NO_FORMAT),
  absent('ocr/resume_parser/extracta', NO_FORMAT),
  absent('ocr/resume_parser/senseloaf', 'no public reference of its API was found'),
  absent('ocr/ocr/ionos', 'is a chat model that takes images; send them to it in a chat'),
  absent('text/named_entity_recognition/tenstorrent', NO_HOST),
  absent('text/topic_extraction/tenstorrent', NO_HOST),
  absent('video/generation_async/openai', 'OpenAI has ended Sora'),
]
