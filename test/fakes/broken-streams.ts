import { eventFrame } from './aws-frames.ts'
import type { Behaviour } from './behaviours.ts'

// Streams of every dialect that look complete although a part of the answer is missing, each beside a whole one.

export type Events = readonly (string | object | Buffer)[]

export function sendBytes(events: Events, dialect = 'openai'): Behaviour {
  const type = dialect === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  const bytes = events.map((event) => {
    if (Buffer.isBuffer(event) || event instanceof Uint8Array) return event
    return Buffer.from(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)
  })
  return (_, response) => void response.writeHead(200, { 'content-type': type }).end(Buffer.concat(bytes))
}

export function named(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

export function claudeStreams() {
  const start = (id: string) =>
    named({
      type: 'message_start',
      message: { id, type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    } as { type: string })
  const text = (piece: string) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } } as { type: string })
  const block = named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
    type: string
  })
  const end = (stop_reason: string | null) =>
    named({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2 } } as { type: string })
  const stop = named({ type: 'message_stop' })
  const call = [
    named({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    } as { type: string }),
    named({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"city":"Be' },
    } as { type: string }),
    named({ type: 'content_block_stop', index: 1 } as { type: string }),
  ]
  const begun = [start('msg_1'), block, text('Hi')]
  const tail = [text(' there'), end('end_turn'), stop]
  return {
    model: 'claude/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error in a named event': [...begun, 'event: error\ndata: {"message":"boom"}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [
        ...begun,
        'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n',
        ...tail,
      ],
      'a piece that is no object': [
        ...begun,
        named({ type: 'content_block_delta', index: 0, delta: 'x' } as { type: string }),
        ...tail,
      ],
      'a text that is a number': [...begun, text(5 as never), ...tail],
      'a text that is an object': [...begun, text({ value: ' there' } as never), ...tail],
      'arguments that are an object': [
        ...[...begun, call[0]!],
        named({
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: { city: 'Berlin' } },
        } as { type: string }),
        ...[call[2]!, end('tool_use'), stop],
      ],
      'thoughts that are a number': [
        ...begun,
        named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 5 } } as {
          type: string
        }),
        ...tail,
      ],
      'a stop reason that says error': [...begun, end('error'), stop],
      'a failure in an event of the format': [
        ...begun,
        named({ type: 'message_error', message: 'boom' } as never),
        ...tail,
      ],
      'message_stop without a stop reason': [...begun, stop],
      'a stop reason that is null': [...begun, end(null), stop],
      'a call without the end of its arguments': [...begun, ...call, end('tool_use'), stop],
      'a second message inside of the first': [...begun, start('msg_2'), ...tail],
      'bytes that are not UTF-8': [...begun, Buffer.from(text('\xff'), 'latin1'), ...tail],
    } as Record<string, Events>,
  }
}

