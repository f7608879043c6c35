import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from '../base/schema/type.ts'
import * as chatReply from './chat-reply.ts'
import * as errors from './errors.ts'
import * as files from './files.ts'
import * as images from './images.ts'
import * as keys from './admin/keys.ts'
import * as models from './models.ts'
import * as tokens from './tokens.ts'
import * as reports from './admin/usage.ts'
import * as universal from './universal.ts'
import { validator } from '../base/schema/validator.ts'
import * as webhook from './webhook.ts'

test('replies that clients know are valid', () => {
  const shared = { id: 'c1', created: 1, model: 'sandbox/echo', cost: null, provider: 'sandbox' }
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 4,
    total_tokens: 13,
    prompt_tokens_details: { cached_tokens: 1 },
  }
  const message = { role: 'assistant', content: 'hi', refusal: null, vendor_field: 1 }
  const completion = {
    ...shared,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  }
  assert.ok(validator(chatReply.ChatCompletion).check(completion))
  assert.ok(!validator(chatReply.ChatCompletion).check({ ...completion, object: 'list' }))
  const call = { index: 0, id: 'call_a', type: 'function', function: { name: 'f', arguments: '' } }
  const deltas = [
    { role: 'assistant', content: '', refusal: null },
    { tool_calls: [call] },
    { tool_calls: [{ index: 0 }] },
    {},
  ]
  const chunk = { ...shared, object: 'chat.completion.chunk', usage: null }
  const chunks = deltas.map((delta) => ({
    ...chunk,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  }))
  for (const one of [...chunks, { ...chunk, choices: [], usage }]) assert.ok(validator(chatReply.ChatChunk).check(one))
})

test('jobs, files, models, webhooks, errors and keys have their published shapes', () => {
  const id = '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b'
  const at = '2026-11-15T12:00:00+00:00'
  const task = { feature: 'ocr', subfeature: 'ocr_async', provider: 'sandbox' }
  const job = { public_id: id, job_id: id, status: 'processing', model: null, created_at: at, ...task }
  const file = { file_id: id, file_name: 'a', file_size: 1, file_mimetype: 'b', purpose: 'general', created_at: at }
  const page = { total: 1, page: 1, limit: 100, total_pages: 1 }
  const done = {
    event: 'async_job_completed',
    job_id: id,
    status: 'fail',
    model: null,
    created_at: at,
    finished_at: at,
  }
  const model = { id: 'a/b', object: 'model', created: 1, owned_by: 'a', model_name: 'b', name: 'B' }
  const limits = { scopes: null, expires_at: null, allowed_ips: ['10.0.0.0/8'], former_valid_until: null }
  const key = {
    id,
    name: 'n',
    kind: 'live',
    owner: 'k',
    project: 'k',
    user: null,
    policy: null,
    recording: null,
    region: 'eu',
    ...limits,
  }
  const counts = { requests: 1, failed_requests: 0, unpriced_requests: 0 }
  const sums = {
    ...counts,
    prompt_tokens: 1,
    cached_tokens: 0,
    completion_tokens: 1,
    total_tokens: 2,
    cost: 0.1,
    latency_ms: { p50: 1, p95: 2, p99: null },
  }
  const fault = { loc: ['body', 0], msg: 'Field required', type: 'missing' }
  const error = { message: 'm', type: 't', code: 'c', param: null }
  const samples: [TSchema, object][] = [
    [universal.UniversalResponse, { status: 'success', cost: 0.1, output: {}, ...task }],
    [universal.UniversalJob, { ...job, cost: null }],
    [universal.UniversalJobList, { items: [job], ...page }],
    [files.UploadedFile, file],
    [files.FileList, { items: [{ ...file, metadata: { page_count: 1 }, expires_at: at }], ...page }],
    [files.DeletedFiles, { deleted_count: 1 }],
    [models.ModelList, { object: 'list', data: [{ ...model, regions: [{ code: 'eu', name: 'Europe' }] }] }],
    [webhook.WebhookPayload, { ...done, ...task, error: { message: 'm' } }],
    [errors.ValidationErrorBody, { error, detail: [fault] }],
    [keys.CreatedKey, { ...key, key: 'gh_x', created_at: at, last4: 'abcd' }],
    [keys.KeyList, { items: [{ ...key, created_at: at, last4: 'abcd' }], next_cursor: null }],
    [
      reports.UsageReport,
      {
        from: at,
        to: at,
        group_by: 'day',
        items: [{ group: 'd', name: null, ...sums }],
        total: sums,
        next_cursor: null,
      },
    ],
    [
      images.ImageResponse,
      {
        created: 1,
        data: [{ b64_json: null, url: 'https://example.com', revised_prompt: null }],
        size: 'auto',
        output_format: 'png',
        cost: 0.04,
        provider: 'sandbox',
      },
    ],
    [tokens.CountTokensResponse, { input_tokens: 5 }],
  ]
  for (const [schema, sample] of samples) assert.deepEqual(validator(schema).issues(sample, []), [])
})
