// Puts a run into bench/README.md, and its most telling figures into the README of the project.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isVoid, median } from './bench-figures.ts'
import type { ContenderName } from './contenders.ts'
import { number } from './markdown.ts'
import { abortsOf, machineUses, type Run, reportOf, today } from './report.ts'
import type { ScenarioName } from './settings.ts'
import { isValid, type Result, type Slice } from './slices.ts'

const TABLES = join(import.meta.dirname, 'README.md')
const README = join(import.meta.dirname, '..', 'README.md')
const MARKS = { start: '<!-- bench:start -->', end: '<!-- bench:end -->' }
/** The columns of the README's comparison that the benchmark can fill. The last one, OpenRouter, is a service of others. */
const COLUMNS: readonly ContenderName[] = ['gatehouse', 'litellm', 'bifrost', 'portkey']
const NOT_MEASURED = 'not measured'

/** Says what was written. Hot functions are for the screen only. */
export function writeIntoReadmes(run: Run): string {
  const problem = whyNotWritten(run)
  if (problem) return `Nothing is written: ${problem}.`
  const report = reportOf({ ...run, profiles: [] })
  const tables = withReport(readFileSync(TABLES, 'utf8'), report)
  const readme = withFigures(readFileSync(README, 'utf8'), run.results, today())
  writeFileSync(TABLES, tables)
  writeFileSync(README, readme)
  return 'Written into bench/README.md and README.md.'
}

export function whyNotWritten(run: Run): string | undefined {
  if (isVoid(machineUses(run))) return 'other work took too much of the machine'
  if (run.notes.length > 0) return 'something could not be measured'
  const missing = (['small', 'streams'] as const).filter((name) => slicesOf(run.results, name).length === 0)
  return missing.length > 0 ? `the README has figures of ${missing.join(' and ')}, which did not run` : undefined
}

/** Replaces what stands between the two marks. */
export function withReport(text: string, report: string): string {
  const [from, to] = [text.indexOf(MARKS.start), text.indexOf(MARKS.end)]
  if (from < 0 || to < from) throw new Error('bench/README.md has lost its marks')
  return `${text.slice(0, from)}${MARKS.start}\n\n${report}\n${text.slice(to)}`
}

/** Replaces the two rows of the comparison with other gateways, and the figure of the section on production. */
export function withFigures(text: string, results: readonly Result[], day: string): string {
  const [small, streams] = [slicesOf(results, 'small'), slicesOf(results, 'streams')]
  const cpu = (name: ContenderName) => cpuOf(small, name) ?? NOT_MEASURED
  const aborts = (name: ContenderName) => {
    const { sent, reached } = abortsOf(streams, name)
    return sent === 0 ? NOT_MEASURED : `${reached} of ${sent}`
  }
  const withRows = replaceRow(replaceRow(text, 'CPU of a 1 KB chat', cpu), 'client aborts that stop', aborts)
  const withDay = replaceOnce(withRows, /(\[benchmark\]\(bench\/README.md\) of ).*?(\) \|)/, day)
  return replaceOnce(withDay, /(one process uses ).*?( of CPU for a chat of 1 KB)/, cpu('gatehouse'))
}

function cpuOf(slices: readonly Slice[], name: ContenderName): string | undefined {
  const own = slices.filter((slice) => slice.contender === name && isValid(slice))
  return own.length === 0 ? undefined : `${number(median(own.map(({ cpuUs }) => cpuUs)))} µs`
}

function replaceRow(text: string, title: string, cellOf: (name: ContenderName) => string): string {
  const cells = COLUMNS.map(cellOf).join(' | ')
  return replaceOnce(text, new RegExp(`^(\\| ${title}[^|]*\\| ).*( \\| – \\|)$`, 'm'), cells)
}

function replaceOnce(text: string, pattern: RegExp, middle: string): string {
  if (!pattern.test(text)) throw new Error(`README.md has lost a figure: ${pattern}`)
  return text.replace(pattern, (_whole, before: string, after: string) => `${before}${middle}${after}`)
}

function slicesOf(results: readonly Result[], name: ScenarioName): readonly Slice[] {
  return results.find(({ scenario }) => scenario === name)?.slices ?? []
}
