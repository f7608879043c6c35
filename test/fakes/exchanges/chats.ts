import { OWN, OWN_EVENTS } from '../own-response.ts'
import { DIALECT_SAMPLES } from '../recordings.ts'
import type { Exchange } from './exchange.ts'
import { FORMATS, TURNS } from './formats.ts'

/** The recorded answers of every dialect to the same question in every format, whole and streamed. */
export const CHATS: Exchange[] = Object.entries(DIALECT_SAMPLES).flatMap(([dialect, { recordings }]) =>
  recordings.flatMap(({ name, whole, frames, request }) =>
    Object.entries(FORMATS).flatMap(([format, { path, plain }]): Exchange[] => {
      const model = `my-${dialect}/m`
      const named = `${format}, ${dialect}, ${name}`
      const body = { model, ...plain, ...(request.n && format === 'chat' && { n: request.n }) }
      const exchange = { name: named, path: path(model), body, answer: whole }
      if (dialect === 'bedrock') return [exchange]
      return [
        exchange,
        streamed(
          exchange,
          frames.map((frame) => Buffer.from(frame).toString()),
        ),
      ]
    }),
  ),
)

function streamed({ name, path, body }: Exchange, answer: string[]): Exchange {
  const events = path.replace(':generateContent', ':streamGenerateContent?alt=sse')
  return {
    name: `${name}, streamed`,
    path: events,
    body: { ...body, ...(events === path && { stream: true }) },
    answer,
  }
}

/** As many fields as a request can have, in every format and for every dialect. */
export const ASKS: Exchange[] = Object.entries(FORMATS).flatMap(([format, { path, all }]) =>
  Object.entries(DIALECT_SAMPLES).map(([dialect, { recordings }]) => {
    const model = `my-${dialect}/m`
    const whole = recordings.find(({ name }) => /text/.test(name))?.whole ?? recordings[0]!.whole
    return { name: `${format}, ${dialect}, every field`, path: path(model), body: { model, ...all }, answer: whole }
  }),
)

const NATIVE: Exchange = {
  name: 'responses, native',
  path: '/v3/responses',
  body: { model: 'openai/gpt-5-pro', input: 'Hi' },
  answer: JSON.stringify(OWN),
}
/** Requests to the provider's own responses endpoint. */
export const NATIVES: Exchange[] = [
  NATIVE,
  streamed(
    NATIVE,
    OWN_EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  ),
  {
    ...NATIVE,
    name: 'chat by responses',
    path: '/v3/chat/completions',
    body: { model: 'openai/gpt-5-pro', messages: TURNS.slice(0, 2) },
  },
  { ...NATIVE, name: 'compact', path: '/v3/responses/compact', body: { model: 'openai/gpt-5-pro', input: 'Hi' } },
]
