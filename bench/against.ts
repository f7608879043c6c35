// Two checkouts of Gatehouse side by side: how much CPU this one takes for what the other does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { intervalOfMedian, othersShare, pairedRatios } from './bench-figures.ts'
import { type Contender, localUrl, startModules, startOther } from './contenders.ts'
import { loadGenerator } from './load.ts'
import { percent, table } from './markdown.ts'
import { checkAnswer, STREAMS_TITLE, streamWork, WHOLE, wholeWork } from './scenarios.ts'
import type { ScenarioName, Settings } from './settings.ts'
import { type Doing, runSlices, type Slice } from './slices.ts'
import { figuresOf } from './targets.ts'
import { startNodeUpstream, startWholeUpstream, type Upstream } from './upstream.ts'
import { freePort, type Workplace } from './workplace.ts'

/** Neither memory nor the ledger's share is a pair of slices, and one connection measures waiting. */
const COMPARED: readonly ScenarioName[] = ['small', 'large', 'streams']
/** V8 optimizes the same program a little differently in each process, so that one pair of processes may differ by a sixth. */
const STARTS = 4

export async function compareCheckouts(workplace: Workplace, settings: Settings, folder: string): Promise<string> {
  const rows: string[][] = []
  const env = await variablesOf(workplace, settings)
  for (const name of COMPARED.filter((one) => settings.only.includes(one))) {
    const upstream = await (name === 'streams' ? startNodeUpstream(workplace) : startWholeUpstream(workplace))
    const { title, work } = scenarioOf(name, upstream, { workplace, settings })
    process.stderr.write(`${title}\n`)
    const starts: Slice[][] = []
    for (const slices of slicesOfStarts(settings.slices)) {
      const contenders = await startBoth(workplace, upstream, { folder, env })
      starts.push(await runSlices(contenders, { ...settings, slices }, work))
      await Promise.all(contenders.map(({ running }) => running?.stop()))
    }
    rows.push(rowOf(title, starts))
    await upstream.running.stop()
  }
  return table(['scenario', 'CPU, this ÷ other (95 % of the median)', 'pairs', 'other work'], rows)
}

function scenarioOf(name: ScenarioName, upstream: Upstream, run: { workplace: Workplace; settings: Settings }) {
  const { workplace, settings } = run
  const scenario = WHOLE[name]
  if (!scenario) return { title: STREAMS_TITLE, work: streamWork(upstream, settings.seconds) }
  const work: Doing = wholeWork(loadGenerator(workplace), scenario, settings.seconds)
  return { title: scenario.title, work }
}

/** What this checkout has and the other one has not. */
async function variablesOf(workplace: Workplace, settings: Settings): Promise<Record<string, string>> {
  const sections = { ...(settings.limits && FOUR_LIMITS), ...(settings.guardrails && THREE_CHECKS) }
  const telemetry = settings.telemetry ? await startCollector(workplace) : {}
  return { ...configWith(sections, workplace), ...telemetry, ...settings.env }
}

/** Every call is sampled, and metrics are pushed: what OpenTelemetry's defaults say. */
async function startCollector(workplace: Workplace): Promise<Record<string, string>> {
  const port = await freePort()
  const parameters = [join(import.meta.dirname, 'collector.ts'), String(port)]
  await workplace.start({ name: 'collector', command: process.execPath, parameters }, localUrl(port, '/ready'))
  return { OTEL_EXPORTER_OTLP_ENDPOINT: localUrl(port, '') }
}

type Sides = { folder: string; env: Record<string, string> }

async function startBoth(workplace: Workplace, upstream: Upstream, { folder, env }: Sides): Promise<Contender[]> {
  const contenders = [
    await startModules(workplace, upstream.baseUrl, env),
    await startOther(workplace, upstream.baseUrl, folder),
  ]
  for (const contender of contenders) await checkAnswer(contender)
  return contenders
}

const all = { appliesTo: 'all' }
/** Two budgets and two rate limits that apply to every call, and that none of them exhausts. */
const FOUR_LIMITS = {
  budgets: [
    { ...all, id: 'month', limit: 1_000_000, window: 'month', timezone: 'Europe/Paris' },
    { appliesTo: 'project:default', id: 'day', limit: 1_000_000, window: 'day', per: 'key' },
  ],
  rateLimits: [
    { ...all, id: 'rpm', per: 'key', unit: 'requests', limit: 100_000_000, window: 'minute' },
    { ...all, id: 'tpm', unit: 'tokens', limit: 1_000_000_000_000, window: 'minute' },
  ],
}
/** The three checks inside of the gateway, on every request and answer. They find nothing. */
const THREE_CHECKS = {
  guardrails: [
    {
      ...all,
      id: 'words',
      action: 'block',
      checks: [{ check: 'patterns', words: ['Project Falcon', 'Blue Moon', 'osprey'] }],
    },
    { ...all, id: 'secrets', action: 'block', checks: [{ check: 'secrets' }] },
    { ...all, id: 'pii', action: 'redact', checks: [{ check: 'personal_data' }] },
  ],
}

/** Variables that name a config file with these sections; none if there are no sections. */
function configWith(sections: object, { folder }: Workplace): Record<string, string> {
  if (Object.keys(sections).length === 0) return {}
  const file = join(folder, 'against.config.json')
  writeFileSync(file, JSON.stringify(sections))
  return { GATEHOUSE_CONFIG: file }
}

/** How many slices there are with each pair of processes. */
export function slicesOfStarts(slices: number): number[] {
  const starts = Math.min(STARTS, slices)
  return Array.from({ length: starts }, (_, at) => Math.ceil((slices - at) / starts))
}

function rowOf(title: string, starts: readonly Slice[][]): string[] {
  const ratios = starts.flatMap((slices) =>
    pairedRatios(figuresOf(slices, 'gatehouse', 'cpu'), figuresOf(slices, 'other', 'cpu')),
  )
  const slices = starts.flat()
  return [
    title,
    ratioIn(ratios, slices),
    String(ratios.length),
    percent(othersShare(slices.map(({ machine }) => machine))),
  ]
}

/** A scenario whose slices are all void has no ratio, but a reason. */
function ratioIn(ratios: readonly number[], slices: readonly Slice[]): string {
  if (ratios.length === 0) return `no valid pair: ${slices.flatMap(({ errors }) => errors)[0] ?? 'no slice'}`
  const { low, middle, high } = intervalOfMedian(ratios)
  return `**${middle.toFixed(3)}** (${low.toFixed(3)}–${high.toFixed(3)})`
}
