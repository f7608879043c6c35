// What the other formats cost over a chat: `node bench/formats.ts [slices] [seconds]`. One gateway, one upstream, the same
// conversation as a chat, as messages and as a response, in slices that take turns.
import { join } from 'node:path'
import { median, rotated, spread } from './bench-figures.ts'
import { type Contender, startGatehouse } from './contenders.ts'
import { treeCpuUs } from './cpu.ts'
import { type LoadGenerator, loadGenerator } from './load.ts'
import { chatBody } from './payload.ts'
import { freePort, openWorkplace, type Workplace } from './workplace.ts'

const MAX = 1.3
const BODY_BYTES = 1_024
const CONNECTIONS = 16
const WARM_UP_SLICES = 3

type Format = { name: string; path: string; body: string }

const [slices = 8, seconds = 2] = process.argv.slice(2).map(Number)
const workplace = openWorkplace()
try {
  const gatehouse = await startGatehouse(workplace, await startUpstream(workplace))
  const load = loadGenerator(workplace)
  const formats = formatsOf(gatehouse.model)
  const rounds = await measure(formats, gatehouse, load)
  const isMet = formats.slice(1).map((format, at) => report(format.name, rounds, at + 1))
  process.exitCode = isMet.every(Boolean) ? 0 : 1
} finally {
  await workplace.close()
}

async function startUpstream({ start }: Workplace): Promise<string> {
  const port = await freePort()
  const parameters = [join(import.meta.dirname, 'node-upstream.ts'), String(port)]
  const program = { name: 'upstream', command: process.execPath, parameters }
  await start(program, `http://127.0.0.1:${port}/ready`)
  return `http://127.0.0.1:${port}/v1`
}

/** Responses are not stored: storing them measures the disk, and a chat has no such step. */
function formatsOf(model: string): Format[] {
  const chat = JSON.parse(chatBody(model, BODY_BYTES))
  const { messages, max_tokens, temperature } = chat
  const responses = { model, input: messages, max_output_tokens: max_tokens, temperature, store: false }
  return [
    { name: 'chat', path: '/v3/chat/completions', body: JSON.stringify(chat) },
    { name: 'messages', path: '/v3/v1/messages', body: JSON.stringify({ model, messages, max_tokens, temperature }) },
    { name: 'responses', path: '/v3/responses', body: JSON.stringify(responses) },
  ]
}

/** CPU per request of every format, in microseconds, round by round. */
async function measure(formats: Format[], contender: Contender, load: LoadGenerator): Promise<number[][]> {
  for (let slice = 0; slice < WARM_UP_SLICES; slice++)
    for (const format of formats) await cpuPerRequest(format, contender, load)
  const rounds: number[][] = []
  for (let round = 0; round < slices; round++) {
    const figures: number[] = []
    for (const format of rotated(formats, round))
      figures[formats.indexOf(format)] = await cpuPerRequest(format, contender, load)
    rounds.push(figures)
  }
  return rounds
}

async function cpuPerRequest({ path, body }: Format, { url, headers, running }: Contender, load: LoadGenerator) {
  const before = treeCpuUs(running!.pid)
  const request = { url: new URL(path, url).href, headers, body, connections: CONNECTIONS, seconds }
  const { count, errors } = await load.run(request)
  if (errors > 0 || count === 0) throw new Error(`${path}: ${errors} errors, ${count} answers`)
  return (treeCpuUs(running!.pid) - before) / count
}

function report(name: string, rounds: number[][], at: number): boolean {
  const ratios = rounds.map((figures) => figures[at]! / figures[0]!)
  const { low, middle, high } = spread(ratios)
  const isMet = middle <= MAX
  const us = Math.round(median(rounds.map((figures) => figures[at]!)))
  const figure = `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}), ${us} µs`
  console.log(`${name} ÷ chat, CPU per request: ${figure}; at most ${MAX}: ${isMet ? 'met' : 'NOT MET'}`)
  return isMet
}
