// Gatehouse under V8's sampling profiler: the ledger's share of its busy time, and the hottest functions.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, startModules } from './contenders.ts'
import type { Doing } from './slices.ts'
import { STEP_NAMES, stepsOfNodes } from './steps.ts'
import type { Workplace } from './workplace.ts'

const LEDGER_FILES = ['/src/money/billing/ledger.ts', '/src/money/billing/ledger-writer.ts', '/src/platform/store/']
const IDLE = '(idle)'
const SAMPLE_EVERY_US = 250

type CallFrame = { functionName: string; url: string; lineNumber: number }
export type ProfileNode = { id: number; callFrame: CallFrame; children?: number[] }
export type CpuProfile = { startTime: number; nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] }
type Window = { fromUs: number; toUs: number }
type HotFunction = { name: string; milliseconds: number; share: number }
export type Profiled = {
  ledgerShare: number
  busyMs: number
  threads: number
  hottest: HotFunction[]
  places: HotFunction[]
  /** The steps of a chat, in their order. */
  steps: HotFunction[]
  /** How many requests or events were answered meanwhile. */
  count: number
}

export async function profileGatehouse(workplace: Workplace, upstream: string, work: Doing): Promise<Profiled> {
  const folder = mkdtempSync(join(workplace.folder, 'profile-'))
  const flags = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=${SAMPLE_EVERY_US}`
  const contender = await startModules(workplace, upstream, { NODE_OPTIONS: flags })
  const { window, count } = await workWithin(contender, work)
  await contender.running?.stop()
  const profiles = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
  if (profiles.length === 0) throw new Error('Gatehouse left no CPU profile behind')
  return { ...summarise(profiles, window), count }
}

/** Threads are added up: a ledger that works on a thread of its own still costs what it costs. */
export function summarise(profiles: readonly CpuProfile[], window: Window): Omit<Profiled, 'count'> {
  const self = new Map<string, number>()
  const steps = new Map<string, number>(STEP_NAMES.map((name) => [name, 0]))
  const totals = { busyUs: 0, ledgerUs: 0 }
  for (const profile of profiles) addUp(profile, window, { self, steps, totals })
  const places = new Map<string, number>()
  for (const [name, us] of self) places.set(placeOf(name), (places.get(placeOf(name)) ?? 0) + us)
  return {
    ledgerShare: totals.ledgerUs / totals.busyUs,
    busyMs: totals.busyUs / 1000,
    threads: profiles.length,
    hottest: ranked(self, totals.busyUs),
    places: ranked(places, totals.busyUs),
    steps: listed(steps, totals.busyUs),
  }
}

function ranked(times: ReadonlyMap<string, number>, busyUs: number): HotFunction[] {
  return listed(times, busyUs).sort((one, other) => other.share - one.share)
}

function listed(times: ReadonlyMap<string, number>, busyUs: number): HotFunction[] {
  return Array.from(times, ([name, us]) => ({ name, milliseconds: us / 1000, share: us / busyUs }))
}

// The first pass warms up; only samples of the second one count. The profiler's clock is the one of hrtime.
async function workWithin(contender: Contender, work: Doing): Promise<{ window: Window; count: number }> {
  await work(contender)
  const fromUs = nowUs()
  const done = await work(contender)
  if (done.errors.length > 0) throw new Error(`Gatehouse failed under the profiler: ${done.errors[0]}`)
  return { window: { fromUs, toUs: nowUs() }, count: done.count }
}

type Sums = {
  self: Map<string, number>
  steps: Map<string, number>
  totals: { busyUs: number; ledgerUs: number }
}

function addUp(profile: CpuProfile, window: Window, { self, steps, totals }: Sums): void {
  const stepOf = stepsOfNodes(profile.nodes)
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const ledger = ledgerNodes(profile.nodes)
  let at = profile.startTime
  profile.samples.forEach((id, index) => {
    const took = profile.timeDeltas[index] ?? 0
    at += took
    const frame = nodes.get(id)?.callFrame
    if (!frame || frame.functionName === IDLE || at < window.fromUs || at > window.toUs) return
    totals.busyUs += took
    if (ledger.has(id)) totals.ledgerUs += took
    self.set(nameOf(frame), (self.get(nameOf(frame)) ?? 0) + took)
    const step = stepOf.get(id)!
    steps.set(step, (steps.get(step) ?? 0) + took)
  })
}

/** Every node with a ledger frame on its stack: parents come before their children in a profile. */
function ledgerNodes(nodes: readonly ProfileNode[]): Set<number> {
  const found = new Set<number>()
  for (const node of nodes) {
    if (LEDGER_FILES.some((file) => node.callFrame.url.includes(file))) found.add(node.id)
    if (found.has(node.id)) for (const child of node.children ?? []) found.add(child)
  }
  return found
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const file = url.replace(/^file:\/\//, '').replace(/^.*\/(node_modules|src|bin)\//, '$1/')
  return `${functionName || '(anonymous)'}${file ? ` ${file}:${lineNumber + 1}` : ''}`
}

/** The package, module or part of Node that a function belongs to. */
function placeOf(name: string): string {
  const file = name.split(' ').at(-1) ?? ''
  return (
    /^(node_modules\/(@[^/]+\/)?[^/]+|src\/[^/]+|node:)/.exec(file)?.[0] ??
    (file.startsWith('wasm') ? 'wasm' : 'native')
  )
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