export function geminiStreams() {
  const part = (parts: object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
  })
  const begun = [part([{ text: 'Hi' }])]
  const tail = [part([{ text: ' there' }], 'STOP')]
  const call = {
    name: 'f',
    willContinue: true,
    partialArgs: [{ jsonPath: '$.city', stringValue: 'Be', willContinue: true }],
  }
  return {
    model: 'gemini/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error': [...begun, 'data: {"message":"boom","code":503}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [...begun, 'data: {"candidates":[{"content":{"par\n\n', ...tail],
      'no finish reason': begun,
      'candidates that are no list': [...begun, { candidates: { content: { parts: [{ text: ' there' }] } } }, ...tail],
      'a candidate that is a text': [...begun, { candidates: [' there'] }, ...tail],
      'content that is a text': [...begun, { candidates: [{ index: 0, content: ' there' }] }, ...tail],
      'parts that are a text': [...begun, { candidates: [{ index: 0, content: { parts: ' there' } }] }, ...tail],
      'a part that is a text': [...begun, part([' there' as never]), ...tail],
      'a text that is a number': [...begun, part([{ text: 5 }]), ...tail],
      'a call that is a text': [...begun, part([{ functionCall: 'f()' }]), ...tail],
      'a call without a name': [...begun, part([{ functionCall: { args: { a: 1 } } }]), ...tail],
      'arguments that are a text': [...begun, part([{ functionCall: { name: 'f', args: '{"a' } }]), ...tail],
      'a call without the end of its arguments': [...begun, part([{ functionCall: call }]), part([], 'STOP')],
    } as Record<string, Events>,
  }
}

export function cohereStreams() {
  const text = (piece: unknown) => ({
    type: 'content-delta',
    index: 0,
    delta: { message: { content: { text: piece } } },
  })
  const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }
  const call = (fn: object, type: string) => ({
    type,
    index: 0,
    delta: { message: { tool_calls: { id: 'c', function: fn } } },
  })
  const begun = [{ type: 'message-start', id: 'a' }, text('Hi')]
  const tail = [text(' there'), end]
  return {
    model: 'cohere/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error': [...begun, 'data: {"message":"boom"}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [...begun, 'data: {"type":"content-delta","ind\n\n', ...tail],
      'an end without a reason': [...begun, { type: 'message-end', delta: {} }],
      'a text that is a number': [...begun, text(5), ...tail],
      'a text that is an object': [...begun, text({}), ...tail],
      'a piece that is no object': [...begun, { type: 'content-delta', index: 0, delta: ' there' }, ...tail],
      'content that is a text': [
        ...begun,
        { type: 'content-delta', index: 0, delta: { message: { content: ' there' } } },
        ...tail,
      ],
      'a plan that is an object': [
        ...begun,
        { type: 'tool-plan-delta', delta: { message: { tool_plan: {} } } },
        ...tail,
      ],
      'an end with an error of another name': [
        ...begun,
        { type: 'message-end', delta: { finish_reason: 'ERROR_LIMIT' } },
      ],
      'an end that a user cancelled': [...begun, { type: 'message-end', delta: { finish_reason: 'USER_CANCEL' } }],
      'a call without the end of its arguments': [
        ...[
          ...begun,
          call({ name: 'f', arguments: '' }, 'tool-call-start'),
          call({ arguments: '{"a' }, 'tool-call-delta'),
        ],
        { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
      ],
      'a second message inside of the first': [...begun, { type: 'message-start', id: 'b' }, ...tail],
    } as Record<string, Events>,
  }
}

export function bedrockStreams() {
  const text = (piece: unknown) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece } })
  const stop = (stopReason?: string) => eventFrame('messageStop', { stopReason })
  const toolUse = { toolUseId: 'c', name: 'f' }
  const begun = [eventFrame('messageStart', { role: 'assistant' }), text('Hi')]
  const tail = [text(' there'), stop('end_turn')]
  return {
    model: 'bedrock/x',
    whole: [...begun, ...tail],
    broken: {
      'a piece that is no object': [...begun, eventFrame('contentBlockDelta', { contentBlockIndex: 0 }), ...tail],
      'an end without a reason': [...begun, stop()],
      'a text that is a number': [...begun, text(5), ...tail],
      'a text that is an object': [...begun, text({ value: ' there' }), ...tail],
      'arguments that are an object': [
        ...[...begun, eventFrame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse } })],
        eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: { a: 1 } } } }),
        stop('tool_use'),
      ],
      'output that the model malformed': [...begun, stop('malformed_model_output')],
      'a call without the end of its arguments': [
        ...[...begun, eventFrame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse } })],
        eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"a' } } }),
        stop('tool_use'),
      ],
    } as Record<string, Events>,
  }
}

export function responsesStreams(): Record<string, Events> {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output: [] }
  const created = (id: string) =>
    named({ type: 'response.created', response: { ...response, id, status: 'in_progress' } } as { type: string })
  const text = named({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' } as { type: string })
  const completed = named({ type: 'response.completed', response } as { type: string })
  const call = [
    named({
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', call_id: 'c', name: 'f' },
    } as { type: string }),
    named({ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a' } as { type: string }),
  ]
  const begun = [created('resp_1'), text]
  return {
    'a flat error in a named event': [...begun, 'event: error\ndata: {"message":"boom"}\n\n', completed],
    'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', completed],
    'a flat error object': [...begun, 'data: {"object":"error","message":"boom"}\n\n', completed],
    'an event that is cut off': [...begun, 'data: {"type":"response.output_text.del\n\n', completed],
    'a piece that is no text': [
      ...begun,
      named({ type: 'response.output_text.delta', delta: 5 } as { type: string }),
      completed,
    ],
    'a piece without text': [...begun, named({ type: 'response.output_text.delta' } as { type: string }), completed],
    'arguments that are an object': [
      ...[...begun, call[0]!],
      named({ type: 'response.function_call_arguments.delta', output_index: 1, delta: { a: 1 } } as { type: string }),
      completed,
    ],
    'a response that is no object': [
      ...begun,
      named({ type: 'response.completed', response: 'x' } as { type: string }),
    ],
    'an end with the status failed': [
      ...begun,
      named({ type: 'response.completed', response: { ...response, status: 'failed' } } as { type: string }),
    ],
    'an end with an error': [
      ...begun,
      named({ type: 'response.completed', response: { ...response, error: { message: 'boom' } } } as { type: string }),
    ],
    'a nested error': [...begun, named({ type: 'error', error: { message: 'boom' } } as { type: string }), completed],
    'a failed response': [...begun, named({ type: 'response.failed', response } as { type: string }), completed],
    'a cancelled response': [...begun, named({ type: 'response.cancelled', response } as { type: string })],
    'bytes that are not UTF-8': [...begun, Buffer.from(text.replace('Hi', '\xff'), 'latin1'), completed],
    'a call without the end of its arguments': [...begun, ...call, completed],
    'a second response inside of the first': [...begun, created('resp_2'), completed],
    'no end': [...begun],
  }
}
