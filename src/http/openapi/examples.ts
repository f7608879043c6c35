// What the document gives as examples. A test sends all of them to the sandbox.

/** The smallest PNG: one black pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

/** Stands for the id of something that the reader created. */
export const EXAMPLE_ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

/** Stands for what is behind the `#` of a link. */
export const EXAMPLE_TOKEN = 'the token of the link'

const ask = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }] }
const task = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }

const person = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }

/** By the title of the schema. Bodies and replies with that schema include them. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ChatRequest: ask,
  ChatCompletion: {
    id: 'chatcmpl-3ce9512391320f46618568e2',
    object: 'chat.completion',
    created: 1767225600,
    model: 'sandbox/echo',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    cost: 0,
    provider: 'sandbox',
  },
  SearchRequest: { query: 'highest mountain of the Alps', model: 'sandbox', max_results: 2 },
  CreateBatchRequest: { endpoint: '/v3/chat/completions', requests: [{ custom_id: 'one', body: ask }] },
  CreateMessageBatch: { requests: [{ custom_id: 'one', params: { ...ask, max_tokens: 100 } }] },
  BatchGenerateContentRequest: {
    batch: {
      displayName: 'a greeting',
      inputConfig: {
        requests: { requests: [{ request: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] } }] },
      },
    },
  },
  CreateUploadRequest: { filename: 'notes.txt', purpose: 'user_data', bytes: 12, mime_type: 'text/plain' },
  CompleteUploadRequest: { part_ids: ['part_3fa85f6457174562b3fc2c963f66afa6'] },
  GeminiUploadRequest: { file: { displayName: 'notes.txt' } },
  AcceptInvitationRequest: { token: EXAMPLE_TOKEN, name: 'Ada', password: person.password },
  ChangeMeRequest: { name: 'Ada' },
  ChangeMemberRequest: { role: 'manager' },
  ChangeUserRequest: { name: 'Ada' },
  LinkIdentityRequest: { provider: 'company', current_password: person.password },
  CreateInvitationRequest: { email: person.email, role: 'member' },
  CreateMemberRequest: { user: EXAMPLE_ID, role: 'member', project: 'research' },
  CreateTokenRequest: { name: 'deployments' },
  CreateUserRequest: { kind: 'service', name: 'deployments', role: 'auditor' },
  SetupRequest: { token: EXAMPLE_TOKEN, ...person },
  SignInRequest: { email: person.email, password: person.password },
  BulkKeysRequest: { action: 'revoke', filter: { project: 'search', state: 'expired' } },
  BulkJobsRequest: { action: 'retry', filter: { feature: 'ocr', from: '2026-11-15T00:00:00Z' } },
  TestModelRequest: { model: 'sandbox/echo' },
  RedeliverRequest: { filter: { from: '2026-11-15T00:00:00Z' } },
  TestDeliveryRequest: { url: 'https://hooks.example/gatehouse' },
  ChangeAliasRequest: { targets: [{ model: 'sandbox/echo' }] },
  ChangeConfigRequest: { log_level: 'info' },
  ChangeCredentialRequest: { weight: 3 },
  CohereChatRequest: ask,
  CollectionItemRequest: { file: EXAMPLE_ID },
  CollectionRequest: { model: 'image/face_recognition/amazon', name: 'Visitors' },
  CompletionsRequest: { model: 'sandbox/echo', prompt: 'Hello!' },
  ChangeConversationRequest: { metadata: { topic: 'greetings' } },
  CompactRequest: { model: 'openai/gpt-5.4', input: 'Hello!' },
  ConversationItemsRequest: { items: [{ type: 'message', role: 'user', content: 'Hello!' }] },
  ConversationRequest: { metadata: { topic: 'greetings' } },
  CountTokensRequest: ask,
  ChangeBudgetRequest: { limit: 80, mode: 'shadow' },
  ChangeRateLimitRequest: { limit: 120 },
  CreateBudgetRequest: { applies_to: 'project:research', limit: 50, window: 'month', timezone: 'Europe/Paris' },
  CreateRateLimitRequest: { applies_to: 'project:research', per: 'key', unit: 'requests', limit: 60, window: 'minute' },
  SimulateBudgetRequest: { applies_to: 'project:research', limit: 50, window: 'month', days: 30 },
  SimulateRateLimitRequest: {
    applies_to: 'project:research',
    per: 'key',
    unit: 'requests',
    limit: 60,
    window: 'minute',
    days: 7,
  },
  TestAlertRequest: { receiver: 'ops' },
  CreateAliasRequest: { name: 'fast', targets: [{ model: 'sandbox/echo' }] },
  CreateCredentialRequest: { provider: 'openai', name: 'team-a', secret: 'sk-example-not-a-key' },
  CreateKeyRequest: { name: 'Search team' },
  PreviewKeyRequest: { scopes: ['chat', 'model:sandbox/*'] },
  CreateOrganizationRequest: { name: 'Customers' },
  CreateProjectRequest: { name: 'Research', policy: { data_policy: 'no_training' } },
  DeleteFilesRequest: { file_ids: [EXAMPLE_ID] },
  EmbedRequest: { model: 'cohere/embed-v4.0', texts: ['Hello!'], input_type: 'search_query' },
  EmbeddingsRequest: { model: 'openai/text-embedding-3-small', input: ['Hello!'] },
  BatchEmbedContentsRequest: { requests: [{ content: { parts: [{ text: 'Hello!' }] } }] },
  EmbedContentRequest: { content: { parts: [{ text: 'Hello!' }] } },
  GeminiCountRequest: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
  GenerateContentRequest: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
  ImageEditForm: { model: 'sandbox/image', prompt: 'Add a door.', image: ['the bytes of an image'] },
  ImageEditRequest: { model: 'sandbox/image', prompt: 'Add a door.', images: [{ image_url: PIXEL }] },
  ImageGenerationRequest: { model: 'sandbox/image', prompt: 'A door' },
  DeviceForm: { device_name: 'laptop' },
  OtlpBatch: { resourceMetrics: [] },
  TokenForm: { grant_type: 'refresh_token', refresh_token: 'the refresh token of the last answer' },
  RevocationForm: { token: 'an access token or a refresh token' },
  DeviceStep: { step: 'code', code: 'WDJB-MJHT' },
  LogoutForm: { logout_token: 'eyJ0eXAiOiJsb2dvdXQrand0In0.e30.signature' },
  MessagesRequest: { ...ask, max_tokens: 100 },
  InputTokensRequest: { model: 'sandbox/echo', input: 'Hello!' },
  ModerationsRequest: { input: 'Hello!' },
  ExplainRequest: ask,
  AnthropicUploadForm: { file: 'the bytes of a file' },
  UploadPartForm: { data: 'the bytes of a part' },
  OpenAIUploadForm: { purpose: 'assistants', file: 'the bytes of a file' },
  RerankRequest: { model: 'sandbox/rerank', query: 'Who lives here?', documents: ['A cat lives here.', 'It rains.'] },
  ResponsesRequest: { model: 'sandbox/echo', input: 'Hello!' },
  LiftSessionRequest: { id: EXAMPLE_ID, limit_id: 'per-session' },
  RecordKeyRequest: { requests: 20, expires_in_seconds: 3_600 },
  RotateKeyRequest: { overlap_seconds: 86_400 },
  SpeechRequest: { model: 'openai/tts-1', input: 'Hello!', voice: 'alloy' },
  TranscriptionForm: { model: 'openai/whisper-1', file: 'the bytes of a recording' },
  TranscriptionRequest: { model: 'openai/whisper-1', file_id: EXAMPLE_ID },
  TranslationForm: { model: 'openai/whisper-1', file: 'the bytes of a recording' },
  TranslationRequest: { model: 'openai/whisper-1', file_id: EXAMPLE_ID },
  UniversalAsyncRequest: task,
  UniversalRequest: task,
  UpdateOrganizationRequest: { name: 'Customers' },
  UpdateProjectRequest: { name: 'Research' },
  UpdateKeyRequest: { name: 'Search team', allowed_ips: ['203.0.113.0/24'] },
  UploadForm: { purpose: 'general', file: 'the bytes of a file' },
}

/** By the path, if the example of a path parameter is not that of its name. */
export const EXAMPLES_BY_PATH: Readonly<Record<string, string>> = {
  '/v3/v1beta/models/{model}:embedContent': 'openai/text-embedding-3-small',
  '/v3/v1beta/models/{model}:batchEmbedContents': 'openai/text-embedding-3-small',
  '/v3/search/{provider}': 'sandbox',
}

/** By the name of the path parameter. */
export const EXAMPLES_IN_PATHS: Readonly<Record<string, string>> = {
  agent_session: 'eyJrIjoiazEiLCJzIjoiczEifQ',
  alias: 'fast',
  asset: 'console.css',
  call_id: 'req_example',
  collection_id: EXAMPLE_ID,
  conversation_id: `conv_${EXAMPLE_ID.replaceAll('-', '')}`,
  conversation_item_id: `msg_${EXAMPLE_ID.replaceAll('-', '')}_i0`,
  end_user: 'user-7',
  feature: 'text',
  file: EXAMPLE_ID.replaceAll('-', ''),
  file_id: EXAMPLE_ID,
  id: EXAMPLE_ID,
  item_id: 'face-1',
  job_id: EXAMPLE_ID,
  limit_id: 'research',
  model: 'sandbox/echo',
  name: 'company',
  organization: 'customers',
  project: 'research',
  upload: EXAMPLE_ID,
  upload_id: `upload_${EXAMPLE_ID.replaceAll('-', '')}`,
  response_id: `resp_${EXAMPLE_ID.replaceAll('-', '')}`,
  subfeature: 'moderation',
  token_id: EXAMPLE_ID,
}
