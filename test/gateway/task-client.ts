import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UploadedFile } from '../../src/contract/files.ts'
import type { UniversalJob, UniversalResponse } from '../../src/contract/universal.ts'
import type { Refusal } from './admin-client.ts'
import { type FormPart, formOf } from './form.ts'
import { API_KEY } from './gateway-under-test.ts'

const POLL_MS = 20

export type Reply<Body> = { status: number; headers: Headers; text: string; body: Body }

export type TaskClient = {
  get<Body = Refusal>(path: string, headers?: Record<string, string>): Promise<Reply<Body>>
  post<Body = Refusal>(path: string, body: object, headers?: Record<string, string>): Promise<Reply<Body>>
  delete<Body = Refusal>(path: string): Promise<Reply<Body>>
  /** Uploads a form with these parts. */
  upload(...parts: FormPart[]): Promise<Reply<UploadedFile & Refusal>>
  /** An upload that has to succeed. */
  store(content: string | Uint8Array, filename?: string, fields?: Record<string, string>): Promise<UploadedFile>
  run(body: object): Promise<Reply<UniversalResponse & Refusal>>
  submit(body: object, headers?: Record<string, string>): Promise<Reply<UniversalJob & Refusal>>
  /** Waits for the end of the job. */
  ended(id: string): Promise<UniversalJob>
}

/** A plain HTTP client of uploads, tasks and jobs. */
export function taskClient(url: string, key = API_KEY): TaskClient {
  return {
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    delete: (path) => call('DELETE', path),
    upload,
    store,
    run: (body) => call('POST', '/v3/universal-ai', body),
    submit: (body, headers) => call('POST', '/v3/universal-ai/async', body, headers),
    ended,
  }

  async function call<Body>(method: string, path: string, body?: object, headers?: Record<string, string>) {
    const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
    return send<Body>(method, path, { ...type, ...headers }, body ? JSON.stringify(body) : null)
  }

  function upload(...parts: FormPart[]): Promise<Reply<UploadedFile & Refusal>> {
    const { type, body } = formOf(parts)
    return send('POST', '/v3/upload', { 'content-type': type }, body)
  }

  async function store(content: string | Uint8Array, filename = 'file.bin', fields: Record<string, string> = {}) {
    const settings = Object.entries(fields).map(([name, value]) => ({ name, content: value }))
    const { status, body, text } = await upload(...settings, { name: 'file', filename, content })
    assert.equal(status, 200, text)
    return body
  }

  async function ended(id: string): Promise<UniversalJob> {
    for (;;) {
      const { status, body, text } = await call<UniversalJob>('GET', `/v3/universal-ai/async/${id}`)
      assert.equal(status, 200, text)
      if (body.status !== 'processing') return body
      await sleep(POLL_MS)
    }
  }

  async function send<Body>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | Buffer | null,
  ): Promise<Reply<Body>> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
}
