import type { ServerResponse } from 'node:http'
import { SOME_USAGE, type Usage } from './openai-events.ts'
import { hangUp } from './hang-up.ts'
import type { SeenRequest } from './provider.ts'

/** What the fake provider does with one call. */
export type Behaviour = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

export type AnswerOptions = { content?: string | null; usage?: Usage | null; extra?: object; message?: object }

/** A whole chat completion; `extra` goes to the top level, `message` into the message. */
export function answer({ content = 'Hello.', usage = SOME_USAGE, extra, message }: AnswerOptions = {}): Behaviour {
  return (request, response) => {
    const choice = {
      index: 0,
      message: { role: 'assistant', content, refusal: null, annotations: [], ...message },
      logprobs: null,
      finish_reason: 'stop',
    }
    sendJson(response, 200, { ...envelope(request), choices: [choice], ...(usage ? { usage } : {}), ...extra })
  }
}

/** Any status; an object goes out as JSON, a string as it is. */
export function status(code: number, body: object | string, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => {
    if (typeof body !== 'string') return sendJson(response, code, body, headers)
    response.writeHead(code, { 'content-type': 'text/plain', ...headers }).end(body)
  }
}

/** An error in the shape that the OpenAI format uses for all errors. */
export function failure(
  code: number,
  error: { message?: string; type?: string; code?: string | null; param?: string | null } = {},
  headers: Record<string, string> = {},
): Behaviour {
  const whole = { message: 'Something failed.', type: 'server_error', param: null, code: null, ...error }
  return status(code, { error: whole }, headers)
}

/** Accepts the request and never answers. */
export function silence(): Behaviour {
  return () => {}
}

/** Sends the headers of an answer, and then nothing. */
export function hangAfterHeaders(contentType = 'text/event-stream'): Behaviour {
  return (_, response) => {
    response.writeHead(200, { 'content-type': contentType }).flushHeaders()
  }
}

/** Writes raw bytes to the socket instead of an HTTP response, then FIN or RST. */
export function rawBytes(bytes: string | Uint8Array, end: 'fin' | 'rst' = 'fin'): Behaviour {
  return (_, response) => {
    response.socket?.write(bytes, () => hangUp(response, end))
  }
}

export function html(code = 200): Behaviour {
  return status(code, '<!doctype html><title>502 Bad Gateway</title>', { 'content-type': 'text/html' })
}

export function emptyBody(code = 200): Behaviour {
  return status(code, '', { 'content-type': 'application/json' })
}

/** Begins an answer, and breaks. */
export function closeBeforeHeaders(end: 'fin' | 'rst' = 'fin'): Behaviour {
  return rawBytes('HTTP/1.1 ', end)
}

export function redirect(location = '/v1/elsewhere', code = 307): Behaviour {
  return status(code, '', { location })
}

function envelope({ body }: SeenRequest) {
  const model = (body as { model?: unknown } | null)?.model ?? 'fake-model'
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_750_000_000,
    model,
    system_fingerprint: 'fp_fake',
  }
}

function sendJson(response: ServerResponse, code: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', 'x-request-id': 'req_fake', ...headers })
  response.end(JSON.stringify(body))
}
