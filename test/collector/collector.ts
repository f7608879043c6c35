import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/platform/net/free-port.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'

// `npm run collector`: what a real OpenTelemetry Collector understands of our spans and metrics. Needs Go, with which its own
// builder makes the collector of builder.yaml (minutes, once); or COLLECTOR names a collector with the debug exporter.

const BUILDER = 'go.opentelemetry.io/collector/cmd/builder@v0.124.0'
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gatehouse-collector')
const BUILT = join(CACHE, 'dist', 'otelcol')
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PROTOCOLS = ['http/json', 'http/protobuf', 'grpc']
const READY = 'Everything is ready'
/** What its debug exporter writes about our call. */
const UNDERSTOOD = [
  /Trace ID\s*: 0af7651916cd43dd8448eb211c80319c\n\s*Parent ID\s*: b7ad6b7169203331/,
  /Name\s*: POST \/v3\/chat\/completions\n\s*Kind\s*: Server/,
  /Name\s*: chat fail-500\n\s*Kind\s*: Client/,
  /Status code\s*: Error\n\s*Status message\s*: server_error/,
  /-> gen_ai\.request\.temperature: Double\(1\)/,
  /-> gen_ai\.usage\.input_tokens: Int\(\d+\)/,
  /-> gen_ai\.response\.finish_reasons: Slice\(\["stop"\]\)/,
  /-> gatehouse\.fallback_from: Str\(sandbox\/fail-500\)/,
  /-> service\.name: Str\(gatehouse\)/,
  // What Langfuse, Phoenix and Datadog read: users, sessions, tags and cost.
  ...['user\\.id: Str\\(ada\\)', 'session\\.id: Str\\(visit-7\\)'].map((line) => new RegExp(`-> ${line}`)),
  // Tags have no order.
  ...['langfuse\\.trace\\.tags', 'tag\\.tags'].map(
    (name) => new RegExp(`-> ${name}: Slice\\(\\[(?=.*"session_id=visit-7")(?=.*"team=search")"[^"]+","[^"]+"\\]\\)`),
  ),
  /-> gen_ai\.usage\.cost: Double\(\d/,
  /-> llm\.cost\.total: Double\(\d/,
  /-> gen_ai\.provider\.name: Str\(sandbox\)/,
  /-> Name: gen_ai\.client\.operation\.duration\n(?:.*\n){1,3}\s*-> DataType: Histogram/,
  /-> Name: gatehouse_requests_total\n(?:.*\n){1,3}\s*-> DataType: Sum\n\s*-> IsMonotonic: true/,
]

const program = process.env.COLLECTOR ?? (existsSync(BUILT) ? BUILT : await build())
if (program) for (const protocol of PROTOCOLS) await rehearse(program, protocol)

/** Modules are verified against Go's checksum database, as always. */
async function build(): Promise<string | undefined> {
  await mkdir(CACHE, { recursive: true })
  await copyFile(join(import.meta.dirname, 'builder.yaml'), join(CACHE, 'builder.yaml'))
  const options = { cwd: CACHE, env: { ...process.env, GOBIN: CACHE }, stdio: 'inherit' } as const
  try {
    execFileSync('go', ['install', BUILDER], options)
    execFileSync(join(CACHE, 'builder'), ['--config', 'builder.yaml'], options)
    return BUILT
  } catch (error) {
    console.log(`skipped: no collector could be built with Go (${(error as Error).message})`)
    return undefined
  }
}

async function rehearse(collectorProgram: string, protocol: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-collector-'))
  const port = await freePort('127.0.0.1', 0)
  const collector = await startCollector(collectorProgram, folder, settingsFor(port, protocol))
  try {
    await callGateway(`http://127.0.0.1:${port}`, protocol)
    collector.stop()
    check(await collector.output, protocol)
  } finally {
    collector.stop()
    await rm(folder, { recursive: true })
  }
}

/** Its debug exporter writes everything that it has understood. */
async function startCollector(collectorProgram: string, folder: string, settings: string) {
  const file = join(folder, 'collector.yaml')
  await writeFile(file, settings)
  const child = spawn(collectorProgram, ['--config', `file:${file}`], { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  const isReady = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      text += String(chunk)
      if (text.includes(READY)) resolve()
    })
    child.once('exit', () => reject(new Error(`the collector ended: ${text}`)))
    child.once('error', reject)
  })
  const output = once(child, 'close').then(() => text)
  await isReady
  return { output, stop: () => child.kill('SIGTERM') }
}

function settingsFor(port: number, protocol: string): string {
  const receiver = { [protocol === 'grpc' ? 'grpc' : 'http']: { endpoint: `127.0.0.1:${port}` } }
  const pipeline = { receivers: ['otlp'], exporters: ['debug'] }
  return JSON.stringify({
    receivers: { otlp: { protocols: receiver } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { traces: pipeline, metrics: pipeline } },
  })
}

async function callGateway(endpoint: string, protocol: string): Promise<void> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }
  const gateway = await startGateway({ env })
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    'x-gatehouse-tags': 'team=search,session_id=visit-7',
  }
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: 'sandbox/fail-500', fallbacks: ['sandbox/echo'], temperature: 1, user: 'ada', messages }
  const asked = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${gateway.url}/v3/chat/completions`, asked)
  assert.equal(answer.status, 200)
  await answer.text()
  // What waits is sent at the end.
  await gateway.close()
  assert.ok(!gateway.logs().includes('telemetry did not reach the collector'), gateway.logs())
}

function check(output: string, protocol: string): void {
  for (const pattern of UNDERSTOOD) assert.match(output, pattern)
  console.log(`${protocol}: a real collector has understood all of ${UNDERSTOOD.length} things`)
}
