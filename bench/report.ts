// The run as Markdown: ratios first, absolutes second, then everything that makes a figure doubtful.
import { cpus, totalmem } from 'node:os'
import { type MachineUse, median, OTHERS_LIMIT, othersShare } from './bench-figures.ts'
import { CONTENDERS, type ContenderName } from './contenders.ts'
import { doubtsAbout } from './doubts.ts'
import { met, number, percent, table } from './markdown.ts'
import type { Memory } from './memory.ts'
import type { MemoryLevel } from './memory-levels.ts'
import type { Profiled } from './profile.ts'
import type { ScenarioName, Settings } from './settings.ts'
import { isValid, type Result, type Slice } from './slices.ts'
import { figuresOf, MAX_LEDGER_SHARE, MAX_MEMORY_MB, type Ratio, ratiosOf } from './targets.ts'
import { MB } from '../src/base/units/units.ts'

export type Run = {
  settings: Settings
  tools: string
  notes: string[]
  results: Result[]
  /** The machine while Gatehouse ran alone: memory and profiles. */
  alone: MachineUse[]
  memory?: Memory
  memoryLevels?: MemoryLevel[]
  ledger?: Profiled
  profiles: { title: string; profiled: Profiled }[]
}

export function reportOf(run: Run): string {
  const parts = [
    heading(run),
    ratioTable(run),
    absoluteTable(run),
    doubtsAbout(run.notes, run.results),
    ...(run.settings.steps && run.profiles.length > 0 ? [stepsTable(run.profiles)] : []),
    ...(run.settings.hottest ? run.profiles.map(hottestTable) : []),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function heading(run: Run): string {
  const { settings, tools } = run
  const processor = `${cpus().length} × ${cpus()[0]?.model.trim() || process.arch}`
  const machine = `${processor}, ${Math.round(totalmem() / MB / 1024)} GB`
  const shape = `${settings.slices} slices of ${settings.seconds} s each`
  const share = othersShare(machineUses(run))
  const verdict =
    share > OTHERS_LIMIT
      ? `**This run is void**: other work took ${percent(share)} of the machine, more than ${percent(OTHERS_LIMIT)}.`
      : `Other work took ${percent(share)} of the machine.`
  return `${today()}, Node ${process.version}, ${machine}, ${tools}, ${shape}. ${verdict}`
}

export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

export function machineUses({ results, alone }: Run): MachineUse[] {
  return [...results.flatMap(({ slices }) => slices.map(({ machine }) => machine)), ...alone]
}

function ratioTable(run: Run): string {
  const rows = run.results.flatMap(({ scenario, title, slices }) => [
    ...ratiosOf(scenario, slices).map((ratio) => ratioRow(title, ratio)),
    ...(scenario === 'streams' ? abortRows(title, slices) : []),
  ])
  if (run.memory) rows.push(memoryRow(run.memory))
  rows.push(...(run.memoryLevels ?? []).map(levelRow))
  if (run.ledger) rows.push(ledgerRow(run.ledger))
  return table(['scenario', 'what', 'median (quartiles)', 'target', ''], rows)
}

function ratioRow(title: string, ratio: Ratio): string[] {
  const measure =
    ratio.measure === 'added' ? 'added p50' : ratio.scenario === 'streams' ? 'CPU per event' : 'CPU per request'
  const { low, middle, high } = ratio.spread
  const figures = `**${middle.toFixed(2)}** (${low.toFixed(2)}–${high.toFixed(2)})`
  return [
    title,
    `${measure}: ${CONTENDERS[ratio.top]} ÷ ${CONTENDERS[ratio.bottom]}`,
    figures,
    targetText(ratio),
    met(ratio.met),
  ]
}

function targetText({ target }: Ratio): string {
  if (!target) return '–'
  return 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`
}

function abortRows(title: string, slices: readonly Slice[]): string[][] {
  const { sent, reached } = abortsOf(slices, 'gatehouse')
  if (sent === 0) return []
  return [
    [
      title,
      "client aborts that reached Gatehouse's upstream",
      `**${percent(reached / sent)}**`,
      '100 %',
      met(reached === sent),
    ],
  ]
}

function memoryRow({ requests, beforeMb, afterMb, errors }: Memory): string[] {
  const difference = afterMb - beforeMb
  const sign = difference >= 0 ? '+' : ''
  const figures = `**${sign}${difference.toFixed(1)} MB** (${beforeMb.toFixed(0)} → ${afterMb.toFixed(0)})`
  const title = `${requests.toLocaleString('en')} requests${errors > 0 ? `, ${errors} failed slices` : ''}`
  const good = Math.abs(difference) <= MAX_MEMORY_MB && errors === 0
  return [title, "Gatehouse's RSS, last fifth − first fifth", figures, `± ${MAX_MEMORY_MB} MB`, met(good)]
}

function levelRow({ what, mb, aimMb }: MemoryLevel): string[] {
  return [what, "Gatehouse's RSS", `**${mb.toFixed(0)} MB**`, `≤ ${aimMb} MB`, met(mb <= aimMb)]
}

function ledgerRow({ ledgerShare, threads }: Profiled): string[] {
  const what = `ledger and store, share of busy samples (${threads} thread${threads === 1 ? '' : 's'})`
  const limit = `≤ ${percent(MAX_LEDGER_SHARE)}`
  return ['1 KB body, 32 connections', what, `**${percent(ledgerShare)}**`, limit, met(ledgerShare <= MAX_LEDGER_SHARE)]
}

function absoluteTable({ results }: Run): string {
  const rows = results.flatMap(({ scenario, title, slices }) => {
    const names = [...new Set(slices.map(({ contender }) => contender))].sort(byPlace)
    return names.map((name) => absoluteRow(scenario, title, slices, name))
  })
  const heads = [
    'scenario',
    'contender',
    'CPU µs',
    'per s',
    'p50 µs',
    'added p50 µs',
    'RSS MB',
    'aborts through',
    'slices',
  ]
  return table(heads, rows)
}

function absoluteRow(scenario: ScenarioName, title: string, slices: readonly Slice[], name: ContenderName): string[] {
  const own = slices.filter(({ contender }) => contender === name)
  const good = own.filter(isValid)
  const unit = scenario === 'streams' ? 'event' : 'request'
  const middle = (pick: (slice: Slice) => number) => median(good.map(pick))
  const aborts = abortsOf(good, name)
  return [
    title,
    CONTENDERS[name],
    name === 'direct' ? '–' : `${number(middle(({ cpuUs }) => cpuUs))} / ${unit}`,
    number(middle(({ count, seconds }) => count / seconds)),
    number(middle(({ p50Us }) => p50Us)),
    name === 'direct' ? '–' : number(median(figuresOf(slices, name, 'added').map(({ value }) => value))),
    name === 'direct' ? '–' : number(middle(({ rssBytes }) => rssBytes / MB)),
    aborts.sent === 0 ? '–' : `${aborts.reached} of ${aborts.sent}`,
    good.length === own.length ? String(good.length) : `${good.length} (${own.length - good.length} void)`,
  ]
}

/** CPU per request or event under the profiler, all threads together. */
function stepsTable(profiles: Run['profiles']): string {
  const perOne = ({ profiled: { count } }: Run['profiles'][number], ms: number, share: number) =>
    `${((ms * 1000) / count).toFixed(1)} µs, ${percent(share)}`
  const rows = profiles[0]!.profiled.steps.map(({ name }, at) => [
    name,
    ...profiles.map((one) => perOne(one, one.profiled.steps[at]!.milliseconds, one.profiled.steps[at]!.share)),
  ])
  const sums = ['together', ...profiles.map((one) => perOne(one, one.profiled.busyMs, 1))]
  return `What the steps of a chat cost:\n\n${table(['step', ...profiles.map(({ title }) => title)], [...rows, sums])}`
}

function hottestTable({ title, profiled }: Run['profiles'][number]): string {
  const rows = profiled.hottest
    .slice(0, 25)
    .map(({ name, milliseconds, share }) => [percent(share), milliseconds.toFixed(0), `\`${name}\``])
  const { busyMs, threads } = profiled
  const head = `Hottest functions of Gatehouse, ${title} (${busyMs.toFixed(0)} ms busy, ${threads} threads):`
  const places = profiled.places.slice(0, 12).map(({ name, share }) => `${name} ${percent(share)}`)
  return `${head}\n\n${table(['self', 'ms', 'function'], rows)}\n\nSelf time by place: ${places.join(', ')}.`
}

export function abortsOf(slices: readonly Slice[], name: ContenderName): { sent: number; reached: number } {
  const own = slices.filter((slice) => slice.contender === name && isValid(slice))
  const total = (pick: 'sent' | 'reached') => own.reduce((sum, { aborts }) => sum + (aborts?.[pick] ?? 0), 0)
  return { sent: total('sent'), reached: total('reached') }
}

function byPlace(one: ContenderName, other: ContenderName): number {
  const order = Object.keys(CONTENDERS)
  return order.indexOf(one) - order.indexOf(other)
}
